-- Replaces a field of a hash if it is the expected one. `before`: '' for none. `after`: '' to delete it. Returns 1 if it
-- was done.
local key = unpack(KEYS)
local field, before, after, ttlMs = unpack(ARGV)

if (redis.call('HGET', key, field) or '') ~= before then return 0 end
if after == '' then
  redis.call('HDEL', key, field)
else
  redis.call('HSET', key, field, after)
  redis.call('PEXPIRE', key, ttlMs)
end
return 1
