-- Removes a waiting question from its thread's inbox. Only its id is kept, so that a repeated delivery is recognised. A job that finds the inbox empty ends the thread's turn.
-- `neverBegun` '1': a question that waits for its next try stays.
-- Returns 1, or 0 if the question does not wait.
local inbox, run = unpack(KEYS)
local id, ttlMs, neverBegun = unpack(ARGV)

if redis.call('HGET', run, 'state') ~= 'waiting' then return 0 end
if neverBegun == '1' and redis.call('HEXISTS', run, 'attempts') == 1 then return 0 end
if redis.call('LREM', inbox, 1, id) == 0 then return 0 end
redis.call('DEL', run)
redis.call('HSET', run, 'state', 'done')
redis.call('PEXPIRE', run, ttlMs)
return 1
