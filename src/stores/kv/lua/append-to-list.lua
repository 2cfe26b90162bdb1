-- Appends texts (the rest of ARGV) to a list, unless it has one with this beginning. Beyond `max` the oldest are
-- removed.
local key = unpack(KEYS)
local beginning, max, ttlMs = unpack(ARGV)

local texts = redis.call('LRANGE', key, 0, -1)
for _, kept in ipairs(texts) do
  if string.sub(kept, 1, #beginning) == beginning then return end
end
redis.call('RPUSH', key, unpack(ARGV, 4))
redis.call('LTRIM', key, -tonumber(max), -1)
redis.call('PEXPIRE', key, ttlMs)
