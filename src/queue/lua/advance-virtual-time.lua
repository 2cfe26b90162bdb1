-- The job with this tag has started, so its question no longer waits.
local tags, waiting = unpack(KEYS)
local tag, entry = unpack(ARGV)

redis.call('ZREM', waiting, entry)
local now = redis.call('HGET', tags, 'now')
if now and tonumber(now) < tonumber(tag) then redis.call('HSET', tags, 'now', tag) end
