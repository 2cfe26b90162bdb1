/**
 * Parses files to text, each in a process of its own. Few run at once, and people take turns. `parse-worker.ts` chooses
 * the parser of a type.
 */
import { BOUNDED_BY_KERNEL, parseInProcess } from './parser-process.ts'
import { PARSE_LIMITS } from './parse-limits.ts'
import { FairSlots } from './fair-slots.ts'
import type { FileBytes, ParseOutcome } from './types.ts'

export interface FileParser {
  /**
   * Never throws because of the file. Rejects with the signal's reason when it is aborted, and with an error if no
   * process can be started.
   */
  parse(file: FileBytes, signal?: AbortSignal): Promise<ParseOutcome>
}

export interface FileParsers {
  /**
   * Returns the parser of one question's files, which share its time.
   * @param person the asker: one file of a person is parsed at a time
   * @param now the clock, in ms
   */
  forQuestion(person: string, now: () => number): FileParser
}

/**
 * @param atOnce how many files are parsed at a time; they share the memory evenly.
 * @param isBounded whether the kernel limits a process's memory; otherwise the process watches itself.
 */
export function createFileParsers({
  limits = PARSE_LIMITS,
  atOnce = 2,
  isBounded = BOUNDED_BY_KERNEL,
} = {}): FileParsers {
  const slots = new FairSlots(atOnce)
  const memoryMb = Math.floor(limits.memoryMb / atOnce)
  return {
    forQuestion: (person, now) => {
      let left = limits.questionMs
      const parse = async (file: FileBytes, signal?: AbortSignal): Promise<ParseOutcome> => {
        if (left <= 0) return { fault: tooLong(limits.questionMs) }
        const timeoutMs = Math.min(limits.timeoutMs, left)
        const from = now()
        const own = { ...limits, memoryMb, timeoutMs }
        const outcome = await parseInProcess(file, { limits: own, isBounded, signal, now })
        left -= now() - from
        return outcome
      }
      return {
        parse: async (file, signal) => {
          const giveBack = await slots.take(person, signal)
          return parse(file, signal).finally(giveBack)
        },
      }
    },
  }
}

function tooLong(ms: number): string {
  return `The files of this question take more than ${Math.ceil(ms / 1000)} seconds to read, so this one was not read.`
}
