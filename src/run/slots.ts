import { script, type RedisClient } from '../redis.ts'

/** Where places are kept: a Redis that all workers share, or this process. `runMs`: longer than any run can take. */
export interface SlotStore {
  redis?: RedisClient | undefined
  prefix: string
  runMs: number
}

/** Drops places whose run must be dead, then takes one if there is room (or holds it already). KEYS: set. ARGV: id, now, until, max. */
const ENTER = script(`
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
redis.call('PEXPIREAT', KEYS[1], ARGV[3])
return 1`)

/** At most so many runs of a team at once. A place is given back at the run's end, or lapses when its worker has died. */
export class Slots {
  readonly #max: number
  readonly #store: SlotStore
  readonly #local = new Map<string, Map<string, number>>()

  constructor(max: number, store: SlotStore) {
    this.#max = max
    this.#store = store
  }

  async enter(team: string, id: string): Promise<boolean> {
    const [now, until] = [Date.now(), Date.now() + this.#store.runMs]
    const { redis } = this.#store
    if (redis) return (await ENTER(redis, [this.#key(team)], [id, now, until, this.#max])) === 1
    const places = this.#local.get(team) ?? new Map<string, number>()
    for (const [other, end] of places) if (end <= now) places.delete(other)
    if (!places.has(id) && places.size >= this.#max) return false
    this.#local.set(team, places.set(id, until))
    return true
  }

  async leave(team: string, id: string): Promise<void> {
    const { redis } = this.#store
    if (redis) await redis.zrem(this.#key(team), id)
    const places = this.#local.get(team)
    places?.delete(id)
    if (places?.size === 0) this.#local.delete(team)
  }

  #key(team: string): string {
    return `${this.#store.prefix}:limit:teamRuns:${team}`
  }
}
