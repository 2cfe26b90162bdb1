/** Removes the loop's marks from an answer, and asks again if it repeats the loop or has doubtful figures. */
import { fenceObservation, REPEATED } from './observation.ts'
import { hasRun } from './partial-answer.ts'
import { knownResults } from './known-results.ts'
import type { ObservationCut } from './parser/observation-cut.ts'
import type { AnswerReader, ModelTurn, RunState } from './run-state.ts'
import type { ParsedTurn } from './contracts/dialect.ts'
import type { Step, StopReason } from './contracts/run-events.ts'

/** How a turn was asked for, and what of it people have seen. */
export type GivenTurn = Pick<ModelTurn, 'finalTurn' | 'streamed'>

/**
 * Returns the turn with a clean answer, or the request to write another one. An answer that contradicts the results is
 * asked again once in a run, unless people have already seen it grow.
 */
export function checkAnswer(run: RunState, turn: ParsedTurn, given: GivenTurn): ParsedTurn {
  if (turn.kind !== 'finish') return turn
  const { steps } = run.progress
  const answer = withoutMarks(turn.answer, run.nonce)
  const { thought } = turn
  if (PLACEHOLDER.test(answer) || repeatsLoop(answer, steps)) return { kind: 'unreadable', thought, hint: NO_ANSWER }
  if (repeatsExample(run, answer)) return { kind: 'unreadable', thought, hint: OF_EXAMPLE }
  const figures = mayAskAgain(run, given) ? (run.doubtful?.(answer, steps) ?? []) : []
  if (figures.length > 0) return { kind: 'unreadable', thought, hint: contradiction(run, figures), isAnswer: true }
  return answer === turn.answer ? turn : { ...turn, answer }
}

/** Removes this run's marks around observations, also broken ones. */
export function withoutMarks(text: string, nonce: string): string {
  if (!text.includes(nonce)) return text
  return text.replace(new RegExp(`<?/?${nonce}>?`, 'g'), '').trim()
}

