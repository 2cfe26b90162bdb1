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
local fields = {}
for field, number in pairs(now) do
  if number ~= (before[field] or 0) then fields[#fields + 1] = field end
end
if #fields > 0 then
  local sums = redis.call('HMGET', day, unpack(fields))
  local changed = {}
  for i, field in ipairs(fields) do
    local sum = tonumber(sums[i] or 0) + now[field] - (before[field] or 0)
    changed[#changed + 1] = field
    changed[#changed + 1] = string.format('%.0f', sum)
  end
  redis.call('HSET', day, unpack(changed))
end
redis.call('SET', booked, cjson.encode(now), 'PX', ttlMs)
redis.call('PEXPIRE', day, ttlMs)
