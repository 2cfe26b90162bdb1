-- Appends a turn to a thread's history, unless the history has a turn with this id. A turn's JSON begins with its id
-- (`beginning`), so the turns need not be decoded to compare ids. Returns 1 if the turn was appended, else 0.
local history = unpack(KEYS)
local turn, beginning, maxTurns, ttlMs = unpack(ARGV)

local turns = redis.call('LRANGE', history, 0, -1)
for _, kept in ipairs(turns) do
  if string.sub(kept, 1, #beginning) == beginning then return 0 end
end
redis.call('RPUSH', history, turn)
if #turns >= tonumber(maxTurns) then redis.call('LTRIM', history, -tonumber(maxTurns), -1) end
redis.call('PEXPIRE', history, ttlMs)
return 1
