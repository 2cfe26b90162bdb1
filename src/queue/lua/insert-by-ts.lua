-- Puts a question into its thread's inbox. The message's ts is the third part of an id, `team:channel:ts`; one that
-- was edited has its edit's behind that. What comes late, and what is asked again as it was edited, is put where it
-- was said: before what was said after it, unless that has begun. Returns how many were in the inbox before it.
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
