/**
 * What fair use is counted with: token buckets, and slots for what may run at once. A bucket is kept as one number, the
 * moment at which it will be full again (the generic cell rate algorithm, ITU-T I.371): taking from it moves that moment
 * on, time passing lets it come nearer, and a full bucket need not be kept at all.
 *
 * A question is let in if each bucket holds a point. It takes from each, into debt if need be: one point from a limit on
 * questions; from a budget what questions cost here on average, so that many at once do not all spend the same points. What
 * it took is recorded under its id, and corrected when its run has ended.
 */

export interface Bucket {
  /** Within the team: which limit, and whose. */
  key: string
  /** How long it takes to fill from empty, in ms. */
  windowMs: number
  /** How long one point of it takes, in ms. */
  pointMs: number
  /** Points that a question takes when it is let in; from a budget only until it is known what questions cost. */
  takes: number
  /** Within the team: where a budget keeps what questions cost. Absent where questions are counted. */
  mean?: string | undefined
}

/** Who asks to come in. */
export interface Entry {
  team: string
  /** An id that was let in before is let in again without taking anything. */
  id: string
}

/** Why a question is not let in: a bucket without a whole point, and the ms until it has one; or no place is free. */
export type Obstacle<B extends Bucket> = { bucket: B; waitMs: number } | 'slots'

export interface RateLimiter {
  /** Takes from the buckets and takes a place, or nothing of it where something stands against it. */
  admit<B extends Bucket>(entry: Entry, buckets: B[]): Promise<Obstacle<B> | undefined>
  /**
   * Gives the place back, and sets what the id has taken from each bucket to `points`. Calling it again changes nothing,
   * except that a budget is charged for what was spent since.
   */
  release(entry: Entry, costs: { bucket: Bucket; points: number }[]): Promise<void>
}

export interface Slots {
  /** How many a team has; undefined if they are not limited. */
  max: number | undefined
  /** After so long a place lapses, because its worker must have died. Milliseconds. */
  lapseMs: number
}

/** How long an id is known, in ms: longer than a question waits for its turn. */
export const KNOWN_MS = 86_400_000

/** How long it is known what questions cost, after the last one. */
export const MEAN_MS = 30 * KNOWN_MS

/** The mean cost of a question is an exponential moving average: each question moves it by this share of the difference. */
export const MEAN_SHARE = 0.1

/**
 * The moment until which a bucket is kept that is changed now and full at `fullAt`. A debt may be of any size, but it bars the
 * next question for at most one window after it last grew: by then the bucket counts as holding one point.
 */
export const keptUntil = (fullAt: number, { windowMs, pointMs }: Bucket, now: number): number =>
  Math.min(fullAt, now + 2 * windowMs - pointMs)

/** What a question takes at first: never more than a full bucket, or there would be no time at which it could be let in. */
export const takenAtFirst = ({ takes, windowMs, pointMs }: Bucket, mean: number | undefined): number =>
  Math.min(mean ?? takes, windowMs / pointMs)

/** The ms until a bucket that is full at `fullAt` holds a whole point. A hair less is one: fractions lose a little. */
export function waitFor({ windowMs, pointMs }: Bucket, fullAt: number, now: number): number {
  const wait = Math.max(fullAt, now) + pointMs - windowMs - now
  return wait > pointMs / 1000 ? wait : 0
}
