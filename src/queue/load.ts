import { script, type RedisClient } from '../redis.ts'
import type { Question } from '../run/types.ts'

/** What is forgotten of a channel's load after a silence; it also mends what a crash left in it. Milliseconds. */
const LOAD_TTL_MS = 3_600_000

// A set of ids scored by their time, rather than a counter: entering or leaving twice counts once.
const enterScript = script(`
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2] - ARGV[3])
  redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return redis.call('ZCARD', KEYS[1])
`)

const leaveScript = script(`
  redis.call('ZREM', KEYS[1], ARGV[1])
  return redis.call('ZCARD', KEYS[1])
`)

/** How many questions of each channel wait or are worked on: what a fair turn is measured by. `PREFIX:{T:C}:load` */
export class ChannelLoad {
  readonly #redis: RedisClient
  readonly #prefix: string
  readonly #now: () => number

  constructor(options: { redis: RedisClient; prefix: string; now: () => number }) {
    this.#redis = options.redis
    this.#prefix = options.prefix
    this.#now = options.now
  }

  /** @returns the channel's load with this question in it. */
  async enter(question: Question): Promise<number> {
    return Number(await enterScript(this.#redis, [this.#key(question)], [question.id, this.#now(), LOAD_TTL_MS]))
  }

  /** @returns the channel's load without this question. */
  async leave(question: Question): Promise<number> {
    return Number(await leaveScript(this.#redis, [this.#key(question)], [question.id]))
  }

  #key({ team, channel }: Question): string {
    return `${this.#prefix}:{${team}:${channel}}:load`
  }
}
