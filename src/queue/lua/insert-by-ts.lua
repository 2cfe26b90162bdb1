-- Puts a question into its thread's inbox, in the order of the messages. The message's ts is the third part of an id,
-- `team:channel:ts`; an edited one has the edit's ts after it. A late question, or an edited one that is asked again,
-- comes before later messages that have not begun.
-- Returns the number of questions before it.
local function insertByTs(inbox, id, runs)
  local function tsOf(one) return one and string.match(one, '^[^:]*:[^:]*:(%d+%.%d+)') end
  local length, ts, before = redis.call('RPUSH', inbox, id), tsOf(id), nil
  for at = -2, ts and -length or 0, -1 do
    local other = redis.call('LINDEX', inbox, at)
    if not tsOf(other) or tsOf(other) <= ts or redis.call('HEXISTS', runs .. other, 'attempts') == 1 then break end
    before = other
  end
  if before then
    redis.call('LREM', inbox, -1, id)
    redis.call('LINSERT', inbox, 'BEFORE', before, id)
  end
  return length - 1
end
