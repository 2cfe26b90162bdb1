-- Replaces a turn by another; an empty `after` removes it. A turn that is gone is not replaced.
local history = unpack(KEYS)
local before, after = unpack(ARGV)

local turns = redis.call('LRANGE', history, 0, -1)
for i, turn in ipairs(turns) do
  if turn == before then
    if after == '' then return redis.call('LREM', history, 1, before) end
    redis.call('LSET', history, i - 1, after)
    return 1
  end
end
return 0
