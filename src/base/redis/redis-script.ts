/**
 * Lua scripts: each is one atomic step in Redis, in a `.lua` file next to the code that uses it (`BOX/lua/`).
 *
 * A script begins by naming its keys and its arguments in the order in which they are sent. Further KEYS or ARGV are
 * the `rest`, which the script reads by index:
 *
 *     local thread, inbox, run = unpack(KEYS)
 *     local token, id, state, ttlMs = unpack(ARGV)
 *
 * A line `--- @include "NAME"` (BullMQ's notation) inserts NAME.lua from the same folder. `npm run build` copies the
 * files to dist/.
 */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RedisClient } from './redis.ts'

type ScriptValue = string | number

/** Keys and arguments after the named ones. */
interface Rest {
  keys?: string[]
  args?: ScriptValue[]
}

/** Runs a script on a connection, with a value for each of its names. Resolves to the script's result. */
type RedisScript<Key extends string, Arg extends string> = (
  redis: RedisClient,
  named: Record<Key, string> & Record<Arg, ScriptValue>,
  rest?: Rest,
) => Promise<unknown>

/**
 * Loads a script. `keys` and `args` are the names in the file, in any order. They are sent in the file's order. ioredis
 * sends a script in full on the first use of a socket, then by its hash, and in full again after NOSCRIPT.
 * @throws Error if the file is missing or names other keys or arguments
 */
export function redisScript<const Key extends string = never, const Arg extends string = never>(
  file: URL,
  names: { keys: readonly Key[]; args: readonly Arg[] },
): RedisScript<Key, Arg> {
  const lua = luaOf(file)
  const command = `thinkaloud:${basename(fileURLToPath(file), '.lua')}`
  const keys = inOrder(lua, 'KEYS', names.keys)
  const args = inOrder(lua, 'ARGV', names.args)
  return async (redis, named, rest = {}) => {
    if (!(command in redis)) redis.defineCommand(command, { lua })
    const allKeys = [...keys.map((key) => named[key]), ...(rest.keys ?? [])]
    const run: unknown = Reflect.get(redis, command)
    if (typeof run !== 'function') throw new TypeError(`ioredis has not defined ${command}.`)
    const result: unknown = await Reflect.apply(run, redis, [
      allKeys.length,
      ...allKeys,
      ...args.map((arg) => named[arg]),
      ...(rest.args ?? []),
    ])
    return result
  }
}

function luaOf(file: URL): string {
  const text = readFileSync(file, 'utf8')
  return text.replace(/^--- @include "([\w-]+)"$/gm, (_, name: string) =>
    readFileSync(new URL(`./${name}.lua`, file), 'utf8'),
  )
}

/** The names of KEYS or ARGV, in the script's order. */
function inOrder<Name extends string>(lua: string, table: 'KEYS' | 'ARGV', names: readonly Name[]): Name[] {
  const line = new RegExp(`^local ([\\w, ]+) = unpack\\(${table}\\)$`, 'm').exec(lua)?.[1]
  const written = line?.split(', ') ?? []
  const ordered = written.flatMap((name) => names.filter((one) => one === name))
  if (ordered.length !== names.length || ordered.length !== written.length)
    throw new Error(`A script names ${table} as ${written.join(', ')}, its caller as ${names.join(', ')}.`)
  return ordered
}
