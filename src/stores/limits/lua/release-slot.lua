-- Frees a question's slot, and charges its cost instead of its reservation.
-- The rest of KEYS is as in admit-question.lua.
-- The rest of ARGV: for each bucket windowMs, pointMs and the cost in points. `settled` in the stored record: the
-- question was charged before, so a budget is charged only for the difference.
local question, slots = unpack(KEYS)
local id, questionTtlMs, meanTtlMs, meanSmoothing = unpack(ARGV)

--- @include "bucket-clock"

redis.call('ZREM', slots, id)
local taken = cjson.decode(redis.call('GET', question) or '{}')
for n = 1, (#KEYS - 2) / 2 do
  local key, mean = KEYS[2 * n + 1], KEYS[2 * n + 2]
  local window, point, cost = tonumber(ARGV[3 * n + 2]), tonumber(ARGV[3 * n + 3]), tonumber(ARGV[3 * n + 4])
  local before, isBudget = taken[key] or 0, mean ~= key
  if isBudget and taken.settled then cost = math.max(cost, before) end
  setFullAt(key, fullAt(key) + (cost - before) * point, window, point)
  taken[key] = cost
  if isBudget and not taken.settled and cost > 0 then
    local known = tonumber(redis.call('GET', mean) or cost)
    redis.call('SET', mean, string.format('%.3f', known + (cost - known) * meanSmoothing), 'PX', meanTtlMs)
  end
end
taken.settled = true
redis.call('SET', question, cjson.encode(taken), 'PX', questionTtlMs)
