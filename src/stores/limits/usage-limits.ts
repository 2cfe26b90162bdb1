/**
 * The limits for people, channels and teams: `RULES`, from `UsageLimitSettings`. The numbers are LIMIT_* and BUDGET_*
 * of config.ts; none is set by default. How they are counted: rate-limiter.ts.
 */
import type { Usage } from '../../agent/contracts/model.ts'
import { totalOf } from '../../agent/run-progress.ts'
import type { RedisClient } from '../../base/redis/redis.ts'
import { MemoryRateLimiter } from './memory-rate-limiter.ts'
import { personIn } from '../../base/place.ts'
import { QUESTION_TTL_MS, waitFor, type Bucket } from './rate-limiter.ts'
import { redisRateLimiter } from './redis-rate-limiter.ts'
import type { Question } from '../runs/types.ts'

/** The limits of fair use. One that is left out does not apply. */
export interface UsageLimitSettings {
  /** LIMIT_USER_HOUR: questions of a person in an hour. */
  userHour?: number | undefined
  /** LIMIT_CHANNEL_HOUR: questions in a channel in an hour. */
  channelHour?: number | undefined
  /** BUDGET_USER_DAY_TOKENS: tokens of a person in a day. */
  userDayTokens?: number | undefined
  /** BUDGET_TEAM_DAY_TOKENS: tokens of a team in a day. */
  teamDayTokens?: number | undefined
  /** BUDGET_TEAM_DAY_USD: dollars of a team in a day. */
  teamDayUsd?: number | undefined
  /** LIMIT_TEAM_RUNS: runs of a team at once. */
  teamRuns?: number | undefined
}

/**
 * Why a question is not answered now. `resetsInMs` is undefined for `teamRuns`: a slot is free when another run ends.
 * `freeHour`: free-requests.ts.
 */
export interface LimitRefusal {
  limit: keyof UsageLimitSettings | 'freeHour'
  allowed: number
  resetsInMs?: number
}

/** The rest of a limit, in the unit of its setting. */
export interface Allowance {
  limit: PersonLimit
  allowed: number
  left: number
  /** How long until another question is admitted; 0 if one is now. */
  nextInMs: number
  /** How long until the limit is whole again, if nothing more is used. */
  fullInMs: number
}

/** Fair use, counted over all processes that share a Redis; without Redis, in this process. */
export interface UsageLimits {
  /**
   * Counts a question against all limits, and reserves the mean cost of a question in each budget. If it exceeds a
   * limit, returns that limit and counts nothing. A question counts once, however often its run begins; each call takes
   * a slot for its run, or extends the one that it holds.
   */
  admit(question: Question): Promise<LimitRefusal | undefined>
  /**
   * Frees the slot of a run that has ended, with or without an answer, or was suspended, and charges its use instead of
   * its reservation. `refund`: nobody got an answer, so the question is not counted; its use stays charged. May be
   * called again, with the run's total use.
   */
  release(question: Question, usage: Usage[], options?: { refund?: boolean | undefined }): Promise<void>
  /** Returns the remaining allowances that apply to a person in every channel: the person's own, and the team's. */
  left(person: { team: string; user: string }): Promise<Allowance[]>
  /** Deletes the use of a team and its people. */
  forgetTeam(team: string): Promise<void>
}

interface Rule {
  of: 'user' | 'channel' | 'team'
  windowMs: number
  /** Points in one unit of the setting: a dollar is a million points. */
  scale: number
  /** Points that a question reserves; in a budget only until its mean is known. */
  reserve: number
  /** Returns the cost of a run, in points. Only budgets have it. */
  cost?: (usage: Usage[]) => number
}

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const MICRO = 1_000_000

const tokens = (usage: Usage[]) => totalOf(usage).tokens
const microDollars = (usage: Usage[]) => Math.round(totalOf(usage).costUsd * MICRO)

/**
 * The amount that a budget reserves for a question until one has been charged: about three steps with observations, a
 * generous estimate.
 */
const FIRST_TOKENS = 5_000
const FIRST_USD = 0.01

const TOKENS = { windowMs: DAY_MS, scale: 1, reserve: FIRST_TOKENS, cost: tokens }
const DOLLARS = { windowMs: DAY_MS, scale: MICRO, reserve: FIRST_USD * MICRO, cost: microDollars }
const questions = (windowMs: number) => ({ windowMs, scale: 1, reserve: 1 })

