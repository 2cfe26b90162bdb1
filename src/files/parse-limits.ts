import type { ParseLimits } from './types.ts'

const MEBIBYTE = 1024 * 1024

/** Enough for 300 pages and for sheets of 100,000 rows. The bot and two readers together stay under 900 MB. */
export const PARSE_LIMITS: ParseLimits = {
  timeoutMs: 20_000,
  pageMs: 5000,
  questionMs: 30_000,
  memoryMb: 560,
  maxChars: 8_000_000,
  zip: { entries: 10_000, memberBytes: 96 * MEBIBYTE, totalBytes: 128 * MEBIBYTE, ratio: 250 },
}
