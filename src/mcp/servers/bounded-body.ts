/** Bounds a response's body: the size of a message, and the amount of unrequested data. */
import { ToolError } from '../../base/errors.ts'

/** Maximum size of one message of a server, in bytes, unpacked. */
export const MCP_MAX_BYTES = 5_000_000
/**
 * What a server may send in streams or on stdout between two of our messages. Lines are limited too, since each one
 * costs.
 */
const FLOOD = { bytes: 4 * MCP_MAX_BYTES, lines: 10_000 }

/** Counts what a server sends. `asked` resets the count because we sent something. */
export interface Intake {
  asked(): void
  /** @throws ToolError if it is too much */
  count(bytes: number, lines: number): void
}

export function createIntake(name: string): Intake {
  const unasked = { bytes: 0, lines: 0 }
  return {
    asked: () => void Object.assign(unasked, { bytes: 0, lines: 0 }),
    count(bytes, lines) {
      unasked.bytes += bytes
      unasked.lines += lines
      if (unasked.bytes > FLOOD.bytes || unasked.lines > FLOOD.lines)
        throw new ToolError(`${name} sends more than anybody asked it for.`)
    },
  }
}

export function tooLarge(name: string): ToolError {
  return new ToolError(`${name} sent more than ${MCP_MAX_BYTES / 1e6} MB at once, which is more than is taken.`)
}

const LINE_END = 10
const RETURN = 13

/**
 * Counts the bytes of each message: the whole body, or in an event stream from one empty line to the next.
 * @throws ToolError if a message is too large, or everything together is
 */
export function messageCounter(name: string, isEvents: boolean, intake: Intake): (chunk: Uint8Array) => void {
  let size = 0
  let lineSize = 0
  return (chunk) => {
    let from = 0
    let lines = 0
    for (let end = isEvents ? chunk.indexOf(LINE_END) : -1; end >= 0; end = chunk.indexOf(LINE_END, from)) {
      const isEmpty =
        lineSize + end - from === 0 || (lineSize + end - from === 1 && (end === 0 || chunk[end - 1] === RETURN))
      size = isEmpty ? 0 : size + end + 1 - from
      if (size > MCP_MAX_BYTES) throw tooLarge(name)
      lineSize = 0
      lines += 1
      from = end + 1
    }
    lineSize += chunk.length - from
    size += chunk.length - from
    if (size > MCP_MAX_BYTES) throw tooLarge(name)
    intake.count(chunk.length, lines)
  }
}
