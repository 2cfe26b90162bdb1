-- Adds a name to a sorted set (`mode` 'NX': unless it is there), and removes those up to the score `above`, and those
-- with the lowest scores beyond `max`. Returns the removed names.
local key = unpack(KEYS)
local name, score, mode, above, max, ttlMs = unpack(ARGV)

if mode == 'NX' then redis.call('ZADD', key, 'NX', score, name) else redis.call('ZADD', key, score, name) end
local gone = redis.call('ZRANGEBYSCORE', key, '-inf', above)
local over = redis.call('ZCARD', key) - tonumber(max)
if over > #gone then gone = redis.call('ZRANGE', key, 0, over - 1) end
for _, old in ipairs(gone) do redis.call('ZREM', key, old) end
redis.call('PEXPIRE', key, ttlMs)
return gone
