const LINE_END = 10
/** A buffer that is kept for the next line. Bytes. */
const SMALL = 100_000

interface LineReader {
  /** Called with each line that is not empty. */
  onLine(line: string): void
  maxBytes: number
  /** Returns the error for a line that is too long. Without it, the rest of such a line is dropped. */
  tooLarge?(): Error
  /** Called with all data before it is read. @throws if it is too much */
  count?(bytes: number, lines: number): void
  /** Called once with the error about too much; nothing is read after it. */
  onError?(error: unknown): void
}

/** Splits chunks of UTF-8 into lines of at most `maxBytes`. */
export function lineReader(reader: LineReader): (chunk: Buffer) => void {
  let held: Buffer = Buffer.alloc(0)
  let size = 0
  let isOver = false

  const add = (part: Buffer) => {
    if (size + part.length > reader.maxBytes && reader.tooLarge) throw reader.tooLarge()
    const taken = part.subarray(0, reader.maxBytes - size)
    // Doubled each time: a line may come byte by byte.
    if (size + taken.length > held.length) held = Buffer.concat([held.subarray(0, size)], 2 * (size + taken.length))
    taken.copy(held, size)
    size += taken.length
  }
  const tell = (bytes: Buffer) => {
    const line = bytes.toString('utf8').trimEnd()
    if (line !== '') reader.onLine(line)
  }
  const end = (part: Buffer) => {
    // Most lines come in whole, and are not buffered.
    if (size === 0 && part.length <= reader.maxBytes) return tell(part)
    add(part)
    const line = held.subarray(0, size)
    if (held.length > SMALL) held = Buffer.alloc(0)
    size = 0
    tell(line)
  }

  return (chunk) => {
    if (isOver) return
    try {
      reader.count?.(chunk.length, 0)
      let from = 0
      for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, from)) {
        reader.count?.(0, 1)
        end(chunk.subarray(from, at))
        from = at + 1
      }
      add(chunk.subarray(from))
    } catch (error) {
      isOver = true
      held = Buffer.alloc(0)
      reader.onError?.(error)
    }
  }
}
