const DAY_MS = 86_400_000

/** The settings of a queue, in memory and in Redis. Times are in milliseconds. */
export interface QueueSettings {
  /** REDIS_PREFIX: before every key in Redis. */
  prefix: string
  /** ROLE: `front` only accepts questions, `worker` only answers them. */
  role: 'all' | 'front' | 'worker'
  /** WORKER_CONCURRENCY: questions answered at once by this process, each of another thread. */
  concurrency: number
  now: () => number
  random: () => number
  /** The time limit of accept(). Slack then learns in time that it must deliver again. */
  acceptMs: number
  /** HISTORY_TTL_DAYS: how long a thread in which the bot was asked stays known. */
  knownTtlMs: number
  /**
   * DM_MEMORY_MINUTES: top-level messages of a direct message at most this far apart are one conversation. 0: each is
   * its own.
   */
  dmMemoryMs: number
  /** How long a finished run is kept. A redelivery of its question is recognised for as long. */
  doneTtlMs: number
  /** The same for a dead-lettered run, for inspection. Waiting questions are kept at least as long. */
  deadLetterTtlMs: number
  /**
   * Workers lost in a row without a new checkpoint, and failures of the handler, after which a run is dead-lettered.
   */
  maxLosses: number
  maxFailures: number
  /** How often a queue tries to tell a thread that its question was dead-lettered. */
  maxDeadLetterTries: number
  /** The first pause after a failure of the handler; it doubles. */
  backoffMs: number
  /**
   * WORKER_LOCK_MS: how long a worker holds a job without renewing it. Another worker takes a dead one's job after that
   * plus at most twice `stalledMs`.
   */
  lockMs: number
  /** A third of WORKER_LOCK_MS: how often workers look for jobs of dead workers. */
  stalledMs: number
  /** The interval between two sweeps, over all workers. */
  sweepMs: number
  /** APPROVAL_HOURS: how long a step of a run may wait for a person. */
  suspendedMs: number
  /** How long an aborted handler has to end before it is no longer waited for. */
  graceMs: number
  /**
   * The time that a worker waits after a take-over before it looks up posts that the previous one may still be sending.
   * Must be longer than `SURE_MS` (redis-run.ts), for which a checked lease counts as held, and than a post usually
   * takes.
   */
  settleMs: number
}

/** Only the clock has no default. */
export interface GivenQueueSettings extends Partial<QueueSettings> {
  now: () => number
}

const DEFAULTS: Omit<QueueSettings, 'now'> = {
  // For tests: the bot takes these values from config.ts.
  prefix: 'thinkaloud',
  role: 'all',
  concurrency: 20,
  knownTtlMs: 30 * DAY_MS,
  dmMemoryMs: 3_600_000,
  suspendedMs: DAY_MS,
  lockMs: 15_000,
  stalledMs: 5_000,
  // These numbers are not settings.
  random: Math.random,
  acceptMs: 1_500,
  doneTtlMs: DAY_MS,
  deadLetterTtlMs: 7 * DAY_MS,
  maxLosses: 3,
  maxFailures: 3,
  maxDeadLetterTries: 3,
  backoffMs: 1_000,
  sweepMs: 60_000,
  graceMs: 2_000,
  settleMs: 1_500,
}

export function queueSettings(given: GivenQueueSettings): QueueSettings {
  return { ...DEFAULTS, ...given }
}
