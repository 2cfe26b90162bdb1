import type { Usage } from '../agent/types.ts'
import { totalOf } from '../agent/usage.ts'
import type { RedisClient } from '../redis.ts'
import { memoryRateLimiter } from './memory-rate-limiter.ts'
import type { Bucket, Entry, RateLimiter } from './rate-limiter.ts'
import { redisRateLimiter } from './redis-rate-limiter.ts'
import type { Question } from '../run/types.ts'

/** What fair use allows; what is left out is not limited. */
export interface LimitSettings {
  /** Questions. */
  userHour?: number | undefined
  channelHour?: number | undefined
  teamDay?: number | undefined
  userDayTokens?: number | undefined
  teamDayTokens?: number | undefined
  teamDayUsd?: number | undefined
  /** Questions at work at once. */
  teamRuns?: number | undefined
}

/** Why a question is not answered now. `resetsInMs` is undefined where it depends on others' work. */
export interface Refusal {
  limit: keyof LimitSettings
  allowed: number
  resetsInMs?: number
}

/** Fair use, counted over all processes that share a Redis (else in this one). */
export interface Limits {
  /**
   * Counts a question against all limits; or, if it is over one, says which, and counts it against none. From each budget it
   * sets aside what questions cost here on average. A question counts once, however often its run begins; from each call on
   * it holds a place among the team's runs at once.
   */
  admit(question: Question): Promise<Refusal | undefined>
  /**
   * A run has ended, with or without an answer: its place becomes free, and what it used is booked in place of what was set
   * aside. `refund`: nobody got an answer, so the question is not counted; what it used stays booked. May be called again.
   */
  release(question: Question, usage: Usage[], options?: { refund?: boolean | undefined }): Promise<void>
}

interface Rule {
  of: 'user' | 'channel' | 'team'
  windowMs: number
  /** What one unit of the setting is in points: dollars are counted in millionths. */
  scale: number
  /** What a question takes as it comes in; of a budget, until it is known what they cost here. In points. */
  takes: number
  /** What a run costs, in points; only budgets have it. */
  cost?: (usage: Usage[]) => number
}

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const MICRO = 1_000_000

const tokens = (usage: Usage[]) => totalOf(usage).tokens
const microDollars = (usage: Usage[]) => Math.round(totalOf(usage).costUsd * MICRO)

/** What a question is taken to cost before any has been seen: three steps with their observations, rather high than low. */
const FIRST_TOKENS = 5_000
const FIRST_USD = 0.01

const TOKENS = { windowMs: DAY_MS, scale: 1, takes: FIRST_TOKENS, cost: tokens }
const DOLLARS = { windowMs: DAY_MS, scale: MICRO, takes: FIRST_USD * MICRO, cost: microDollars }
const questions = (windowMs: number) => ({ windowMs, scale: 1, takes: 1 })

/** In the order in which they are checked; the first that a question is over is the one that it is refused for. */
const RULES: Record<Exclude<keyof LimitSettings, 'teamRuns'>, Rule> = {
  userDayTokens: { of: 'user', ...TOKENS },
  teamDayTokens: { of: 'team', ...TOKENS },
  teamDayUsd: { of: 'team', ...DOLLARS },
  userHour: { of: 'user', ...questions(HOUR_MS) },
  channelHour: { of: 'channel', ...questions(HOUR_MS) },
  teamDay: { of: 'team', ...questions(DAY_MS) },
}

export interface LimitsPlace {
  redis?: RedisClient | undefined
  prefix: string
  /** Longer than any run takes: a place that is held for longer belongs to a dead worker. Milliseconds. */
  runMs: number
  /** The clock where there is no Redis, in ms. */
  now?: () => number
}

/** Undefined where nothing is limited: then nothing is asked or paid for. */
export function createLimits(settings: LimitSettings, place: LimitsPlace): Limits | undefined {
  if (Object.values(settings).every((value) => value === undefined)) return undefined
  const { redis, prefix, runMs, now = Date.now } = place
  const slots = { max: settings.teamRuns, lapseMs: runMs }
  return new FairUse(settings, redis ? redisRateLimiter(slots, { redis, prefix }) : memoryRateLimiter(slots, now))
}

interface LimitBucket extends Bucket, Pick<Rule, 'cost'> {
  limit: keyof typeof RULES
  allowed: number
}

class FairUse implements Limits {
  readonly #settings: LimitSettings
  readonly #rateLimiter: RateLimiter

  constructor(settings: LimitSettings, rateLimiter: RateLimiter) {
    this.#settings = settings
    this.#rateLimiter = rateLimiter
  }

  async admit(question: Question): Promise<Refusal | undefined> {
    const obstacle = await this.#rateLimiter.admit(entryOf(question), bucketsOf(question, this.#settings))
    if (obstacle === 'slots') return { limit: 'teamRuns', allowed: this.#settings.teamRuns ?? 0 }
    if (!obstacle) return undefined
    const { limit, allowed } = obstacle.bucket
    return { limit, allowed, resetsInMs: obstacle.waitMs }
  }

  async release(question: Question, usage: Usage[], { refund = false } = {}): Promise<void> {
    const costs = bucketsOf(question, this.#settings).map((bucket) => ({ bucket, points: bucket.cost?.(usage) ?? 0 }))
    await this.#rateLimiter.release(
      entryOf(question),
      costs.filter(({ bucket }) => bucket.cost ?? refund),
    )
  }
}

function entryOf({ team, id }: Question): Entry {
  return { team, id }
}

function bucketsOf(question: Question, settings: LimitSettings): LimitBucket[] {
  return (Object.keys(RULES) as (keyof typeof RULES)[]).flatMap((limit) => {
    const { of, windowMs, scale, takes, cost } = RULES[limit]
    const allowed = settings[limit]
    if (allowed === undefined) return []
    const key = of === 'team' ? limit : `${limit}:${question[of]}`
    const mean = cost && `mean:${limit}`
    return [{ limit, allowed, key, windowMs, pointMs: windowMs / (allowed * scale), takes, mean, cost }]
  })
}
