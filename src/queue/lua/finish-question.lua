-- Ends the work on a question; its run is kept for `ttlMs` from now on. `refused` '1': it was not taken, so that the thread is
-- not known because of it. The rest of ARGV is saved with it: `field, value, …`.
-- Returns { 'lost' | 'ok', the generation that must have a job ('' for none) }: in one step with the look at the inbox, so that
-- no question is overlooked.
local thread, inbox, run = unpack(KEYS)
local token, id, state, ttlMs, refused = unpack(ARGV)

--- @include "activate-thread"

local lease, active = unpack(redis.call('HMGET', thread, 'lease', 'active'))
if lease ~= token then return { 'lost', active or '' } end
local first, second = unpack(redis.call('LRANGE', inbox, 0, 1))
if first == id then
  redis.call('LPOP', inbox)
  first = second
end
redis.call('HSET', run, 'state', state, 'starter', '', unpack(ARGV, 6))
redis.call('PEXPIRE', run, ttlMs)
if refused == '1' then redis.call('HINCRBY', thread, 'asks', -1) end
if first then return { 'ok', activateThread(thread) } end
redis.call('HDEL', thread, 'active', 'begun', 'lease')
return { 'ok', '' }
