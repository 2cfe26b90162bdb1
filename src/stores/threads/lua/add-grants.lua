-- Adds grants to those of a thread. A grant replaces an earlier one of the same person for the same tool, and the
-- newest are kept. `without`: the person whose grants are removed ('' for nobody).
local grants = unpack(KEYS)
local added, without, max, ttlMs = unpack(ARGV)

local given = cjson.decode(added)
local replaced = {}
for _, grant in ipairs(given) do
  replaced[cjson.encode({ grant.tool, grant.by })] = true
end

local kept = {}
local isReadable, before = pcall(cjson.decode, redis.call('GET', grants) or '[]')
if isReadable and type(before) == 'table' then
  for _, grant in ipairs(before) do
    local isKept = type(grant) == 'table' and grant.by ~= without
    if isKept and not replaced[cjson.encode({ grant.tool or '', grant.by or '' })] then
      table.insert(kept, grant)
    end
  end
end
for _, grant in ipairs(given) do
  table.insert(kept, grant)
end
while #kept > tonumber(max) do
  table.remove(kept, 1)
end
if #kept == 0 then return redis.call('DEL', grants) end
redis.call('SET', grants, cjson.encode(kept), 'PX', ttlMs)
return #kept
