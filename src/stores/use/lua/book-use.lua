-- Sets an id's contribution to the counts of a day, replacing its earlier one. The rest of ARGV: each field and its
-- number. `grows`: a larger earlier contribution is kept. Both keys expire after `ttlMs`.
local day, booked = unpack(KEYS)
local grows, ttlMs = unpack(ARGV)

local before = cjson.decode(redis.call('GET', booked) or '{}')
local now = {}
for i = 3, #ARGV, 2 do now[ARGV[i]] = tonumber(ARGV[i + 1]) end
for field, number in pairs(before) do
  now[field] = grows == '1' and math.max(now[field] or 0, number) or now[field] or 0
end
for field, number in pairs(now) do
  local more = number - (before[field] or 0)
  if more ~= 0 then redis.call('HINCRBY', day, field, string.format('%.0f', more)) end
end
redis.call('SET', booked, cjson.encode(now), 'PX', ttlMs)
redis.call('PEXPIRE', day, ttlMs)
