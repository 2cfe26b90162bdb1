-- Begins the work on a thread's first question, one at a time (insert-by-ts.lua orders them). Takes the lease for
-- generation `gen`, whose job is started for the `starts`th time. A question with `maxLosses` losses or `maxFailures`
-- failures is dead-lettered. After `maxTries` tries of telling people so, it is dropped.
--
-- BullMQ counts the starts of a job, and that count is the fencing token: a worker that was frozen between getting the
-- job and coming here has an older one than whoever got the job after it.
--
-- Returns { 'stale', active } if another generation or a later start has the thread, { 'empty' } if nothing waits, or
-- { 'work' | 'give-up' | 'drop', id, the run's hash }.
local thread, inbox = unpack(KEYS)
local gen, starts, runs, now, ttlMs, maxLosses, maxFailures, maxTries = unpack(ARGV)

local active, begun = unpack(redis.call('HMGET', thread, 'active', 'begun'))
if active ~= gen then return { 'stale', active or '' } end
if begun and tonumber(begun) > tonumber(starts) then return { 'stale', active } end

local id, hash
repeat
  hash = {}
  id = redis.call('LINDEX', inbox, 0)
  local fields = id and redis.call('HGETALL', runs .. id) or {}
  for i = 1, #fields, 2 do hash[fields[i]] = fields[i + 1] end
  local isGone = id and not hash['question']
  if isGone then redis.call('LPOP', inbox) end
until not isGone
if not id then
  redis.call('HDEL', thread, 'active', 'begun', 'lease')
  return { 'empty' }
end

local run, token = runs .. id, gen .. '.' .. starts
redis.call('HSET', thread, 'begun', starts, 'lease', token)

local checkpoints = tonumber(hash['checkpoints'] or 0)

-- If `starter` is still there, the previous worker never reported an end. Without a new checkpoint that is one more
-- loss in a row.
local losses = tonumber(hash['losses'] or 0)
local starter = hash['starter'] or ''
if starter ~= '' and starter ~= token then
  losses = tonumber(hash['mark'] or 0) == checkpoints and losses + 1 or 1
end
local attempts = tonumber(hash['attempts'] or 0)
if starter ~= token then attempts = attempts + 1 end
local verdict, tries = 'work', tonumber(hash['tries'] or 0)
-- The decision to dead-letter is final, even if posting the notice was interrupted, because people may have read it.
if hash['givenUp'] or losses >= tonumber(maxLosses) or tonumber(hash['failures'] or 0) >= tonumber(maxFailures) then
  hash['givenUp'] = '1'
  tries = tries + 1
  verdict = tries > tonumber(maxTries) and 'drop' or 'give-up'
end

local changes = { state = 'running', starter = token, mark = checkpoints, losses = losses, attempts = attempts,
  tries = tries, startedAt = hash['startedAt'] or now, givenUp = hash['givenUp'] }
local writes, all = {}, {}
for field, value in pairs(changes) do
  writes[#writes + 1], writes[#writes + 2] = field, value
  hash[field] = tostring(value)
end
redis.call('HSET', run, unpack(writes))
-- The reply contains what resumed the run.
if hash['woken'] then redis.call('HDEL', run, 'woken') end
-- The deadline was set when the question was accepted. Only a question that was tried before may have used much of it.
if attempts > 1 then
  for _, key in ipairs({ thread, inbox, run }) do redis.call('PEXPIRE', key, ttlMs) end
end
for field, value in pairs(hash) do all[#all + 1], all[#all + 2] = field, value end
return { verdict, id, all }
