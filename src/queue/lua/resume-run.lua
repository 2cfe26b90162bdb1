-- Stores the decisions about a run's waits, and resumes the run.
-- The rest of ARGV: the fields of the waits. The first decision about a wait counts.
-- `isExpiry` '1': the time is over, which needs no wait.
-- Returns { 'woken' | 'decided' | 'due' | 'not_running', the generation that must have a job ('' for none), the earlier
-- decision }.
-- `due`: the time is over, and the run must be resumed for that. The process of an earlier decision may have died
-- before there was a job.
local thread, inbox, run, suspended = unpack(KEYS)
local id, decision, now, ttlMs, isExpiry = unpack(ARGV)

--- @include "activate-thread"
--- @include "requeue-run"

local step = ARGV[6]
local decided = step and redis.call('HGET', run, step)
local state, answer = unpack(redis.call('HMGET', run, 'state', 'answer'))
if decided and isExpiry == '0' then
  return { 'decided', state == 'waiting' and redis.call('HGET', thread, 'active') or '', decided }
end
if not state or answer or state == 'done' or state == 'dead-lettered' or state == 'added' then return { 'not_running', '' } end
local deadline = redis.call('ZSCORE', suspended, id)
if deadline and tonumber(deadline) <= tonumber(now) and isExpiry == '0' then return { 'due', '' } end
if isExpiry == '1' and not deadline then return { 'not_running', '' } end
for i = 6, #ARGV do redis.call('HSETNX', run, ARGV[i], decision) end
return { 'woken', requeueRun(KEYS, id, ttlMs) }
