-- Replaces the text of a schedule if it is still the expected one. `expected` '': there must be none. `text` '': remove
-- it. Returns 1 if it was done.
local schedule = unpack(KEYS)
local expected, text, ttlMs = unpack(ARGV)

local stored = redis.call('GET', schedule) or ''
if stored ~= expected then return 0 end
if text == '' then
  redis.call('DEL', schedule)
else
  redis.call('SET', schedule, text, 'PX', ttlMs)
end
return 1
