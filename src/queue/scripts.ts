/**
 * The atomic steps of the queue, in Lua. KEYS[1] is always the thread's hash and KEYS[2] its inbox (see run/keys.ts); a
 * run's key is made in the script from a prefix under the same hash tag. Times are milliseconds.
 *
 * Where Redis is out of memory it refuses the first write of a script that needs any, and then nothing of it happened.
 */
import { script } from '../redis.ts'

// Gives the thread to a new generation, which needs a job of its own.
const activate = `
  local function activate()
    local gen = redis.call('HINCRBY', KEYS[1], 'gen', 1)
    redis.call('HSET', KEYS[1], 'active', gen)
    redis.call('HDEL', KEYS[1], 'begun', 'lease')
    return tostring(gen)
  end
`

// Ids end in the message's ts. What Slack could not deliver at once comes late, and is put where it was said: before what was
// said after it, unless that has begun.
const enqueue = `
  local function enqueue(id, runs)
    local function said(one) return one and string.match(one, ':(%d+%.%d+)$') end
    local ts, before = said(id), nil
    for at = -1, ts and -redis.call('LLEN', KEYS[2]) or 0, -1 do
      local other = redis.call('LINDEX', KEYS[2], at)
      if not said(other) or said(other) < ts or redis.call('HEXISTS', runs .. other, 'attempts') == 1 then break end
      before = other
    end
    if before then redis.call('LINSERT', KEYS[2], 'BEFORE', before, id) else redis.call('RPUSH', KEYS[2], id) end
  end
`

/**
 * Takes a question in. KEYS: thread, inbox, run, event. ARGV: id, question, now, only where asked since, ttl, event ttl,
 * has event, prefix of runs. Returns what happened, and the generation that must have a job, if any.
 */
export const acceptScript = script(`
  ${activate}
  ${enqueue}
  local active = redis.call('HGET', KEYS[1], 'active')
  if redis.call('EXISTS', KEYS[3], KEYS[4]) > 0 then return { 'duplicate', active or '' } end
  local asked = redis.call('HGET', KEYS[1], 'asked')
  if tonumber(ARGV[4]) > 0 and (not asked or tonumber(asked) < tonumber(ARGV[4])) then return { 'unknown_thread', '' } end
  redis.call('HSET', KEYS[3], 'question', ARGV[2], 'state', 'waiting')
  redis.call('PEXPIRE', KEYS[3], ARGV[5])
  if ARGV[7] == '1' then redis.call('SET', KEYS[4], 1, 'PX', ARGV[6]) end
  enqueue(ARGV[1], ARGV[8])
  redis.call('PEXPIRE', KEYS[2], ARGV[5])
  redis.call('HSET', KEYS[1], 'asked', ARGV[3])
  if not active then active = activate() end
  redis.call('PEXPIRE', KEYS[1], ARGV[5])
  return { 'accepted', active }
`)

/**
 * Begins a turn: takes the lease for generation ARGV[1], whose job is started for the ARGV[2]th time. ARGV further: prefix
 * of runs, now, ttl, losses, failures and tries of giving up that are too many.
 *
 * BullMQ counts the starts of a job, and that count is the fencing token: a worker that was frozen between getting the
 * job and coming here has an older one than whoever got the job after it.
 * Returns { 'stale', active } where another generation or a later start has the thread, { 'empty' } where nothing waits,
 * or { 'work' | 'give-up' | 'drop', id, the run's hash }.
 */
export const beginScript = script(`
  local active, begun = unpack(redis.call('HMGET', KEYS[1], 'active', 'begun'))
  if active ~= ARGV[1] then return { 'stale', active or '' } end
  if begun and tonumber(begun) > tonumber(ARGV[2]) then return { 'stale', active } end

  local id = redis.call('LINDEX', KEYS[2], 0)
  while id and redis.call('HEXISTS', ARGV[3] .. id, 'question') == 0 do
    redis.call('LPOP', KEYS[2])
    id = redis.call('LINDEX', KEYS[2], 0)
  end
  if not id then
    redis.call('HDEL', KEYS[1], 'active', 'begun', 'lease')
    return { 'empty' }
  end

  local run, token = ARGV[3] .. id, ARGV[1] .. '.' .. ARGV[2]
  redis.call('HSET', KEYS[1], 'begun', ARGV[2], 'lease', token)
  for _, key in ipairs({ KEYS[1], KEYS[2], run }) do redis.call('PEXPIRE', key, ARGV[5]) end

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
  -- Once decided it stays so, whatever of saying it is saved: people may have read it already.
  if hash['givenUp'] or losses >= tonumber(ARGV[6]) or tonumber(hash['failures'] or 0) >= tonumber(ARGV[7]) then
    redis.call('HSET', run, 'givenUp', 1)
    tries = tries + 1
    verdict = tries > tonumber(ARGV[8]) and 'drop' or 'give-up'
  end
  redis.call('HSET', run, 'state', 'running', 'starter', token, 'mark', checkpoints, 'losses', losses,
    'attempts', attempts, 'tries', tries, 'startedAt', hash['startedAt'] or ARGV[4])
  return { verdict, id, redis.call('HGETALL', run) }
`)

