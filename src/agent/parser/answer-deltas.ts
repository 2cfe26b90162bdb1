/**
 * Streams an answer while the model writes it. The text sent is a prefix of what the dialect reads from the whole
 * completion. A place counts as the beginning of an answer if the dialect reads a probe word put there as the answer.
 * Text that may still change is held back (the start of a line, a fence, white space, anything like a special token).
 * If in doubt, streaming stops and the answer is sent whole. Each piece is read once, so the time is linear in the
 * output.
 */
import type { AnswerReader } from '../run-state.ts'
import type { AnswerOpening, Dialect } from '../contracts/dialect.ts'
import type { Tool } from '../contracts/tool.ts'
import { reactLabel } from './labels.ts'
import type { ObservationCut } from './observation-cut.ts'
import { depthAfter, fenceAt, isSpace, nextLine, tidy } from './text-lines.ts'

/** A probe word that no model writes. */
const PROBE = 'Q7Answer7Q'
const CLOSES: Record<AnswerOpening['form'], string> = { text: '', json: '"}', bracket: ']' }
/** Characters needed after an opening to see whether its label continues (`**Final Answer:** …`). */
const SEEN = 8
/** How many places are tried, and the longest line that is searched. */
const MAX_TRIES = 3
const MAX_LINE = 4000

export class AnswerDeltas implements AnswerReader {
  streamedText = ''
  readonly #dialect: Dialect
  readonly #tools: Tool[]
  /** The current line, until an answer begins. */
  #line = ''
  #isFirst = true
  #tries = 0
  #length = 0
  #answer: GrowingAnswer | undefined
  /** The number of stretches of reasoning before the answer. */
  #reasonings = 0
  #held = ''
  #hold = 0

  constructor(dialect: Dialect, tools: Tool[]) {
    this.#dialect = dialect
    this.#tools = tools
  }

