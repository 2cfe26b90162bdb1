-- Puts a dead-lettered question back into its thread's inbox, and counts the retry: its outcome is then posted anew.
-- Returns the generation that must have a job, or '' if the run is not dead-lettered.
local thread, inbox, run = unpack(KEYS)
local id, ttlMs = unpack(ARGV)

--- @include "activate-thread"

if redis.call('HGET', run, 'state') ~= 'dead-lettered' then return '' end
redis.call('HSET', run, 'state', 'waiting', 'losses', 0, 'failures', 0, 'tries', 0)
redis.call('HDEL', run, 'givenUp')
redis.call('HINCRBY', run, 'retries', 1)
redis.call('RPUSH', inbox, id)
local active = redis.call('HGET', thread, 'active') or activateThread(thread)
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ttlMs) end
return active
