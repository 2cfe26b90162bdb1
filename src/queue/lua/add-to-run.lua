-- Finds the run that a message of `user` is added to: that of the person's newest question under the same root. It must
-- have no answer, not be stopped, and be older than the message. Returns its id, or nil.
local function runToAddTo(inbox, given)
  local function tsOf(one) return string.match(one, ':(%d+%.%d+)$') end
  local line = redis.call('LRANGE', inbox, 0, -1)
  for at = #line, 1, -1 do
    local id = line[at]
    local question, answer, givenUp = unpack(redis.call('HMGET', given.runs .. id, 'question', 'answer', 'givenUp'))
    local asked = question and cjson.decode(question)
    if asked and asked.user == given.user and asked.thread == given.root then
      local ts, own = tsOf(given.id), tsOf(id)
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

-- Stores a message for a run and publishes it, as send-signal does. The message is claimed like a question, so that it
-- can become one if the run ends before reading it.
local function addToRun(thread, target, given)
  local run, signals = given.runs .. given.id, given.signals .. target
  redis.call('HSET', run, 'question', '{"wasAddition":true,' .. string.sub(given.question, 2), 'state', 'added')
  redis.call('RPUSH', signals, given.signal)
  for _, key in ipairs({ run, signals }) do redis.call('PEXPIRE', key, given.ttlMs) end
  redis.call('HSET', thread, 'told', 1)
  local ref = '{"thread":' .. cjson.encode(given.threadName) .. ',"id":' .. cjson.encode(target)
  redis.call('PUBLISH', given.channel, ref .. ',"signal":' .. given.signal .. '}')
end
