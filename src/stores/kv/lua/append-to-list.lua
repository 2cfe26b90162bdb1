-- Appends a text to a list, unless one has this beginning. Beyond `max` the oldest are removed.
local key = unpack(KEYS)
local text, beginning, max, ttlMs = unpack(ARGV)

local texts = redis.call('LRANGE', key, 0, -1)
for _, kept in ipairs(texts) do
  if string.sub(kept, 1, #beginning) == beginning then return end
end
redis.call('RPUSH', key, text)
if #texts >= tonumber(max) then redis.call('LTRIM', key, -tonumber(max), -1) end
redis.call('PEXPIRE', key, ttlMs)
