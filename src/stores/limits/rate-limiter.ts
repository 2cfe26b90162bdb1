/**
 * Counts fair use, with token buckets, and slots for runs at once. usage-limits.ts defines the limits. A bucket is
 * stored as one number, the moment at which it is full again (the generic cell rate algorithm, ITU-T I.371): taking
 * points from it moves that moment later, the passing of time brings it nearer, and a full bucket is not stored at all.
 *
 * A question is admitted if every bucket holds a whole point. It then reserves points in each bucket, into debt if need
 * be: one point where questions are counted; in a budget the mean cost of a question, so that many questions at once do
 * not all spend the same points. What it reserved is stored under its id, and replaced by its real cost when its run
 * ends.
 */

export interface Bucket {
  /** Unique within the team: names the limit, and the user or channel. */
  key: string
  /** How long the bucket takes to fill from empty. Milliseconds. */
  windowMs: number
  /** How long one point takes to fill. Milliseconds. */
  pointMs: number
  /** The points that a question reserves; in a budget only until its mean cost is known. */
  reserve: number
  /** The key of the mean cost of a question in a budget, unique within the team. Absent if questions are counted. */
  mean?: string | undefined
}

/**
 * The parts of a `Question` that are needed here. An id that was admitted before is admitted again and reserves
 * nothing.
 */
export interface AdmittedQuestion {
  team: string
  id: string
}

/** The cost of a question in one bucket, in points. */
export interface Charge {
  bucket: Bucket
  points: number
}

/** Why a question is not admitted: a bucket holds no whole point and will in `waitMs`, or no slot is free. */
export type Obstacle<B extends Bucket> = { bucket: B; waitMs: number } | 'slots'

export interface RateLimiter {
  /** Reserves points in all buckets and takes a slot; or changes nothing and returns the obstacle. */
  admit<B extends Bucket>(entry: AdmittedQuestion, buckets: B[]): Promise<Obstacle<B> | undefined>
  /**
   * Frees the slot and charges `points` instead of the question's reservation. Calling it again changes nothing, except
   * that a budget is charged for new use.
   */
  release(entry: AdmittedQuestion, charges: Charge[]): Promise<void>
  /** Returns how long each bucket takes to be full again, in milliseconds; 0 for a full one. Changes nothing. */
  fillTimes(team: string, buckets: Bucket[]): Promise<number[]>
  /** Deletes the team's use and the slots that it holds. */
  forgetTeam(team: string): Promise<void>
}

export interface Slots {
  /** The number of a team's slots; undefined for no limit. */
  max: number | undefined
  /** A slot that is held for longer is free again, because its worker must have died. Milliseconds. */
  ttlMs: number
}

/**
 * How long a question's id is stored: longer than a question waits in the queue. The time that its run may wait for a
 * person is added. Milliseconds.
 */
export const QUESTION_TTL_MS = 86_400_000

/** How long a mean cost is stored after the last question that changed it. Milliseconds. */
export const MEAN_TTL_MS = 30 * QUESTION_TTL_MS

/** The mean cost is an exponential moving average: each question moves it by this share of the difference. */
export const MEAN_SMOOTHING = 0.1

/**
 * `fullAt` of a bucket that changes now, with its debt capped. A bucket may owe any number of points, but it bars the
 * next question for at most one window after its debt last grew: by then it counts as holding one point.
 */
export const capFullAt = (fullAt: number, { windowMs, pointMs }: Bucket, now: number): number =>
  Math.min(fullAt, now + 2 * windowMs - pointMs)

/**
 * The points that a question reserves: at most a full bucket, so that a reservation alone puts no full bucket into
 * debt.
 */
export const reservedPoints = ({ reserve, windowMs, pointMs }: Bucket, mean: number | undefined): number =>
  Math.min(mean ?? reserve, windowMs / pointMs)

/**
 * The ms until a bucket holds a whole point. `fullAt` is not in the past. A thousandth of a point may be missing,
 * because fractions are rounded.
 */
export function waitFor({ windowMs, pointMs }: Bucket, fullAt: number, now: number): number {
  const wait = fullAt + pointMs - windowMs - now
  return wait > pointMs / 1000 ? wait : 0
}
