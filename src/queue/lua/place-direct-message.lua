-- Decides which conversation a direct message belongs to. The decision about a message is kept. `root`: the ts of the
-- root of the question's thread. `isTopLevel` '1': the message is that root. Returns the conversation's first ts.
local conversation, current = unpack(KEYS)
local root, isTopLevel, windowS, ttlMs = unpack(ARGV)

local first = redis.call('GET', conversation)
if first then
  redis.call('PEXPIRE', conversation, ttlMs)
  return first
end
first = root
if isTopLevel == '1' then
  local begin, last = unpack(redis.call('HMGET', current, 'first', 'last'))
  local at, window = tonumber(root), tonumber(windowS)
  if last and window > 0 and at >= tonumber(begin) - window and at <= tonumber(last) + window then first = begin end
  if not last or at > tonumber(last) then
    redis.call('HSET', current, 'first', first, 'last', root)
    redis.call('PEXPIRE', current, ttlMs)
  end
end
redis.call('SET', conversation, first, 'PX', ttlMs)
return first
