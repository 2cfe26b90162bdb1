import type { ParseLimits } from './types.ts'

const MEBIBYTE = 1024 * 1024

/** Enough for 300 pages and for sheets of 100,000 rows, and safe beside a bot in a container of a gigabyte. */
export const PARSE_LIMITS: ParseLimits = {
  timeoutMs: 20_000,
  heapMb: 256,
  memoryMb: 512,
  maxChars: 8_000_000,
  zip: { entries: 10_000, memberBytes: 96 * MEBIBYTE, totalBytes: 128 * MEBIBYTE, ratio: 250 },
}
