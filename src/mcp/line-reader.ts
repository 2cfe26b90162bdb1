const LINE_END = 10

interface LineReader {
  /** Empty lines are left out. */
  onLine(line: string): void
  maxBytes: number
  /** What to say of a line that is longer; where left out, the rest of such a line is. */
  tooLarge?(): Error
  /** Told of all that comes. @throws where it is too much */
  count?(bytes: number): void
  /** Told once of what was too much; nothing is read after it. */
  onError?(error: unknown): void
}

/** Lines of UTF-8 from chunks, each of at most `maxBytes`. */
export function lineReader(reader: LineReader): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  let size = 0
  let isOver = false

  const add = (part: Buffer) => {
    if (size + part.length > reader.maxBytes && reader.tooLarge) throw reader.tooLarge()
    const room = reader.maxBytes - size
    if (room > 0 && part.length > 0) parts.push(part.subarray(0, room))
    size = Math.min(reader.maxBytes, size + part.length)
  }
  const end = () => {
    const line = Buffer.concat(parts).toString().trimEnd()
    parts = []
    size = 0
    if (line !== '') reader.onLine(line)
  }

  return (chunk) => {
    if (isOver) return
    try {
      reader.count?.(chunk.length)
      let from = 0
      for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, from)) {
        add(chunk.subarray(from, at))
        end()
        from = at + 1
      }
      add(chunk.subarray(from))
    } catch (error) {
      isOver = true
      parts = []
      reader.onError?.(error)
    }
  }
}
