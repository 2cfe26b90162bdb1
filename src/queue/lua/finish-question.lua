-- Ends the work on a question; its run is kept for `ttlMs` from now on. Returns { 'lost' | 'ok', the generation that must
-- have a job ('' for none) }: in one step with the look at the inbox, so that no question is overlooked.
local thread, inbox, run = unpack(KEYS)
local token, id, state, ttlMs = unpack(ARGV)

--- @include "activate-thread"

local lease, active = unpack(redis.call('HMGET', thread, 'lease', 'active'))
if lease ~= token then return { 'lost', active or '' } end
if redis.call('LINDEX', inbox, 0) == id then redis.call('LPOP', inbox) end
redis.call('HDEL', run, 'starter')
redis.call('HSET', run, 'state', state)
redis.call('PEXPIRE', run, ttlMs)
if redis.call('LLEN', inbox) > 0 then return { 'ok', activateThread(thread) } end
redis.call('HDEL', thread, 'active', 'begun', 'lease')
return { 'ok', '' }
