-- Stores a team's write under its id, replacing its earlier entry. Drops entries older than `since` (ms), and the
-- oldest beyond `max`. Both keys expire after `ttlMs`.
local entries, times = unpack(KEYS)
local id, entry, at, since, max, ttlMs = unpack(ARGV)

redis.call('HSET', entries, id, entry)
redis.call('ZADD', times, at, id)
local over = redis.call('ZCARD', times) - tonumber(max)
local gone = redis.call('ZRANGEBYSCORE', times, '-inf', since)
if over > #gone then gone = redis.call('ZRANGE', times, 0, over - 1) end
for _, old in ipairs(gone) do
  redis.call('HDEL', entries, old)
  redis.call('ZREM', times, old)
end
redis.call('PEXPIRE', entries, ttlMs)
redis.call('PEXPIRE', times, ttlMs)
return #gone
