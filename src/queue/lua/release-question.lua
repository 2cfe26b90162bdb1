-- Releases an unfinished question without counting a loss. Its job comes back. `failure` is the handler's error, or ''.
-- Returns the number of the handler's failures since the last checkpoint, or -1 if the lease is lost.
local thread, run = unpack(KEYS)
local token, failure = unpack(ARGV)

if redis.call('HGET', thread, 'lease') ~= token then return -1 end
redis.call('HDEL', thread, 'lease')
redis.call('HDEL', run, 'starter')
redis.call('HSET', run, 'state', 'waiting')
if (redis.call('HGET', run, 'checkpoints') or '0') ~= redis.call('HGET', run, 'mark') then
  redis.call('HDEL', run, 'losses', 'failures')
end
-- An attempt to dead-letter that was interrupted from outside is not counted.
if failure == '' and redis.call('HEXISTS', run, 'givenUp') == 1 then redis.call('HINCRBY', run, 'tries', -1) end
if failure == '' then return tonumber(redis.call('HGET', run, 'failures') or 0) end
redis.call('HSET', run, 'lastError', failure)
return redis.call('HINCRBY', run, 'failures', 1)
