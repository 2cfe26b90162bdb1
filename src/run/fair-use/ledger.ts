/**
 * What fair use is counted with: token buckets, and places for what may run at once. A bucket is kept as one number, the
 * moment at which it will be full again (the generic cell rate algorithm, ITU-T I.371): taking from it moves that moment
 * on, time passing lets it come nearer, and a full bucket need not be kept at all.
 *
 * A question comes in where each bucket holds a point, and takes from each, into debt if need be: one point where questions
 * are counted; of a budget what questions cost here on average, so that many at once do not all spend the same points. What
 * it has taken is written down under its id, and set right when its run has ended.
 */

export interface Bucket {
  /** Within the team: which limit, and whose. */
  key: string
  /** How long it takes to fill from empty, in ms. */
  windowMs: number
  /** How long one point of it takes, in ms. */
  pointMs: number
  /** What a question takes as it comes in; of a budget, as long as nothing is known of what questions cost. In points. */
  takes: number
  /** Within the team: where a budget keeps what questions cost. Absent where questions are counted. */
  mean?: string | undefined
}

/** Who asks to come in. */
export interface Entry {
  team: string
  /** Whoever comes again under an id that was let in is let in for nothing. */
  id: string
}

/** Why nobody comes in: the bucket that holds no whole point, and the ms until it does; or that no place is free. */
export type Obstacle<B extends Bucket> = { bucket: B; waitMs: number } | 'places'

export interface Ledger {
  /** Takes from the buckets and takes a place, or nothing of it where something stands against it. */
  admit<B extends Bucket>(entry: Entry, buckets: B[]): Promise<Obstacle<B> | undefined>
  /**
   * Gives the place back, and makes what the id has taken of each bucket `points`. Said again it changes nothing, except
   * that a budget is charged for what has been spent since.
   */
  settle(entry: Entry, costs: { bucket: Bucket; points: number }[]): Promise<void>
}

export interface Places {
  /** How many a team has; undefined where nobody counts. */
  max: number | undefined
  /** After so long a place lapses, because its worker must have died. Milliseconds. */
  lapseMs: number
}

/** How long an id is known, in ms: longer than a question waits for its turn. */
export const KNOWN_MS = 86_400_000

/** How long it is known what questions cost, after the last one. */
export const MEAN_MS = 30 * KNOWN_MS

/** The mean of what questions cost leans towards the latest: each moves it by this share of the difference. */
export const MEAN_SHARE = 0.1

/**
 * A debt is kept whole, whatever it is, but bars the next question for one window after it was last added to, and no
 * longer: by then the bucket counts as holding one point. The moment until which a bucket is kept that is changed now and full at `fullAt`.
 */
export const keptUntil = (fullAt: number, { windowMs, pointMs }: Bucket, now: number): number =>
  Math.min(fullAt, now + 2 * windowMs - pointMs)

/** What a question takes at first. Never more than a full bucket, or nobody would know when to come again. */
export const takenAtFirst = ({ takes, windowMs, pointMs }: Bucket, mean: number | undefined): number =>
  Math.min(mean ?? takes, windowMs / pointMs)

/** The ms until a bucket that is full at `fullAt` holds a whole point. A hair less is one: fractions lose a little. */
export function waitFor({ windowMs, pointMs }: Bucket, fullAt: number, now: number): number {
  const wait = Math.max(fullAt, now) + pointMs - windowMs - now
  return wait > pointMs / 1000 ? wait : 0
}
