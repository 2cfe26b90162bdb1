-- The ts of the message that asked a question. Nil without a message.
local function tsIn(asked)
  local ts = type(asked) == 'table' and asked.ts
  return type(ts) == 'string' and tonumber(ts) or nil
end

-- The same of a stored question. Nil if it cannot be read.
local function tsOf(question)
  local isRead, asked = pcall(cjson.decode, question or '')
  return isRead and tsIn(asked) or nil
end

-- Puts a stored question into its thread's inbox, in the order of the messages. A late question, or an edited one that
-- is asked again, comes before later messages that have not begun.
-- Returns the number of questions before it.
local function insertByTs(inbox, id, runs)
  local ts, before = tsOf(redis.call('HGET', runs .. id, 'question')), nil
  local length = redis.call('RPUSH', inbox, id)
  for at = -2, ts and -length or 0, -1 do
    local other = redis.call('LINDEX', inbox, at)
    local question, attempts = unpack(redis.call('HMGET', runs .. other, 'question', 'attempts'))
    local otherTs = tsOf(question)
    if attempts or not otherTs or otherTs <= ts then break end
    before = other
  end
  if before then
    redis.call('LREM', inbox, -1, id)
    redis.call('LINSERT', inbox, 'BEFORE', before, id)
  end
  return length - 1
end
