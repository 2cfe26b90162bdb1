-- Keeps a person's feedback beside the record of a run, and for as long. Returns 0 where there is no record.
local record, feedback = unpack(KEYS)
local user, rating = unpack(ARGV)

local left = redis.call('PTTL', record)
if left <= 0 then return 0 end
redis.call('HSET', feedback, user, rating)
redis.call('PEXPIRE', feedback, left)
return 1
