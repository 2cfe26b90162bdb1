-- Returns a thread's unfinished questions in order, followed by those that wait for a person: `question, state,
-- question, state …`.
local inbox, suspended = unpack(KEYS)
local runs = unpack(ARGV)

local line, ids = {}, redis.call('LRANGE', inbox, 0, -1)
for _, id in ipairs(redis.call('ZRANGE', suspended, 0, -1)) do ids[#ids + 1] = id end
for _, id in ipairs(ids) do
  local question, state = unpack(redis.call('HMGET', runs .. id, 'question', 'state'))
  if question then line[#line + 1], line[#line + 2] = question, state or '' end
end
return line
