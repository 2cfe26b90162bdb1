/** Bounds a response's body: the size of a message, and the amount that may arrive unrequested. */
import { ToolError } from '../../base/errors.ts'

/** The maximum size of a server's message, unpacked. Bytes. */
export const MCP_MAX_BYTES = 5_000_000
/**
 * The maximum that a server may send in streams or on stdout between two of our messages, in bytes and in lines,
 * because each line costs time.
 */
const FLOOD = { bytes: 4 * MCP_MAX_BYTES, lines: 10_000 }

/** Counts a server's messages. `restart` is called when we send the server something. */
export interface Intake {
  restart(): void
  /** @throws ToolError if it is too much */
  count(bytes: number, lines: number): void
}

export function createIntake(name: string): Intake {
  const unrequested = { bytes: 0, lines: 0 }
  return {
    restart: () => void Object.assign(unrequested, { bytes: 0, lines: 0 }),
    count(bytes, lines) {
      unrequested.bytes += bytes
      unrequested.lines += lines
      if (unrequested.bytes > FLOOD.bytes || unrequested.lines > FLOOD.lines)
        throw new ToolError(`${name} sends too much unrequested data.`)
    },
  }
}

export function tooLarge(name: string): ToolError {
  return new ToolError(`${name} sent more than ${MCP_MAX_BYTES / 1e6} MB at once, which is too much.`)
}

const LINE_END = 10
const RETURN = 13

/**
 * Returns a counter of the bytes of each message: of the whole body, or in an event stream between two empty lines.
 * @throws ToolError for a message that is too large, or for too much in total
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