/**
 * Ends a turn. KEYS: thread, inbox, run. ARGV: token, id, state, the run's ttl from now on. Returns { 'lost' | 'ok', the
 * generation that must have a job, if any }: in one step with the look at the inbox, so no question is overlooked.
 */
export const finishScript = script(`
  ${activate}
  local lease, active = unpack(redis.call('HMGET', KEYS[1], 'lease', 'active'))
  if lease ~= ARGV[1] then return { 'lost', active or '' } end
  if redis.call('LINDEX', KEYS[2], 0) == ARGV[2] then redis.call('LPOP', KEYS[2]) end
  redis.call('HDEL', KEYS[3], 'starter')
  redis.call('HSET', KEYS[3], 'state', ARGV[3])
  redis.call('PEXPIRE', KEYS[3], ARGV[4])
  if redis.call('LLEN', KEYS[2]) > 0 then return { 'ok', activate() } end
  redis.call('HDEL', KEYS[1], 'active', 'begun', 'lease')
  return { 'ok', '' }
`)

/**
 * Puts a turn down unfinished, without counting a loss: the job comes back. KEYS: thread, inbox, run. ARGV: token, the
 * error where the handler failed, else nothing. Returns how often the handler has failed since the last checkpoint, or -1 when
 * the lease is lost.
 */
export const releaseScript = script(`
  if redis.call('HGET', KEYS[1], 'lease') ~= ARGV[1] then return -1 end
  redis.call('HDEL', KEYS[1], 'lease')
  redis.call('HDEL', KEYS[3], 'starter')
  redis.call('HSET', KEYS[3], 'state', 'waiting')
  if (redis.call('HGET', KEYS[3], 'checkpoints') or '0') ~= redis.call('HGET', KEYS[3], 'mark') then
    redis.call('HDEL', KEYS[3], 'losses', 'failures')
  end
  -- A try of giving up that was cut off by no fault of its own is none.
  if ARGV[2] == '' and redis.call('HEXISTS', KEYS[3], 'givenUp') == 1 then redis.call('HINCRBY', KEYS[3], 'tries', -1) end
  if ARGV[2] == '' then return tonumber(redis.call('HGET', KEYS[3], 'failures') or 0) end
  redis.call('HSET', KEYS[3], 'lastError', ARGV[2])
  return redis.call('HINCRBY', KEYS[3], 'failures', 1)
`)

/**
 * Makes sure that a thread whose inbox is not empty has a generation. ARGV: the generation whose job is known to be gone
 * (it gets a successor), or nothing; ttl. Returns the generation that must have a job, if any.
 */
export const reviveScript = script(`
  ${activate}
  if redis.call('LLEN', KEYS[2]) == 0 then return '' end
  local active = redis.call('HGET', KEYS[1], 'active')
  if not active or active == ARGV[1] then active = activate() end
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return active
`)

/**
 * Puts a question that was given up into its inbox again, and counts that: how it ends is then said anew. KEYS: thread, inbox,
 * run. ARGV: id, ttl. Returns the generation that must have a job, or nothing when the run is not a given-up one.
 */
export const retryScript = script(`
  ${activate}
  if redis.call('HGET', KEYS[3], 'state') ~= 'given-up' then return '' end
  redis.call('HSET', KEYS[3], 'state', 'waiting', 'losses', 0, 'failures', 0, 'tries', 0)
  redis.call('HDEL', KEYS[3], 'givenUp')
  redis.call('HINCRBY', KEYS[3], 'retries', 1)
  redis.call('RPUSH', KEYS[2], ARGV[1])
  local active = redis.call('HGET', KEYS[1], 'active') or activate()
  for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ARGV[2]) end
  return active
`)
