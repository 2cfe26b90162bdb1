import { RateLimiterMemory, RateLimiterRedis, type RateLimiterAbstract, type RateLimiterRes } from 'rate-limiter-flexible'
import type { Usage } from '../agent/types.ts'
import type { RedisClient } from '../redis.ts'
import { Slots, type SlotStore } from './slots.ts'
import type { Question } from './types.ts'

/** What fair use allows; what is left out is not limited. */
export interface LimitSettings {
  userHour?: number | undefined
  channelHour?: number | undefined
  teamDay?: number | undefined
  userDayTokens?: number | undefined
  teamDayTokens?: number | undefined
  teamDayUsd?: number | undefined
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
  /** Counts a question in, or says which limit stands against it; then nothing is charged. */
  admit(question: Question): Promise<Refusal | undefined>
  /** Books what a run has used against the budgets. */
  book(question: Question, usage: Usage[]): Promise<void>
  /** Gives the place among the runs at once back. */
  leave(question: Question): Promise<void>
}

const HOUR_S = 3600
const DAY_S = 86_400
const MICRO = 1_000_000

interface Counter {
  limit: Exclude<keyof LimitSettings, 'teamRuns'>
  points: number
  limiter: RateLimiterAbstract
  keyOf(question: Question): string
}

const byUser = (q: Question) => `${q.team}:${q.user}`
const byChannel = (q: Question) => `${q.team}:${q.channel}`
const byTeam = (q: Question) => q.team

/** Undefined where nothing is limited: then nothing is asked or paid for. */
export function createLimits(
  settings: LimitSettings,
  place: { redis?: RedisClient | undefined; prefix: string; runMs: number },
): Limits | undefined {
  if (Object.values(settings).every((value) => value === undefined)) return undefined
  const make = (limit: Counter['limit'], options: { seconds: number; keyOf: Counter['keyOf']; scale?: number }): Counter[] => {
    const allowed = settings[limit]
    if (allowed === undefined) return []
    const points = Math.round(allowed * (options.scale ?? 1))
    return [{ limit, points, keyOf: options.keyOf, limiter: limiterOf(limit, { points, seconds: options.seconds, ...place }) }]
  }
  const questions = [
    ...make('userHour', { seconds: HOUR_S, keyOf: byUser }),
    ...make('channelHour', { seconds: HOUR_S, keyOf: byChannel }),
    ...make('teamDay', { seconds: DAY_S, keyOf: byTeam }),
  ]
  const budgets = [
    ...make('userDayTokens', { seconds: DAY_S, keyOf: byUser }),
    ...make('teamDayTokens', { seconds: DAY_S, keyOf: byTeam }),
    ...make('teamDayUsd', { seconds: DAY_S, keyOf: byTeam, scale: MICRO }),
  ]
  return new FairUse({ settings, questions, budgets, slots: slotsOf(settings, place) })
}

function limiterOf(limit: string, options: { points: number; seconds: number; redis?: RedisClient | undefined; prefix: string }): RateLimiterAbstract {
  const { points, seconds: duration, redis } = options
  const keyPrefix = `${options.prefix}:limit:${limit}`
  return redis ? new RateLimiterRedis({ storeClient: redis, points, duration, keyPrefix }) : new RateLimiterMemory({ points, duration, keyPrefix })
}

function slotsOf(settings: LimitSettings, place: SlotStore): Slots | undefined {
  return settings.teamRuns === undefined ? undefined : new Slots(settings.teamRuns, place)
}

class FairUse implements Limits {
  readonly #parts: { settings: LimitSettings; questions: Counter[]; budgets: Counter[]; slots: Slots | undefined }

  constructor(parts: { settings: LimitSettings; questions: Counter[]; budgets: Counter[]; slots: Slots | undefined }) {
    this.#parts = parts
  }

  async admit(question: Question): Promise<Refusal | undefined> {
    const { budgets, questions, slots, settings } = this.#parts
    for (const counter of budgets) {
      const state = await counter.limiter.get(counter.keyOf(question))
      if (state && state.consumedPoints >= counter.points) return this.#refusal(counter, state)
    }
    if (slots && !(await slots.enter(question.team, question.id))) return { limit: 'teamRuns', allowed: settings.teamRuns! }
    const charged: Counter[] = []
    for (const counter of questions) {
      const state = await consume(counter, question)
      charged.push(counter)
      if (state.consumedPoints <= counter.points) continue
      await Promise.all(charged.map((c) => c.limiter.reward(c.keyOf(question), 1)))
      await this.leave(question)
      return this.#refusal(counter, state)
    }
    return undefined
  }

  async book(question: Question, usage: Usage[]): Promise<void> {
    const tokens = usage.reduce((sum, u) => sum + u.inputTokens + u.outputTokens, 0)
    const microUsd = Math.round(usage.reduce((sum, u) => sum + (u.costUsd ?? 0), 0) * MICRO)
    for (const counter of this.#parts.budgets) {
      const points = counter.limit === 'teamDayUsd' ? microUsd : tokens
      if (points > 0) await counter.limiter.penalty(counter.keyOf(question), points)
    }
  }

  async leave(question: Question): Promise<void> {
    await this.#parts.slots?.leave(question.team, question.id)
  }

  #refusal({ limit }: Counter, state: RateLimiterRes): Refusal {
    return { limit, allowed: this.#parts.settings[limit]!, resetsInMs: Math.max(0, state.msBeforeNext) }
  }
}

/** The library throws its state where a limit is passed, and an Error where its store fails. */
async function consume({ limiter, keyOf }: Counter, question: Question): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(keyOf(question), 1)
  } catch (error) {
    if (error instanceof Error) throw error
    return error as RateLimiterRes
  }
}
