/**
 * What fair use is counted with: token buckets, and places for what may run at once. A bucket is kept as one number, the
 * moment at which it will be full again (the generic cell rate algorithm, ITU-T I.371): taking from it moves that moment
 * on, time passing lets it come nearer, and a full bucket need not be kept at all.
 */

export interface Bucket {
  /** Within the team: which limit, and whose. */
  key: string
  /** How long it takes to fill from empty, in ms. */
  windowMs: number
  /** How long one point of it takes, in ms. */
  pointMs: number
  /** A question takes a point as it comes in. Else it must only find one, and what its run has cost is taken at the end. */
  takes: boolean
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
  /** Gives the place back, and takes `points` from each bucket: once an id, and into debt if need be. */
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

/** No debt is greater than a full bucket, so that even the dearest question bars the next for one window at most. */
export const debtLimit = (bucket: Bucket, now: number): number => now + 2 * bucket.windowMs

/** The ms until a bucket that is full at `fullAt` holds a whole point. A hair less is one: fractions lose a little. */
export function waitFor({ windowMs, pointMs }: Bucket, fullAt: number, now: number): number {
  const wait = Math.max(fullAt, now) + pointMs - windowMs - now
  return wait > pointMs / 1000 ? wait : 0
}
