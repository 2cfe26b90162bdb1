-- Claims and stores a question once. Repeated deliveries are recognised by the ids of the message and the event.
-- `askedSince` above 0: only in a thread where the bot was asked since then.
-- `signal` (unless ''): the question as an addition to a run of the same `user` in the thread. If there is such a run,
-- it gets the addition, and no question is stored.
-- `parts` (unless ''): a signal to the run of the question if that is known already.
-- `onlyAdds` '1': without such a run nothing is stored.
-- Returns what happened, the generation that must have a job ('' for none), and the number of questions before an
-- accepted one.
local thread, inbox, run, event = unpack(KEYS)
local id, question, now, askedSince, ttlMs, eventTtlMs, hasEvent, runs, signal, onlyAdds, user, root, threadName, signals, channel, max, parts = unpack(ARGV)

--- @include "insert-by-ts"
--- @include "add-to-run"

-- `asks` is the number of questions that were asked in the thread and not refused.
local active, asked, gen, asks = unpack(redis.call('HMGET', thread, 'active', 'asked', 'gen', 'asks'))
asks = tonumber(asks or 0)
local given = { id = id, question = question, ttlMs = ttlMs, runs = runs, signal = signal, user = user, root = root,
  threadName = threadName, signals = signals, channel = channel, max = max }
if redis.call('EXISTS', run, event) > 0 then
  if parts ~= '' then signalRun(id, parts, given) end
  return { 'duplicate', active or '' }
end
if signal ~= '' and active then
  local target = runToAddTo(inbox, given)
  if target then
    addToRun(thread, target, given)
    if hasEvent == '1' then redis.call('SET', event, 1, 'PX', eventTtlMs) end
    return { 'added', '' }
  end
end
if onlyAdds == '1' or (tonumber(askedSince) > 0 and (not asked or tonumber(asked) < tonumber(askedSince) or asks < 1)) then
  return { 'unknown_thread', '' }
end
redis.call('HSET', run, 'question', question, 'state', 'waiting')
redis.call('PEXPIRE', run, ttlMs)
if hasEvent == '1' then redis.call('SET', event, 1, 'PX', eventTtlMs) end
local before = insertByTs(inbox, id, runs)
redis.call('PEXPIRE', inbox, ttlMs)
if active then
  redis.call('HSET', thread, 'asked', now, 'asks', asks + 1)
else
  -- Like activateThread. Without `active` there is neither `begun` nor `lease`.
  active = tostring(tonumber(gen or 0) + 1)
  redis.call('HSET', thread, 'asked', now, 'asks', asks + 1, 'gen', active, 'active', active)
end
redis.call('PEXPIRE', thread, ttlMs)
return { 'accepted', active, before }
