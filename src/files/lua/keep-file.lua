-- Stores a file: its description, and its content under a second key. Both expire together.
local about, contents = unpack(KEYS)
local id, file, content, ttlMs = unpack(ARGV)

redis.call('HSET', about, id, file)
redis.call('HSET', contents, id, content)
redis.call('PEXPIRE', about, ttlMs)
redis.call('PEXPIRE', contents, ttlMs)
