-- Adds a name to a sorted set, or moves it. Removes those up to the score `above`, and those with the lowest scores beyond
-- `max`. Returns the removed names.
local index = unpack(KEYS)
local name, score, above, max, ttlMs = unpack(ARGV)

redis.call('ZADD', index, score, name)
local gone = redis.call('ZRANGEBYSCORE', index, '-inf', above)
local over = redis.call('ZCARD', index) - tonumber(max)
if over > #gone then gone = redis.call('ZRANGE', index, 0, over - 1) end
for _, old in ipairs(gone) do redis.call('ZREM', index, old) end
redis.call('PEXPIRE', index, ttlMs)
return gone
