-- Ends the work on a question whose run waits for a person, until `deadline` (ms). A run that was resumed meanwhile
-- stays at the head of its thread.
-- The rest of ARGV is saved with the run: `field, value, …`.
-- Returns { 'lost' | 'ok', the generation that must have a job ('' for none) }.
local thread, inbox, run, suspended = unpack(KEYS)
local token, id, deadline, ttlMs = unpack(ARGV)

--- @include "activate-thread"

local lease, active = unpack(redis.call('HMGET', thread, 'lease', 'active'))
if lease ~= token then return { 'lost', active or '' } end
redis.call('HSET', run, 'starter', '', unpack(ARGV, 5))
redis.call('HDEL', run, 'losses', 'failures')
if redis.call('HDEL', run, 'woken') == 1 then
  redis.call('HSET', run, 'state', 'waiting')
  return { 'ok', activateThread(thread) }
end
redis.call('HSET', run, 'state', 'parked')
redis.call('ZADD', suspended, deadline, id)
redis.call('LREM', inbox, 1, id)
for _, key in ipairs({ thread, run, suspended }) do redis.call('PEXPIRE', key, ttlMs) end
if redis.call('LLEN', inbox) > 0 then return { 'ok', activateThread(thread) } end
redis.call('HDEL', thread, 'active', 'begun', 'lease')
return { 'ok', '' }
