-- Replaces a text if it is the expected one. `expected`: '' for none. `text`: '' to delete it. Returns 1 if it was
-- done.
local stored = unpack(KEYS)
local expected, text, ttlMs = unpack(ARGV)

if (redis.call('GET', stored) or '') ~= expected then return 0 end
if text == '' then redis.call('DEL', stored) else redis.call('SET', stored, text, 'PX', ttlMs) end
return 1
