-- Lets a question in, or says what stands against it. `maxSlots` -1: slots are not limited.
-- The rest of KEYS: of each bucket its own key and that of its mean (or its own again). The rest of ARGV: of each bucket its
-- window, its point, and what is taken without a mean. The rules are `waitFor` and `takenAtFirst` of rate-limiter.ts.
-- Returns nothing, or the number of the bucket that has no point (0: the slots) and the wait in ms.
local question, slots = unpack(KEYS)
local id, knownMs, maxSlots, lapseMs = unpack(ARGV)
maxSlots, lapseMs = tonumber(maxSlots), tonumber(lapseMs)

--- @include "bucket-clock"

local function bucket(n)
  return KEYS[2 * n + 1], tonumber(ARGV[3 * n + 2]), tonumber(ARGV[3 * n + 3]), tonumber(ARGV[3 * n + 4])
end
local buckets = (#KEYS - 2) / 2
if redis.call('EXISTS', question) == 0 then
  for n = 1, buckets do
    local key, window, point = bucket(n)
    local wait = barredUntil(key) + point - window - now
    if wait > point / 1000 then return { n, math.ceil(wait) } end
  end
  if maxSlots >= 0 then
    redis.call('ZREMRANGEBYSCORE', slots, '-inf', now)
    if redis.call('ZCARD', slots) >= maxSlots then return { 0, 0 } end
  end
  local taken = {}
  for n = 1, buckets do
    local key, window, point, takes = bucket(n)
    local mean = KEYS[2 * n + 2] ~= key and redis.call('GET', KEYS[2 * n + 2])
    taken[key] = math.min(tonumber(mean or takes), window / point)
    keep(key, barredUntil(key) + taken[key] * point, window, point)
  end
  redis.call('SET', question, cjson.encode(taken), 'PX', knownMs)
end
if maxSlots >= 0 then
  redis.call('ZADD', slots, now + lapseMs, id)
  redis.call('PEXPIRE', slots, lapseMs)
end
return {}