  push(piece: string, cut: ObservationCut): string {
    const text = this.#withoutReasoning(piece, cut)
    this.#length += piece.length
    // A mark of reasoning inside the answer is held back as it arrives, and nothing behind it is certain.
    if (this.#answer && cut.reasoning.length > this.#reasonings) [this.#answer, this.#tries] = [undefined, MAX_TRIES]
    if (this.#answer) return this.#emit(this.#answer.push(text))
    return text === '' || this.#tries >= MAX_TRIES ? '' : this.#search(text, cut)
  }

  #withoutReasoning(piece: string, { reasoning }: ObservationCut): string {
    const last = reasoning.at(-1)
    if (!last || last.end <= this.#length) return piece
    // The opening mark of the reasoning may have arrived in pieces, as the start of a line.
    this.#line = ''
    return piece.slice(Math.max(0, last.end - this.#length))
  }

  #search(text: string, cut: ObservationCut): string {
    for (let at = 0; at < text.length; at = nextLine(text, at)) {
      this.#line += this.#line.length > MAX_LINE ? '' : text.slice(at, nextLine(text, at))
      const isWhole = text[nextLine(text, at) - 1] === '\n'
      const opening = this.#line.length > MAX_LINE ? undefined : this.#openingIn(this.#line, isWhole)
      const rest = text.slice(nextLine(text, at))
      const before = opening && cut.text.slice(0, cut.text.length - rest.length - this.#line.length + opening.at)
      if (opening && before !== undefined && this.#isAnswer(before, opening))
        return this.#begin(opening, { before, text: this.#line.slice(opening.at) + rest, cut })
      if (!isWhole) break
      this.#isFirst &&= tidy(this.#line) === ''
      this.#line = ''
    }
    return ''
  }

  #openingIn(line: string, isWhole: boolean): AnswerOpening | undefined {
    const opening = this.#dialect.opensAnswer?.(line, this.#isFirst)
    return opening && (isWhole || line.length >= opening.at + SEEN) ? opening : undefined
  }

  /** Returns whether the dialect reads what follows as the answer. */
  #isAnswer(before: string, { form }: AnswerOpening): boolean {
    if (++this.#tries > MAX_TRIES) return false
    const reading = this.#dialect.read({ text: `${before}${PROBE}${CLOSES[form]}` }, this.#tools)
    return reading.kind === 'finish' && reading.answer === PROBE
  }

  #begin(opening: AnswerOpening, { before, text, cut }: { before: string; text: string; cut: ObservationCut }): string {
    const depth = fenceDepth(before)
    this.#reasonings = cut.reasoning.length
    this.#answer = opening.form === 'json' ? new JsonAnswer(opening, depth) : new GrowingAnswer(opening, depth)
    this.#hold = opening.hold ?? 0
    this.#line = ''
    return this.#emit(this.#answer.push(text))
  }

  #emit(more: string): string {
    this.#held += more
    if (this.streamedText === '' && this.#held.length < this.#hold) return ''
    const text = this.#held
    this.#held = ''
    this.streamedText += text
    return text
  }
}

/** A line is emitted once it is complete or too long to begin with a label. */
const LONGEST_HEAD = 90
/** A possible fence or white space is held back up to this length. Then streaming stops. */
const MAX_HELD = 1000
/** How many characters are checked for a special token. */
const LONGEST_TOKEN = 40
/**
 * Characters that may begin a special token, a mark of reasoning or a leaked call; in brackets, also the end of the
 * answer.
 */
const SIGN = /[\n<[\]◁\r]/
const CLOSING = /[\]］】]/
const SIGN_IN_BRACKETS = /[\n<[\]◁\r］】]/
const TOKEN =
  /^(?:<[|｜]|<\/?s>|<\/?(?:[a-z]{1,16}:)?(?:[a-z]{1,12}[_-]|ant|inner|internal)?(?:think|thought|reason|reflect|analysis|scratch|monolog|rational|delib|plan|cot\b|思考|response|output|reply|solution|answer|eos|bos|tool|function|invoke|param|start_|end_|unused|channel|turn|im_|sys|inst)|\[\/|\[(?:INST|TOOL|e~|think|reason|analysis|scratch|SYSTEM|AVAIL|CALL|ARGS)|\]~|◁)/i

/** A growing answer. `push` returns the text that is certain. */
class GrowingAnswer {
  readonly #opening: AnswerOpening
  /** Received but not yet certain text. */
  #rest = ''
  /** White space and fences, which belong to the answer only if text follows. */
  #pending = ''
  #isLineStart = false
  #isBegun = false
  #isOver = false
  /** The current fence depth. An answer that begins inside a fence ends with that fence. */
  #depth: number
  readonly #isFenced: boolean

  constructor(opening: AnswerOpening, depth: number) {
    this.#opening = opening
    this.#depth = depth
    this.#isFenced = depth > 0
  }

  push(piece: string): string {
    if (this.#isOver) return ''
    this.#rest += piece
    let sent = ''
    for (let more = this.#next(); more !== undefined; more = this.#isOver ? undefined : this.#next()) sent += more
    return sent
  }

  protected get isOver(): boolean {
    return this.#isOver
  }

  protected end(): string {
    this.#isOver = true
    return ''
  }

  /** The next part that is certain, or undefined if more text is needed. */
  #next(): string | undefined {
    const text = this.#rest
    if (text === '') return undefined
    if (this.#isLineStart && this.#opening.form !== 'json') return this.#head(text)
    const sign = text.search(this.#opening.form === 'bracket' ? SIGN_IN_BRACKETS : SIGN)
    if (text[sign] === '\n') return this.#take(sign + 1)
    return sign === 0 ? this.#sign(text) : this.#take(sign < 0 ? text.length : sign)
  }

  /** Checks a character that may begin a token or end the answer. */
  #sign(text: string): string | undefined {
    const [first = '', second = ''] = text
    if (first === '\r') {
      if (second === '') return undefined
      this.#rest = text.slice(1)
      return second === '\n' ? '' : this.end()
    }
    if (this.#opening.form === 'bracket' && CLOSING.test(first)) return this.end()
    const isSeen = text.length >= LONGEST_TOKEN || /^.[^\n>]*[\s>]/.test(text)
    if (!isSeen) return undefined
    return TOKEN.test(text) ? this.end() : this.#take(1)
  }

  /** Checks the start of a line: it may end the answer, or be a fence. */
  #head(text: string): string | undefined {
    const line = text.slice(0, nextLine(text, 0))
    const mayBeFence = /^\s*\\?(?:[`~]|$)/.test(line)
    if (!line.endsWith('\n') && (mayBeFence || line.trimStart().length < LONGEST_HEAD))
      return line.length > MAX_HELD ? this.end() : undefined
    const endsHere = this.#depth === 0 && endsAnswer(line)
    if (endsHere || this.#opening.endsAt?.(line)) return this.end()
    this.#isLineStart = false
    const indent = Math.min(this.#opening.indent ?? 0, line.length - line.trimStart().length)
    const fence = fenceAt(line, 0)
    if (!fence) {
      this.#rest = line.trim() === '' ? text : text.slice(indent)
      return ''
    }
    // A fence is held back until text follows it.
    this.#depth = depthAfter(this.#depth, fence)
    if (this.#isFenced && this.#depth === 0) return this.end()
    this.#pending += line.slice(indent).replace('\r\n', '\n')
    this.#rest = text.slice(line.length)
    this.#isLineStart = true
    return ''
  }

  /** Takes `count` characters. Trailing white space is held back until text follows it. */
  #take(count: number): string {
    const part = this.#rest.slice(0, count)
    this.#rest = this.#rest.slice(count)
    this.#isLineStart = part.endsWith('\n')
    const words = part.slice(0, trimmedLength(part))
    const text = words === '' ? '' : this.#pending + words
    this.#pending = words === '' ? this.#pending + part : part.slice(words.length)
    if (text === '' || this.#isBegun) return text
    this.#isBegun = true
    return tidy(text)
  }
}

/** An answer inside a JSON string: escapes are resolved, and the closing quote ends it. */
class JsonAnswer extends GrowingAnswer {
  #raw = ''
  #isFirst = true

  override push(piece: string): string {
    if (this.isOver) return ''
    this.#raw += piece
    let sent = ''
    for (let more = this.#decoded(); more !== ''; more = this.#decoded()) sent += super.push(more)
    return sent
  }

  /** The next decoded characters. Empty if more text is needed or the string has ended. */
  #decoded(): string {
    const [text] = /^(?:[^"\\]+|\\(?:u[\da-f]{4}|[nt"\\/']))/i.exec(this.#raw) ?? ['']
    if (text === '' && !/^(?:\\(?:u[\da-f]{0,3})?)?$/i.test(this.#raw)) this.end()
    // A string that contains an object needs the reader of the whole.
    if (this.#isFirst && text.trim() !== '' && /^[{\\]/.test(text.trim())) this.end()
    this.#isFirst &&= text.trim() === ''
    this.#raw = this.#raw.slice(text.length)
    if (!text.startsWith('\\')) return text
    const code = text.slice(1)
    return code.length > 1 ? String.fromCharCode(parseInt(code.slice(1), 16)) : (ESCAPES[code] ?? code)
  }
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t' }

function trimmedLength(text: string): number {
  let end = text.length
  while (end > 0 && isSpace(text[end - 1] ?? '')) end--
  return end
}

function fenceDepth(text: string): number {
  let depth = 0
  for (let at = 0; at < text.length; at = nextLine(text, at)) {
    const fence = fenceAt(text, at)
    if (fence) depth = depthAfter(depth, fence)
  }
  return depth
}

/** Returns whether a line begins a new thought, question or observation, which models continue with after an answer. */
function endsAnswer(line: string): boolean {
  const label = reactLabel(line, 0)
  return label !== undefined && ['thought', 'question', 'observation'].includes(label.name)
}
