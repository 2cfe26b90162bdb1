-- Ensures that a thread with questions in its inbox has a generation. `goneGen`: the generation whose job is known to
-- be gone and which gets a successor, or ''. Returns the generation that must have a job ('' for none).
local thread, inbox = unpack(KEYS)
local goneGen, ttlMs = unpack(ARGV)

--- @include "activate-thread"

if redis.call('LLEN', inbox) == 0 then return '' end
local active = redis.call('HGET', thread, 'active')
if not active or active == goneGen then active = activateThread(thread) end
redis.call('PEXPIRE', thread, ttlMs)
return active
