-- Frees a lock, unless it has expired and belongs to another holder.
local lock = unpack(KEYS)
local token = unpack(ARGV)

if redis.call('GET', lock) == token then return redis.call('DEL', lock) end
return 0
