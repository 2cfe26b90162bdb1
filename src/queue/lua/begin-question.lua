-- Begins the work on a thread's oldest question: takes the lease for generation `gen`, whose job is started for the
-- `starts`th time. `maxLosses`, `maxFailures` and `maxTries` (of dead-lettering) are too many.
--
-- BullMQ counts the starts of a job, and that count is the fencing token: a worker that was frozen between getting the
-- job and coming here has an older one than whoever got the job after it.
--
-- Returns { 'stale', active } where another generation or a later start has the thread, { 'empty' } where nothing waits,
-- or { 'work' | 'give-up' | 'drop', id, the run's hash }.
local thread, inbox = unpack(KEYS)
local gen, starts, runs, now, ttlMs, maxLosses, maxFailures, maxTries = unpack(ARGV)

local active, begun = unpack(redis.call('HMGET', thread, 'active', 'begun'))
if active ~= gen then return { 'stale', active or '' } end
if begun and tonumber(begun) > tonumber(starts) then return { 'stale', active } end

local id = redis.call('LINDEX', inbox, 0)
while id and redis.call('HEXISTS', runs .. id, 'question') == 0 do
  redis.call('LPOP', inbox)
  id = redis.call('LINDEX', inbox, 0)
end
if not id then
  redis.call('HDEL', thread, 'active', 'begun', 'lease')
  return { 'empty' }
end

local run, token = runs .. id, gen .. '.' .. starts
redis.call('HSET', thread, 'begun', starts, 'lease', token)
for _, key in ipairs({ thread, inbox, run }) do redis.call('PEXPIRE', key, ttlMs) end

local fields = redis.call('HGETALL', run)
local hash = {}
for i = 1, #fields, 2 do hash[fields[i]] = fields[i + 1] end
local checkpoints = tonumber(hash['checkpoints'] or 0)

-- 'starter' still there: the worker that started last never said how it ended. With no checkpoint more than then, that
-- is one more loss in a row.
local losses = tonumber(hash['losses'] or 0)
if hash['starter'] and hash['starter'] ~= token then
  losses = tonumber(hash['mark'] or 0) == checkpoints and losses + 1 or 1
end
local attempts = tonumber(hash['attempts'] or 0)
if hash['starter'] ~= token then attempts = attempts + 1 end
local verdict, tries = 'work', tonumber(hash['tries'] or 0)
-- Dead-lettering is final once decided, even if posting the notice was interrupted: people may have read it.
if hash['givenUp'] or losses >= tonumber(maxLosses) or tonumber(hash['failures'] or 0) >= tonumber(maxFailures) then
  redis.call('HSET', run, 'givenUp', 1)
  tries = tries + 1
  verdict = tries > tonumber(maxTries) and 'drop' or 'give-up'
end
redis.call('HSET', run, 'state', 'running', 'starter', token, 'mark', checkpoints, 'losses', losses,
  'attempts', attempts, 'tries', tries, 'startedAt', hash['startedAt'] or now)
return { verdict, id, redis.call('HGETALL', run) }
