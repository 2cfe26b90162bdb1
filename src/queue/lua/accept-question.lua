-- Claims and stores a question, once. `askedSince` above 0: only in a thread where the bot was asked since then.
-- Returns what happened, the generation that must have a job ('' for none), and how many questions stand before one that is taken in.
local thread, inbox, run, event = unpack(KEYS)
local id, question, now, askedSince, ttlMs, eventTtlMs, hasEvent, runs = unpack(ARGV)

--- @include "insert-by-ts"

local active, asked, gen = unpack(redis.call('HMGET', thread, 'active', 'asked', 'gen'))
if redis.call('EXISTS', run, event) > 0 then return { 'duplicate', active or '' } end
if tonumber(askedSince) > 0 and (not asked or tonumber(asked) < tonumber(askedSince)) then
  return { 'unknown_thread', '' }
end
redis.call('HSET', run, 'question', question, 'state', 'waiting')
redis.call('PEXPIRE', run, ttlMs)
if hasEvent == '1' then redis.call('SET', event, 1, 'PX', eventTtlMs) end
local before = redis.call('LLEN', inbox)
insertByTs(inbox, id, runs)
redis.call('PEXPIRE', inbox, ttlMs)
if active then
  redis.call('HSET', thread, 'asked', now)
else
  -- As activateThread does; without `active` there is neither `begun` nor `lease`.
  active = tostring(tonumber(gen or 0) + 1)
  redis.call('HSET', thread, 'asked', now, 'gen', active, 'active', active)
end
redis.call('PEXPIRE', thread, ttlMs)
return { 'accepted', active, before }
