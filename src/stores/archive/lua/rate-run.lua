-- Stores a person's feedback beside the record of a run, with the same expiry. Returns 0 if there is no record.
local record, feedback = unpack(KEYS)
local user, rating = unpack(ARGV)

local left = redis.call('PTTL', record)
if left <= 0 then return 0 end
redis.call('HSET', feedback, user, rating)
redis.call('PEXPIRE', feedback, left)
return 1