/** Matches an empty answer, and the copied words of the final turn's form. */
const PLACEHOLDER = /^(?:[.…]{0,3}|["'<[]?(?:(?:the|your|final) ){0,2}answer["'>\]]?[.…]{0,3})$/i

const NO_ANSWER =
  'That was a message to you, not an answer for the person. Say in your own words what you found, or that you found nothing.'

/** Returns whether a text holds what the loop, and no tool or person, has said in this run. */
export function repeatsLoop(text: string, steps: readonly Step[]): boolean {
  const words = folded(text)
  if (LOOP_FAILURE.test(text.trim()) && steps.some(isLoopFailure)) return true
  if (copiesResults(text, steps)) return true
  return loopTexts(steps).some((said) => words.includes(folded(said)))
}

/**
 * Returns whether a text is the list of known results, as the final turn names them: nothing else of substance stands
 * in it, or an entry stands inside a line. An entry on a line of its own may be the model's own list.
 */
function copiesResults(text: string, steps: readonly Step[]): boolean {
  const entries = knownResults(steps).split('\n').filter(Boolean)
  const copied = entries.filter((entry) => text.includes(entry))
  if (copied.some((entry) => /[^\n]$/.test(text.slice(0, text.indexOf(entry))))) return true
  const rest = copied.reduce((left, entry) => left.replaceAll(entry, ''), text)
  return copied.length > 0 && folded(rest) === ''
}

const OF_EXAMPLE =
  'That is the answer to one of the examples, not to this question. Answer this question, or say that you found nothing.'

/**
 * Returns whether a text says what an example asks or answers, and neither the question nor a result is about the same.
 * A small model that is lost repeats what it read first. A long text may hold the words by chance, so it must hold the
 * sentence.
 */
export function repeatsExample({ dialect, task, progress }: RunState, text: string): boolean {
  if (!dialect.examples) return false
  const { questions, answers } = dialect.examples
  const said = folded(text)
  const words = said.split(' ')
  const results = progress.steps.map((step) => (step.kind === 'message' ? step.text : (step.observation?.text ?? '')))
  const given = new Set(folded([task.question, ...results].join(' ')).split(' '))
  return [...questions, ...answers].map(folded).some((example) => {
    const all = example.split(' ')
    const content = [...new Set(all)].filter((word) => !FUNCTION_WORDS.has(word))
    const own = content.filter((word) => !given.has(word))
    if (all.length < MIN_WORDS || own.length < 2 || own.length * 2 <= content.length) return false
    const held = own.filter((word) => words.includes(word)).length / own.length
    if (` ${said} `.includes(` ${example} `)) return true
    return words.length <= 2 * all.length && (held >= CLEARLY || (held > 0 && inOrder(all, words) >= MOSTLY))
  })
}

/** An answer with this share of an example's own words repeats it. */
const CLEARLY = 0.75
/** So does one with a word of its own and this share of all its words in their order. */
const MOSTLY = 0.65
/** Shorter answers may be right by chance. */
const MIN_WORDS = 4
/** Words of the examples that stand in answers about anything. */
const FUNCTION_WORDS = new Set(
  'a an and are be but can cannot could did do does find for found from get gets had has have how i in is it its many much no not of on or out say so that the there they this to was were what when where which who why with you'.split(
    ' ',
  ),
)

/** The share of the words that also stand in the others, in the same order (their longest common subsequence). */
function inOrder(words: readonly string[], others: readonly string[]): number {
  let lengths = others.map(() => 0)
  for (const word of words) {
    let longest = 0
    lengths = others.map((other, i) => {
      const found = other === word ? longest + 1 : lengths[i]!
      longest = Math.max(longest, lengths[i]!)
      return Math.max(found, lengths[i]!)
    })
  }
  return Math.max(0, ...lengths) / words.length
}

/** The sentences of the loop's messages to the model. */
function loopTexts(steps: readonly Step[]): string[] {
  return steps.flatMap((step) => {
    if (step.kind === 'message' || !step.observation) return []
    const { text, ok, hint, note = '' } = step.observation
    if (step.kind === 'unreadable') return sentencesIn(step.isAnswer ? text.split('\n')[0]! : text)
    const isError = !ok && text.startsWith(`${step.action.tool} failed: `)
    const own = hint ? [`${text.split(' It returned: ')[0]}.`, REPEATED.enough] : isError ? [text] : []
    const wrong = isLoopFailure(step) ? text : ''
    return [...sentencesIn(`${wrong}\n${note}`), ...own]
  })
}

/** How the loop's replies to a wrong call begin. */
const LOOP_FAILURE = /^(?:There is no tool "|The input of \S{1,100} is wrong)/

/** Returns whether the loop, and not a tool, has answered the step's call. */
export function isLoopFailure(step: Step): boolean {
  return step.kind === 'tool' && step.observation?.ok === false && LOOP_FAILURE.test(step.observation.text)
}

/** Shorter sentences may occur by chance. */
const SHORTEST = 25

function sentencesIn(text: string): string[] {
  return text.split(/(?<=[.!?:;])\s+|\n/).filter((sentence) => folded(sentence).length >= SHORTEST)
}

/** The words alone, because models change quotes and spaces. */
function folded(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** The final turns that leave time and money for another. */
const CAN_ASK = new Set<StopReason | undefined>([undefined, 'steps', 'loop', 'unreadable'])

function mayAskAgain({ progress: { steps } }: RunState, { streamed, finalTurn }: GivenTurn): boolean {
  const wasAsked = steps.some((step) => step.kind === 'unreadable' && step.isAnswer)
  return (
    !wasAsked &&
    streamed === '' &&
    CAN_ASK.has(finalTurn) &&
    steps.some((step) => hasRun(step) && !step.observation.instructions)
  )
}

function contradiction({ progress, nonce }: RunState, figures: string[]): string {
  const known = knownResults(progress.steps)
  const which = figures.slice(0, 5).join(', ')
  const results = known === '' ? '' : ` The results in short:\n${fenceObservation(known, nonce)}`
  return `${which}: this stands in no result, and follows from none. Correct your answer, or answer without it.${results}`
}

/**
 * Reads an answer while it is written, up to the first mark of the loop. Undefined if it may repeat the loop's words.
 */
export function cleanReader(run: RunState): AnswerReader | undefined {
  const reader = loopTexts(run.progress.steps).length > 0 ? undefined : run.readAlong?.(run.dialect, run.tools)
  return reader && new CleanReader(reader, run)
}

class CleanReader implements AnswerReader {
  streamedText = ''
  readonly #reader: AnswerReader
  readonly #nonce: string
  readonly #examples: string[]
  /** The end of the text so far, which may become a mark, or its beginning, which may become an example's answer. */
  #held = ''
  #isOver = false

  constructor(reader: AnswerReader, { nonce, dialect: { examples } }: RunState) {
    this.#reader = reader
    this.#nonce = nonce
    this.#examples = (examples?.answers ?? []).map(folded).filter((answer) => answer.split(' ').length >= MIN_WORDS)
  }

  push(piece: string, cut: ObservationCut): string {
    if (this.#isOver) return ''
    const text = this.#held + this.#reader.push(piece, cut)
    this.#isOver = text.includes(this.#nonce)
    if (this.#isOver) return ''
    const said = this.streamedText === '' && this.#examples.length > 0 ? folded(text) : undefined
    const isExample = said !== undefined && this.#examples.some((answer) => begins(said, answer))
    const from = isExample ? 0 : text.length - beginningAt(text, `</${this.#nonce}`)
    this.#held = text.slice(from)
    this.streamedText += text.slice(0, from)
    return text.slice(0, from)
  }
}

function begins(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one)
}

/** How many characters at the end of a text may begin a mark, with or without its brackets. */
function beginningAt(text: string, mark: string): number {
  const begins = [mark, mark.replace('/', ''), mark.slice(2)]
  for (let length = Math.min(text.length, mark.length); length > 0; length--)
    if (begins.some((one) => one.startsWith(text.slice(-length)))) return length
  return 0
}
