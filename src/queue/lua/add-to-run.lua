-- Finds the run that a message of `user` is added to: that of the person's newest question under the same root. A user id
-- is unique only within a workspace (`userTeam`). The run must have no answer, not be stopped, and be older than the
-- message. Returns its id, or nil.
local function runToAddTo(inbox, given)
  local message = cjson.decode(given.question)
  local line = redis.call('LRANGE', inbox, 0, -1)
  for at = #line, 1, -1 do
    local id = line[at]
    local question, answer, givenUp = unpack(redis.call('HMGET', given.runs .. id, 'question', 'answer', 'givenUp'))
    local asked = question and cjson.decode(question)
    if asked and asked.user == given.user and asked.userTeam == message.userTeam and asked.thread == given.root then
      local ts, own = tsIn(message), tsIn(asked)
      if answer or givenUp or (ts and own and ts < own) then return nil end
      local sent = redis.call('LRANGE', given.signals .. id, 0, -1)
      if #sent >= tonumber(given.max) then return nil end
      for _, signal in ipairs(sent) do
        if cjson.decode(signal).type == 'stop' then return nil end
      end
      return id
    end
  end
end

-- Stores a signal for a run and publishes it, as send-signal does.
local function signalRun(target, signal, given)
  local signals = given.signals .. target
  redis.call('RPUSH', signals, signal)
  redis.call('PEXPIRE', signals, given.ttlMs)
  local ref = '{"thread":' .. cjson.encode(given.threadName) .. ',"id":' .. cjson.encode(target)
  redis.call('PUBLISH', given.channel, ref .. ',"signal":' .. signal .. '}')
end

-- Sends a message to a run. The message is claimed like a question, so that it can become one if the run ends before
-- reading it.
local function addToRun(thread, target, given)
  local run = given.runs .. given.id
  redis.call('HSET', run, 'question', '{"wasAddition":true,' .. string.sub(given.question, 2), 'state', 'added')
  redis.call('PEXPIRE', run, given.ttlMs)
  redis.call('HSET', thread, 'told', 1)
  signalRun(target, given.signal, given)
end
