-- Claims a post before it is sent: its field is empty until its ts is known.
-- Returns 'lost' where the lease is lost, 'fresh', 'unsure' where an earlier try may have been sent, or 'ts:' and the ts.
local thread, run = unpack(KEYS)
local token, post = unpack(ARGV)

if redis.call('HGET', thread, 'lease') ~= token then return 'lost' end
local ts = redis.call('HGET', run, post)
if not ts then
  redis.call('HSET', run, post, '')
  return 'fresh'
end
return ts == '' and 'unsure' or 'ts:' .. ts
