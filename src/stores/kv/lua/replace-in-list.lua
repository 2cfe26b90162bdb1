-- Replaces a text of a list by another, if it is there; an empty `after` removes it.
local key = unpack(KEYS)
local before, after = unpack(ARGV)

if after == '' then return redis.call('LREM', key, 0, before) end
for i, text in ipairs(redis.call('LRANGE', key, 0, -1)) do
  if text == before then return redis.call('LSET', key, i - 1, after) end
end
