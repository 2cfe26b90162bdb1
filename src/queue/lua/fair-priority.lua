-- Gives a thread's next job its place among all jobs: the start tag of start-time fair queuing (see
-- redis-fair-order.ts).
-- KEYS: the tags, the waiting questions, and BullMQ's job, prioritized, active, wait and delayed.
-- `entry` and `askedAt` (ms): a new question for the waiting questions, or ''.
-- `behind`: the amount added to the tag of a job whose question nobody waits for; 0 for people's questions. Such jobs
-- have their own places.
-- Returns the tag, or 0 if the job exists already.
--
-- The tags are a hash: each channel's last one, and the virtual time under the name `now`. They start again from 1 when
-- they are half-way to the highest number and no job is left. After about a day without questions the hash expires, and
-- the virtual time is taken from the jobs that still exist. Sometimes channels whose last tag is not ahead of the
-- virtual time are dropped: a new channel would get the same place.
--
-- A workspace has at most four jobs with one tag, however many channels it has: the fifth gets the next tag with room.
-- The hash has their numbers as `TEAM:@TAG`, and as `TEAM:@full` the tag up to which there is no room.
local tags, waiting, job, prioritized, active, wait, delayed = unpack(KEYS)
local channel, entry, askedAt, waitingTtlMs, tagsTtlMs, lastTag, behind = unpack(ARGV)

if entry ~= '' then
  redis.call('ZADD', waiting, askedAt, entry)
  redis.call('PEXPIRE', waiting, waitingTtlMs)
end
if redis.call('EXISTS', job) == 1 then return 0 end
if behind ~= '0' then channel = channel:gsub(':', ':later:', 1) end

local now, last = unpack(redis.call('HMGET', tags, 'now', channel))
local isNew = not now
now, last = tonumber(now or 0), tonumber(last or 0)
if now > lastTag / 2 and redis.call('EXISTS', prioritized, active, wait, delayed) == 0 then
  redis.call('DEL', tags)
  now, last, isNew = 0, 0, true
end
if now == 0 then
  local score = redis.call('ZRANGE', prioritized, 0, 0, 'WITHSCORES')[2]
  now = math.max(1, math.floor((score or 0) / 2 ^ 32))
end
local tag = math.min(math.max(now, last + 1), lastTag)
local team = channel:match('^[^:]*') .. (behind == '0' and ':@' or ':later:@')
local full = tonumber(redis.call('HGET', tags, team .. 'full') or 0)
local isNext = tag <= full + 1
if tag <= full then tag = full + 1 end
local taken = tonumber(redis.call('HGET', tags, team .. tag) or 0)
while taken >= 4 and tag < tonumber(lastTag) do
  if isNext then redis.call('HSET', tags, team .. 'full', tag) end
  tag = tag + 1
  taken = tonumber(redis.call('HGET', tags, team .. tag) or 0)
end
if (last == 0 or taken == 0) and redis.call('HLEN', tags) % 200 == 199 then
  local all = redis.call('HGETALL', tags)
  for i = 1, #all, 2 do
    local past = tonumber(all[i]:match(':@(%d+)$') or all[i + 1] - 1)
    if past < now then redis.call('HDEL', tags, all[i]) end
  end
  -- The hash, and with it the virtual time, disappears with its last field.
  isNew = true
end
redis.call('HSET', tags, 'now', now, channel, tag, team .. tag, taken + 1)
if isNew or tag % 16 == 0 then redis.call('PEXPIRE', tags, tagsTtlMs) end
return math.min(tag + behind, lastTag)
