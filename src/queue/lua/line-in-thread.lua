-- The questions of a thread that are not over, in their order: `question, state, question, state …`.
local inbox = unpack(KEYS)
local runs = unpack(ARGV)

local line = {}
for _, id in ipairs(redis.call('LRANGE', inbox, 0, -1)) do
  local question, state = unpack(redis.call('HMGET', runs .. id, 'question', 'state'))
  if question then line[#line + 1], line[#line + 2] = question, state or '' end
end
return line
