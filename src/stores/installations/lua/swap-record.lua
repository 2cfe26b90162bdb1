-- Writes or removes the record of an installation if the stored one has the expected generation, which its text begins
-- with. `expected`: '' for any. `text`: '' to remove. Returns 1 if it was done.
local records = unpack(KEYS)
local id, expected, text, ttlMs = unpack(ARGV)

local stored = redis.call('HGET', records, id)
if expected ~= '' and (not stored or stored:match('^%S+') ~= expected) then return 0 end
if text == '' then return redis.call('HDEL', records, id) end
redis.call('HSET', records, id, text)
redis.call('PEXPIRE', records, ttlMs)
return 1
