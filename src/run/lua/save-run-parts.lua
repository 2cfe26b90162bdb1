-- Saves fields of a run: the rest of ARGV is `field, value, field, value …`. What is saved counts as a checkpoint, unless the
-- same was saved before (a run that goes on where another died) or is usage. Returns 0 where the lease is lost, else 1.
local thread, run = unpack(KEYS)
local token = unpack(ARGV)

if redis.call('HGET', thread, 'lease') ~= token then return 0 end
local isNew = false
for i = 2, #ARGV, 2 do
  local isCost = string.sub(ARGV[i], 1, 6) == 'usage:'
  isNew = isNew or (not isCost and redis.call('HGET', run, ARGV[i]) ~= ARGV[i + 1])
end
redis.call('HSET', run, unpack(ARGV, 2))
if isNew then redis.call('HINCRBY', run, 'checkpoints', 1) end
return 1
