-- Claims posts and saves fields of a run in one step, for the holder of its lease. `starter` is the holder's token.
-- The rest of ARGV: `claims` names of posts' fields, then the values to save: `field, value, field, value …`.
--
-- The field of a claimed post is empty until its ts is saved. Saved values count as a checkpoint, unless they were
-- saved before (a run that continues after a worker died) or are usage.
--
-- Returns nil if the lease is lost. Otherwise returns what each claimed field held before: nil if nobody had claimed
-- it.
local run = unpack(KEYS)
local token, claims = unpack(ARGV)
claims = tonumber(claims)

local fields = {}
for i = 1, claims do fields[i] = ARGV[2 + i] end
for i = 3 + claims, #ARGV, 2 do fields[#fields + 1] = ARGV[i] end
local stored = redis.call('HMGET', run, 'starter', 'checkpoints', unpack(fields))
if stored[1] ~= token then return nil end

local before, claimed, writes = {}, {}, {}
for i = 1, claims do
  local field = fields[i]
  before[i] = claimed[field] or stored[2 + i]
  if not before[i] then
    claimed[field] = ''
    writes[#writes + 1], writes[#writes + 2] = field, ''
  end
end

local isCheckpoint = false
for i = claims + 1, #fields do
  local field, value = fields[i], ARGV[2 * i - claims + 2]
  local isUsage = string.sub(field, 1, 6) == 'usage:'
  isCheckpoint = isCheckpoint or (not isUsage and stored[2 + i] ~= value)
  writes[#writes + 1], writes[#writes + 2] = field, value
end
if isCheckpoint then
  writes[#writes + 1], writes[#writes + 2] = 'checkpoints', tonumber(stored[2] or 0) + 1
end
if #writes > 0 then redis.call('HSET', run, unpack(writes)) end
return before
