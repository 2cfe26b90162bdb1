-- Gives the thread to a new generation, which needs its own job.
local function activateThread(thread)
  local gen = redis.call('HINCRBY', thread, 'gen', 1)
  redis.call('HSET', thread, 'active', gen)
  redis.call('HDEL', thread, 'begun', 'lease')
  return tostring(gen)
end
