import { REACT } from './label-words.ts'
import { labelReader, reactLabel } from './labels.ts'
import {
  LONGEST_CLOSING,
  MAY_OPEN_REASONING,
  opensReasoning,
  withoutReasoning,
  type ReasoningSpan,
} from './reasoning.ts'
import { nextLine } from './text-lines.ts'

/** The longest completion that is read, in characters. The stream ends there, so that no more is paid for. */
export const MAX_CHARS = 100_000

/** The longest label or opening mark, in characters. */
const LONGEST_HEAD = 200
/** A line becomes an observation only at its colon, so most pieces of a growing line need no check. */
const MAY_END_LABEL = /[^\p{L}\p{N}\s]/u

/**
 * Watches a model's output, streamed or whole, and ends it before the first line that begins an invented observation.
 * Of recorded calls without `stop`, 80 % go on to invent one, so the cut is not optional. Reasoning between marks is
 * not part of the turn: an observation in it does not end the turn. Each piece is read once, however long a line or a
 * piece grows, so the time is linear in the output.
 */
export class ObservationCut {
  /** The output so far, up to the cut. One character more than MAX_CHARS shows that there was more. */
  text = ''
  /** The reasoning in the output so far. */
  readonly reasoning: ReasoningSpan[] = []
  readonly #begins: (line: string) => boolean
  #isOver = false
  /** Offset of the current line, and its first characters. A line also begins after reasoning. */
  #lineStart = 0
  #head = ''
  /** The pattern that ends the open reasoning, and the last characters of that reasoning. */
  #closing: RegExp | undefined
  #tail = ''
  /** After an action or an answer has begun, marks of reasoning are text. Lines are checked lazily, once each. */
  #hasStep = false
  /** Whether the labels of the last step are not headings. */
  #isPlain = false
  #stepsReadTo = 0
  /** Whether only blank lines precede the current line. */
  #isFirst = true

  constructor(beginsObservation: (line: string) => boolean) {
    this.#begins = beginsObservation
  }

  /** Takes the next piece. Returns true if the model must be stopped: it began an observation, or wrote too much. */
  push(piece: string): boolean {
    if (this.#isOver) return true
    const before = this.text.length
    const taken = piece.slice(0, MAX_CHARS + 1 - before)
    this.text += taken
    for (let at = 0; at < taken.length && !this.#isOver;)
      at = this.#closing ? this.#reason(taken, at, this.#closing) : this.#read(taken, at, before)
    this.#isOver ||= this.text.length > MAX_CHARS
    return this.#isOver
  }

  /** Ends the output: a last line without a line break is complete. */
  end(): void {
    if (!this.#isOver && !this.#closing && this.#head !== '') this.#cutIfObservation(`${this.#head}\n`)
    this.#isOver = true
  }

  /** Skips reasoning. Returns where it ends in the piece. */
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
    this.#stepsReadTo = offset
    this.#newLine(offset)
    return end
  }

  /** Reads to the end of the line or the piece, or to where reasoning begins. */
  #read(piece: string, at: number, before: number): number {
    const lineBreak = piece.indexOf('\n', at)
    const end = lineBreak < 0 ? piece.length : lineBreak + 1
    const wasWhole = this.#head.length >= LONGEST_HEAD
    if (!wasWhole) this.#head += piece.slice(at, Math.min(end, at + LONGEST_HEAD - this.#head.length))
    const mayOpen = !wasWhole && MAY_OPEN_REASONING.test(this.#head) && !this.#stepBegan()
    const opening = mayOpen ? opensReasoning(this.#head, this.#isFirst) : undefined
    if (opening) {
      this.reasoning.push({ start: this.#lineStart + opening.before, end: Infinity })
      this.#closing = opening.close
      this.#tail = ''
      return Math.max(at, this.#lineStart + opening.length - before)
    }
    if (lineBreak >= 0 || (!wasWhole && MAY_END_LABEL.test(piece.slice(at, end))))
      this.#cutIfObservation(lineBreak >= 0 && !this.#head.endsWith('\n') ? `${this.#head}\n` : this.#head)
    if (lineBreak >= 0 && !this.#isOver) {
      this.#isFirst &&= this.#head.trim() === ''
      this.#newLine(before + end)
    }
    return end
  }

  /** Returns whether an action or an answer begins before the current line. */
  #stepBegan(): boolean {
    if (!this.#hasStep) this.#readSteps()
    return this.#hasStep
  }

  /**
   * Returns whether the line is a comment in the input of a step whose labels are not headings: `# Observation: …` in
   * Python.
   */
  #isComment(line: string): boolean {
    if (!COMMENT.test(line)) return false
    this.#readSteps()
    return this.#isPlain
  }

  #readSteps(): void {
    for (let at = this.#stepsReadTo; at < this.#lineStart; at = nextLine(this.text, at)) {
      const label = reactLabel(this.text, at)
      if (label?.name === 'action' || label?.name === 'answer')
        [this.#hasStep, this.#isPlain] = [true, label.mark === '']
    }
    this.#stepsReadTo = this.#lineStart
  }

  #cutIfObservation(line: string): void {
    if (!this.#begins(line) || this.#isComment(line)) return
    this.text = this.text.slice(0, this.#lineStart)
    this.#isOver = true
  }

  #newLine(start: number): void {
    this.#lineStart = start
    this.#head = ''
  }
}

/** Cuts a complete text. `begins` tells whether a line begins an observation. */
export function cutWhole(text: string, begins: (line: string) => boolean = beginsObservation): ObservationCut {
  const cut = new ObservationCut(begins)
  cut.push(text)
  cut.end()
  return cut
}

/** Drops the reasoning from a complete text and cuts nothing else. */
export function withoutThinking(text: string): string {
  return withoutReasoning(text, cutWhole(text, () => false).reasoning)
}

const COMMENT = /^[ \t]{0,64}#(?!#)/

const observationLabel = labelReader({ observation: REACT.observation })

/**
 * Returns whether a line of model output begins an invented observation. Streams use it too, so a bare `Observation`
 * counts only with its line break: a growing line may become `Observational studies`. Indented lower case (`
 * observation: str`) is code. Bold or a heading without a colon may belong to an answer.
 */
export function beginsObservation(line: string): boolean {
  const label = observationLabel(line, 0)
  if (!label || (!label.capital && label.indent > 1)) return false
  return label.colon || (!label.decorated && line.endsWith('\n'))
}

function endOf(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : undefined
}
