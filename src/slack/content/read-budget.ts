import { cutText } from '../../base/cut-text.ts'

/** Slack's own messages have fewer blocks, elements and cells: at most 100 rows of 20 cells in a table. */
const MAX_NODES = 12_000
/** Characters of a whole message. Slack cuts a text at 40,000. */
const MAX_CHARS = 60_000
/** Nested blocks. A list in a cell of a table in a container has six levels. */
const MAX_DEPTH = 16

/**
 * Limits how much of one message is read, whatever its size, and counts what is left out. One budget is one reading.
 */
export class ReadBudget {
  #nodes = MAX_NODES
  #chars = MAX_CHARS
  #partChars = MAX_CHARS
  #cut = 0
  #depth = 0
  readonly #unread = new Map<string, number>()

  /** Returns the text, or as much of it as the message and its part have room for. */
  take(text: string): string {
    const kept = cutText(text, Math.min(this.#chars, this.#partChars))
    this.#chars -= kept.length
    this.#partChars -= kept.length
    this.#cut += text.length - kept.length
    return kept
  }

  /** Reads a part of at most `max` characters. Its text ends with a mark if it is cut. */
  part(max: number, read: () => string): string {
    const [outer, cut] = [this.#partChars, this.#cut]
    this.#partChars = Math.min(max, outer)
    const before = this.#partChars
    const text = read()
    this.#partChars = outer - (before - this.#partChars)
    const lost = this.#cut - cut
    this.#cut = cut
    return lost === 0 ? text : `${text} … (cut, ${lost} more characters)`
  }

  /** Reads an element. It is counted as not read if it is nested too deep, or is one too many. */
  element(read: () => string): string {
    if (this.#nodes <= 0 || this.#depth >= MAX_DEPTH) {
      this.leaveOut('further part')
      return ''
    }
    this.#nodes -= 1
    this.#depth += 1
    const text = read()
    this.#depth -= 1
    return text
  }

  /** Counts something that cannot be read. `what`: a singular noun. */
  leaveOut(what: string, count = 1): void {
    if (count > 0) this.#unread.set(what, (this.#unread.get(what) ?? 0) + count)
  }

  /** What was not read, such as `2 further parts`. */
  unread(): string[] {
    return [...this.#unread].map(([what, count]) => `${count} ${what}${count === 1 ? '' : 's'}`)
  }
}
