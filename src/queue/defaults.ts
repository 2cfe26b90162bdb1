const DAY_MS = 86_400_000

/** How many times a queue tries to tell a thread that its question was given up. */
export const GIVE_UP_TRIES = 3

/** The defaults of a queue in Redis; RedisQueueOptions says what each one is. */
export const QUEUE_DEFAULTS = {
  prefix: 'thinkaloud',
  role: 'all',
  concurrency: 20,
  now: Date.now,
  random: Math.random,
  acceptMs: 1_500,
  knownTtlMs: 30 * DAY_MS,
  dmMemoryMs: 3_600_000,
  doneTtlMs: DAY_MS,
  givenUpTtlMs: 7 * DAY_MS,
  parkedMs: DAY_MS,
  maxLosses: 3,
  maxFailures: 3,
  backoffMs: 1_000,
  lockMs: 15_000,
  stalledMs: 5_000,
  sweepMs: 60_000,
  graceMs: 2_000,
} as const