type BucketLimit = Exclude<keyof UsageLimitSettings, 'teamRuns'>
/** The limits that meet a person in every channel. */
type PersonLimit = Exclude<BucketLimit, 'channelHour'>

/** The limits in the order in which they are checked: a refusal names the first that the question exceeds. */
const RULES: Record<BucketLimit, Rule> = {
  userDayTokens: { of: 'user', ...TOKENS },
  teamDayTokens: { of: 'team', ...TOKENS },
  teamDayUsd: { of: 'team', ...DOLLARS },
  userHour: { of: 'user', ...questions(HOUR_MS) },
  channelHour: { of: 'channel', ...questions(HOUR_MS) },
}

interface UsageLimitsOptions {
  redis?: RedisClient | undefined
  prefix: string
  /** Longer than any run takes: a slot that is held for longer belongs to a dead worker. Milliseconds. */
  runMs: number
  /** How long a run may wait for a person: the reservation of its question is kept until then. Milliseconds. */
  suspendedMs?: number
  /** The clock in memory mode. Milliseconds. */
  now: () => number
}

/** @returns undefined if nothing is limited: a question then costs no call */
export function createUsageLimits(settings: UsageLimitSettings, options: UsageLimitsOptions): UsageLimits | undefined {
  if (Object.values(settings).every((value) => value === undefined)) return undefined
  const { redis, prefix, runMs, suspendedMs = 0, now } = options
  const questionTtlMs = QUESTION_TTL_MS + suspendedMs
  const slots = { max: settings.teamRuns, ttlMs: runMs }
  const rateLimiter = redis
    ? redisRateLimiter(slots, questionTtlMs, { redis, prefix })
    : new MemoryRateLimiter(slots, { now, questionTtlMs })

  return {
    async admit(question) {
      const obstacle = await rateLimiter.admit(question, bucketsOf(question, settings))
      if (obstacle === 'slots') return { limit: 'teamRuns', allowed: settings.teamRuns ?? 0 }
      if (!obstacle) return undefined
      const { limit, allowed } = obstacle.bucket
      return { limit, allowed, resetsInMs: obstacle.waitMs }
    },
    async release(question, usage, { refund = false } = {}) {
      const charges = bucketsOf(question, settings)
        .filter(({ cost }) => cost !== undefined || refund)
        .map((bucket) => ({ bucket, points: bucket.cost?.(usage) ?? 0 }))
      await rateLimiter.release(question, charges)
    },
    async left({ team, user }) {
      const met = bucketsOf({ team, user, channel: '' }, settings).filter(isPersons)
      const times = await rateLimiter.fillTimes(team, met)
      return met.map((bucket, i) => allowanceOf(bucket, times[i] ?? 0))
    },
    forgetTeam: (team) => rateLimiter.forgetTeam(team),
  }
}

/** A bucket may owe more than it holds: nothing is left then. */
function allowanceOf(bucket: PersonBucket, fullInMs: number): Allowance {
  const { limit, allowed, windowMs, pointMs } = bucket
  // As in `waitFor`, a thousandth of a point may be missing to a whole one.
  const points = Math.floor((windowMs - fullInMs) / pointMs + 0.001)
  const left = Math.max(0, points) / RULES[limit].scale
  return { limit, allowed, left, nextInMs: waitFor(bucket, fullInMs, 0), fullInMs }
}

interface LimitBucket extends Bucket, Pick<Rule, 'cost' | 'of'> {
  limit: BucketLimit
  allowed: number
}

interface PersonBucket extends LimitBucket {
  limit: PersonLimit
}

const isPersons = (bucket: LimitBucket): bucket is PersonBucket => bucket.limit !== 'channelHour'

type CountedBy = Pick<Question, 'team' | 'user' | 'userTeam' | 'channel'>

function bucketsOf(question: CountedBy, settings: UsageLimitSettings): LimitBucket[] {
  const subjects = { user: personIn(question), channel: question.channel }
  return (Object.keys(RULES) as BucketLimit[]).flatMap((limit) => {
    const { of, windowMs, scale, reserve, cost } = RULES[limit]
    const allowed = settings[limit]
    if (allowed === undefined) return []
    const key = of === 'team' ? limit : `${limit}:${subjects[of]}`
    const mean = cost && `mean:${limit}`
    return [{ limit, of, allowed, key, windowMs, pointMs: windowMs / (allowed * scale), reserve, mean, cost }]
  })
}
