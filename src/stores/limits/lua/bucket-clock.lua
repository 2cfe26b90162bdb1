-- Times are in ms by the clock of Redis, which all workers share. A bucket's key holds its `fullAt` and expires at the
-- capped one (`capFullAt` of rate-limiter.ts).
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local function fullAt(key) return math.max(now, tonumber(redis.call('GET', key) or 0)) end
local function cappedFullAt(key) return math.min(fullAt(key), now + math.max(0, redis.call('PTTL', key))) end
local function setFullAt(key, at, window, point)
  if at <= now then return redis.call('DEL', key) end
  redis.call('SET', key, string.format('%.3f', at), 'PX', math.ceil(math.min(at - now, 2 * window - point)) + 1)
end
