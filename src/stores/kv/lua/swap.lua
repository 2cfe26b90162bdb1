-- Replaces a text, or a field of a hash, if it is still `before` ('' for none); an empty `after` deletes it. The rest of
-- ARGV: fields of the hash `sums`, each with a number to add to it. Returns 1 if it was done.
local key, sums = unpack(KEYS)
local field, before, after, ttlMs = unpack(ARGV)

local stored = field == '' and { redis.call('GET', key) } or { redis.call('HGET', key, field) }
if (stored[1] or '') ~= before then return 0 end
if field == '' and after == '' then
  redis.call('DEL', key)
elseif field == '' then
  redis.call('SET', key, after, 'PX', ttlMs)
elseif after == '' then
  redis.call('HDEL', key, field)
else
  redis.call('HSET', key, field, after)
  redis.call('PEXPIRE', key, ttlMs)
end
for i = 5, #ARGV, 2 do redis.call('HINCRBY', sums, ARGV[i], ARGV[i + 1]) end
if #ARGV > 4 then redis.call('PEXPIRE', sums, ttlMs) end
return 1
