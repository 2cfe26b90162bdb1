-- Settles the messages that were added to a run (add-to-run), in the step that ends it.
-- `heard`: the ids of the messages that its steps contain, each between spaces. An unread message becomes a question,
-- unless people have stopped the run since. Messages added to an edited question go to the run that replaces it.
-- Returns the number of messages that became questions.
local function settleAdditions(keys, ids, ttlMs)
  local sent, stop, again, count = redis.call('LRANGE', keys.signals, 0, -1), false, nil, 0
  for i, text in ipairs(sent) do
    sent[i] = cjson.decode(text)
    sent[i].raw = text
    stop = stop or sent[i].type == 'stop'
    again = sent[i].withdrawn and sent[i].withdrawn.again or again
  end
  for _, signal in ipairs(sent) do
    local run = signal.type == 'message' and keys.runs .. signal.id
    if run and redis.call('HGET', run, 'state') == 'added' then
      if again then
        local others = string.sub(keys.signals, 1, -1 - #ids.run) .. again.id
        redis.call('RPUSH', others, signal.raw)
        redis.call('PEXPIRE', others, ttlMs)
      elseif stop or string.find(ids.heard, ' ' .. signal.id .. ' ', 1, true) then
        redis.call('HSET', run, 'state', 'done')
        redis.call('PEXPIRE', run, ttlMs)
      else
        redis.call('HSET', run, 'state', 'waiting')
        redis.call('LREM', keys.signals, 0, signal.raw)
        insertByTs(keys.inbox, signal.id, keys.runs)
        count = count + 1
      end
    end
  end
  return count
end
