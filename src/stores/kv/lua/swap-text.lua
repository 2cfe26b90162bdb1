-- Replaces a text if it is the expected one. `before`: '' for none. `after`: '' to delete it. Returns 1 if it was done.
local key = unpack(KEYS)
local before, after, ttlMs = unpack(ARGV)

if (redis.call('GET', key) or '') ~= before then return 0 end
if after == '' then redis.call('DEL', key) else redis.call('SET', key, after, 'PX', ttlMs) end
return 1
