-- Ends the work on a question. Its run is kept for `ttlMs` from now on.
-- `refused` 'refused': the question was not accepted, so it does not make the thread known. 'limited': it does. Of both
-- only the id is kept, so that a repeated delivery is recognised.
-- The rest of ARGV is saved with the run: `field, value, …`.
-- Returns { 'lost' | 'ok', the generation that must have a job ('' for none), the number of unread messages that became
-- questions }. The inbox is checked in the same step, so that no question is missed.
local thread, inbox, run, signals = unpack(KEYS)
local token, id, state, ttlMs, runs, heard, refused = unpack(ARGV)

--- @include "activate-thread"
--- @include "insert-by-ts"
--- @include "settle-additions"

local lease, active, hasAdditions = unpack(redis.call('HMGET', thread, 'lease', 'active', 'told'))
if lease ~= token then return { 'lost', active or '', 0 } end
local keys = { inbox = inbox, signals = signals, runs = runs }
local followUps = hasAdditions and settleAdditions(keys, { run = id, heard = heard }, ttlMs) or 0
local first, second = unpack(redis.call('LRANGE', inbox, 0, 1))
if first == id then
  redis.call('LPOP', inbox)
  first = second
end
if refused ~= '' then redis.call('DEL', run) end
redis.call('HSET', run, 'state', state, 'starter', '', unpack(ARGV, 8))
redis.call('PEXPIRE', run, ttlMs)
local asks = followUps - (refused == 'refused' and 1 or 0)
if asks ~= 0 then redis.call('HINCRBY', thread, 'asks', asks) end
if first then return { 'ok', activateThread(thread), followUps } end
redis.call('HDEL', thread, 'active', 'begun', 'lease')
return { 'ok', '', followUps }
