-- Moves a suspended run to the head of its thread, behind the question in progress. A run that is not suspended yet is
-- marked, so that it will not be. Returns the generation that must have a job ('' for none).
local function requeueRun(keys, id, ttlMs)
  local thread, inbox, run, suspended = unpack(keys)
  if redis.call('ZREM', suspended, id) == 0 then
    redis.call('HSET', run, 'woken', 1)
    return ''
  end
  redis.call('HSET', run, 'state', 'waiting')
  local active, lease = unpack(redis.call('HMGET', thread, 'active', 'lease'))
  local atWork = lease and redis.call('LINDEX', inbox, 0)
  if atWork then
    redis.call('LINSERT', inbox, 'AFTER', atWork, id)
  else
    redis.call('LPUSH', inbox, id)
  end
  local gen = active or activateThread(thread)
  for i = 1, 3 do redis.call('PEXPIRE', keys[i], ttlMs) end
  return gen
end
