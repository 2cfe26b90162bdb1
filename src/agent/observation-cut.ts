import { reactLabel } from './parser/react-labels.ts'
import { LONGEST_CLOSING, opensReasoning } from './parser/reasoning-marks.ts'

/** A stretch of reasoning before the turn, its marks included. Offsets; one that is still open ends at Infinity. */
export interface Span {
  start: number
  end: number
}

/** The longest completion that is read. The stream ends there, so that no more is paid for. */
export const MOST_CHARS = 100_000

/** No label and no opening mark is longer than this. */
const LONGEST_HEAD = 200
/** A line becomes an observation with its colon and not before, so most pieces of a growing line need no check. */
const MAY_END_LABEL = /[^\p{L}\p{N}\s]/u

/**
 * Watches a model's output, as it streams or whole, and ends it before the first line that begins an invented
 * observation. Of recorded calls without `stop`, 80 % go on to invent one, so the cut is not optional. Text between marks of
 * reasoning is not yet part of the turn: an observation in it does not end the turn.
 * Each piece is read once, however long a line or a piece grows: the time is linear in the output.
 */
export class ObservationCut {
  /** The output so far, without anything from the cut on. One character more than MOST_CHARS shows that there was more. */
  text = ''
  /** Where the output so far is reasoning. */
  readonly reasoning: Span[] = []
  readonly #begins: (line: string) => boolean
  #isOver = false
  /** Where the current line begins in the text, and its first characters. A line begins after reasoning, too. */
  #lineStart = 0
  #head = ''
  /** What ends the reasoning that is open, and the last characters of it. */
  #closing: RegExp | undefined
  #tail = ''
  /** After an action or an answer has begun, marks of reasoning are text. */
  #hasBegun = false
  /** Nothing but blank lines stands before the current line. */
  #isFirst = true

  constructor(beginsObservation: (line: string) => boolean) {
    this.#begins = beginsObservation
  }

  /** Takes the next piece; true when the model has begun an observation, or written too much, and should be stopped. */
  push(piece: string): boolean {
    if (this.#isOver) return true
    const before = this.text.length
    const taken = piece.slice(0, MOST_CHARS + 1 - before)
    this.text += taken
    for (let at = 0; at < taken.length && !this.#isOver;)
      at = this.#closing ? this.#reason(taken, at, this.#closing) : this.#read(taken, at, before)
    this.#isOver ||= this.text.length > MOST_CHARS
    return this.#isOver
  }

  /** Says that nothing follows: a last line without a line break is a whole line. Returns what is left. */
  end(): string {
    if (!this.#isOver && !this.#closing && this.#head !== '') this.#cutIfObservation(`${this.#head}\n`)
    this.#isOver = true
    return this.text
  }

  /** Passes over reasoning; returns where in the piece it ends. */
  #reason(piece: string, at: number, closing: RegExp): number {
    const seam = this.#tail + piece.slice(at, at + LONGEST_CLOSING)
    const across = endOf(closing, seam, 0)
    const end = across === undefined ? endOf(closing, piece, at) : at + across - this.#tail.length
    if (end === undefined) {
      this.#tail = (this.#tail + piece.slice(Math.max(at, piece.length - LONGEST_CLOSING))).slice(-LONGEST_CLOSING)
      return piece.length
    }
    const offset = this.text.length - piece.length + end
    this.reasoning.splice(-1, 1, { start: this.reasoning.at(-1)?.start ?? 0, end: offset })
    this.#closing = undefined
    this.#newLine(offset)
    return end
  }

  /** Reads to the end of the line or of the piece, or to where reasoning begins. */
  #read(piece: string, at: number, before: number): number {
    const lineBreak = piece.indexOf('\n', at)
    const end = lineBreak < 0 ? piece.length : lineBreak + 1
    const wasWhole = this.#head.length >= LONGEST_HEAD
    if (!wasWhole) this.#head += piece.slice(at, Math.min(end, at + LONGEST_HEAD - this.#head.length))
    const opening = wasWhole || this.#hasBegun ? undefined : opensReasoning(this.#head, this.#isFirst)
    if (opening) {
      this.reasoning.push({ start: this.#lineStart + opening.before, end: Infinity })
      this.#closing = opening.close
      this.#tail = ''
      return Math.max(at, this.#lineStart + opening.length - before)
    }
    if (lineBreak >= 0 || (!wasWhole && MAY_END_LABEL.test(piece.slice(at, end))))
      this.#cutIfObservation(lineBreak >= 0 && !this.#head.endsWith('\n') ? `${this.#head}\n` : this.#head)
    if (lineBreak >= 0 && !this.#isOver) {
      this.#hasBegun ||= beginsStep(this.#head)
      this.#isFirst &&= this.#head.trim() === ''
      this.#newLine(before + end)
    }
    return end
  }

  #cutIfObservation(line: string): void {
    if (!this.#begins(line)) return
    this.text = this.text.slice(0, this.#lineStart)
    this.#isOver = true
  }

  #newLine(start: number): void {
    this.#lineStart = start
    this.#head = ''
  }
}

/** Reads a whole text, of which nothing follows. */
export function readWhole(text: string, begins: (line: string) => boolean): ObservationCut {
  const cut = new ObservationCut(begins)
  cut.push(text)
  cut.end()
  return cut
}

function beginsStep(line: string): boolean {
  const name = reactLabel(line, 0)?.name
  return name === 'action' || name === 'answer'
}

function endOf(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : undefined
}
