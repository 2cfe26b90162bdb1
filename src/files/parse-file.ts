/**
 * Parses files to text, each in a process of its own. Few run at once, and people take turns. `parse-worker.ts` chooses
 * the parser of a type.
 */
import { BOUNDED_BY_KERNEL, parseInProcess, queryInProcess } from './parser-process.ts'
import { FairSlots } from './fair-slots.ts'
import type { QueryOutcome, TableQuery } from './tables/types.ts'
import { MEBIBYTE, type FileBytes, type ParseLimits, type ParseOutcome } from './types.ts'

/** Enough for 300 pages and for sheets of 100,000 rows. The bot and two readers together stay under 900 MB. */
export const PARSE_LIMITS: ParseLimits = {
  timeoutMs: 12_000,
  pageMs: 5000,
  questionMs: 30_000,
  memoryMb: 560,
  maxChars: 8_000_000,
  zip: { entries: 10_000, memberBytes: 96 * MEBIBYTE, totalBytes: 128 * MEBIBYTE, ratio: 250 },
}

export interface FileParser {
  /**
   * Never throws because of the file. Rejects with the signal's reason when it is aborted, and with an error if no
   * process can be started.
   */
  parse(file: FileBytes, signal?: AbortSignal): Promise<ParseOutcome>
  /** Answers SQL over tables, in a process and within the limits of a file. Rejects as `parse` does. */
  query(query: TableQuery, signal?: AbortSignal): Promise<QueryOutcome>
}

/**
 * Creates parsers that share a number of processes. `forQuestion` returns the parser of one question's files, which
 * share its time. `person` is the asker: one file of a person is parsed at a time. `now` is the clock, in ms.
 * @param atOnce how many files are parsed at a time; they share the memory evenly.
 * @param isBounded whether the kernel limits a process's memory; otherwise the process watches itself.
 */
export function createFileParsers({ limits = PARSE_LIMITS, atOnce = 2, isBounded = BOUNDED_BY_KERNEL } = {}) {
  const slots = new FairSlots(atOnce)
  const memoryMb = Math.floor(limits.memoryMb / atOnce)
  const seconds = Math.ceil(limits.questionMs / 1000)
  const tooLong = `The files of this question take more than ${seconds} seconds to read, so this one was not read.`
  return {
    forQuestion(person: string, now: () => number): FileParser {
      let left = limits.questionMs
      const inSlot = async <T>(signal: AbortSignal | undefined, work: () => Promise<T>) => {
        const release = await slots.take(person, signal)
        return work().finally(release)
      }
      return {
        parse: (file, signal) =>
          inSlot(signal, async () => {
            if (left <= 0) return { fault: tooLong }
            const from = now()
            const own = { ...limits, memoryMb, timeoutMs: Math.min(limits.timeoutMs, left) }
            const outcome = await parseInProcess(file, { limits: own, isBounded, signal, now })
            left -= now() - from
            return outcome
          }),
        query: (query, signal) =>
          inSlot(signal, () => queryInProcess(query, { limits: { ...limits, memoryMb }, isBounded, signal, now })),
      }
    },
  }
}

/** Shared by everything that reads files, so it bounds how many are parsed at once. */
export const fileParsers = createFileParsers()
