-- Stores a person's signal to a run once, and publishes it to the worker of the run.
-- `stops` '1': the signal ends the run, even if the run waits for a person.
-- `notice`: the published text.
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
