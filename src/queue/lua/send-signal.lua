-- Stores what a person tells a run, once, and calls it out to whoever works on the run. `stops` '1': it ends the
-- run, also where that waits for a person. `notice` is what is called out.
-- Returns { 'sent' | 'not_running' | 'full', the generation that must have a job ('' for none) }.
local thread, inbox, run, suspended, signals = unpack(KEYS)
local id, signal, stops, channel, notice, max, ttlMs = unpack(ARGV)

--- @include "activate-thread"
--- @include "requeue-run"

local state, answer = unpack(redis.call('HMGET', run, 'state', 'answer'))
if not state or answer or state == 'done' or state == 'dead-lettered' or state == 'added' then return { 'not_running', '' } end
local sent = redis.call('LRANGE', signals, 0, -1)
for _, other in ipairs(sent) do
  if other == signal then return { 'sent', '' } end
end
if #sent >= tonumber(max) and stops == '0' then return { 'full', '' } end
redis.call('RPUSH', signals, signal)
redis.call('PEXPIRE', signals, ttlMs)
redis.call('PUBLISH', channel, notice)
return { 'sent', stops == '1' and requeueRun(KEYS, id, ttlMs) or '' }
