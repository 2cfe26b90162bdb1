-- Admits a question, or returns the obstacle.
-- `maxSlots` -1: slots are not limited.
-- The rest of KEYS: for each bucket its key and the key of its mean (its own key again if it has none).
-- The rest of ARGV: for each bucket windowMs, pointMs and reserve. The rules are `waitFor` and `reservedPoints` of
-- rate-limiter.ts.
-- Returns nothing if the question is admitted; otherwise the number of the bucket without a whole point (0: no slot is
-- free) and the wait in ms.
local question, slots = unpack(KEYS)
local id, questionTtlMs, maxSlots, slotTtlMs = unpack(ARGV)
maxSlots, slotTtlMs = tonumber(maxSlots), tonumber(slotTtlMs)

--- @include "bucket-clock"

local function bucket(n)
  return KEYS[2 * n + 1], tonumber(ARGV[3 * n + 2]), tonumber(ARGV[3 * n + 3]), tonumber(ARGV[3 * n + 4])
end
local buckets = (#KEYS - 2) / 2
if redis.call('EXISTS', question) == 0 then
  for n = 1, buckets do
    local key, window, point = bucket(n)
    local wait = cappedFullAt(key) + point - window - now
    if wait > point / 1000 then return { n, math.ceil(wait) } end
  end
  if maxSlots >= 0 then
    redis.call('ZREMRANGEBYSCORE', slots, '-inf', now)
    if redis.call('ZCARD', slots) >= maxSlots then return { 0, 0 } end
  end
  local taken = {}
  for n = 1, buckets do
    local key, window, point, reserve = bucket(n)
    local mean = KEYS[2 * n + 2] ~= key and redis.call('GET', KEYS[2 * n + 2])
    taken[key] = math.min(tonumber(mean or reserve), window / point)
    setFullAt(key, cappedFullAt(key) + taken[key] * point, window, point)
  end
  redis.call('SET', question, cjson.encode(taken), 'PX', questionTtlMs)
end
if maxSlots >= 0 then
  redis.call('ZADD', slots, now + slotTtlMs, id)
  redis.call('PEXPIRE', slots, slotTtlMs)
end
return {}
