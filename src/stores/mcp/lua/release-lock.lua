-- Frees a lock, unless it has run out and is another's by now.
local lock = unpack(KEYS)
local token = unpack(ARGV)

if redis.call('GET', lock) == token then return redis.call('DEL', lock) end
return 0
