import type { AnswerEvent } from '../../question/answer.ts'
import { shownThought } from '../../agent/shown-thought.ts'
import type { Observation } from '../../agent/contracts/run-events.ts'
import { inputText } from '../../agent/tool-input.ts'

/** The output of a conversation. */
export interface Output {
  event(event: AnswerEvent): void
  /** Lists the run's writes, after its answer. */
  done(lines: string[]): void
  /** Shows how many figures are not from a source, after the answer. */
  figures(text: string): void
  /** Shows a sentence of the terminal's own. */
  note(text: string): void
  /** Shows a failure, in a sentence. */
  fail(text: string): void
  /** Shows what went to the model or came from it. */
  trace(title: string, text: string): void
}

interface Stream {
  write(text: string): unknown
  isTTY?: boolean
}

/** Blue for steps, green for answers, red for errors; no colours if the output is not a terminal. */
export class TerminalOutput implements Output {
  readonly #stream: Stream
  readonly #isColoured: boolean

  constructor(stream: Stream, isColoured = true) {
    this.#stream = stream
    this.#isColoured = isColoured && Boolean(stream.isTTY)
  }

  event(event: AnswerEvent): void {
    const line = lineOf(event)
    if (line) this.#print(line.text, COLOURS[line.kind])
  }

  done(lines: string[]): void {
    this.#print(lines.join('\n'))
  }

  figures(text: string): void {
    this.#print(text)
  }

  note(text: string): void {
    this.#print(text)
  }

  fail(text: string): void {
    this.#print(text, COLOURS.error)
  }

  trace(title: string, text: string): void {
    this.#print(`--- ${title}\n${text}\n---`, COLOURS.trace)
  }

  #print(text: string, colour?: number): void {
    const shown = harmless(text)
    this.#stream.write(`${this.#isColoured && colour ? `\u001b[${colour}m${shown}\u001b[0m` : shown}\n`)
  }
}

const COLOURS = { step: 34, answer: 32, error: 31, trace: 90 }

/** Drops control characters, so that text from a model or a page cannot control the terminal. */
function harmless(text: string): string {
  return text.replace(/[^\P{Cc}\t\n]/gu, '')
}

function lineOf(event: AnswerEvent): { text: string; kind: keyof typeof COLOURS } | undefined {
  if (event.type === 'understood') return { text: `Understood as: ${event.question}`, kind: 'step' }
  if (event.type === 'thought')
    return shownThought(event.step) ? { text: `Thought: ${shownThought(event.step)}`, kind: 'step' } : undefined
  if (event.type === 'action')
    return { text: `Tool: ${event.step.action.tool}\nInput: ${inputText(event.step.action.input)}`, kind: 'step' }
  if (event.type === 'observation') {
    const { observation } = event.step
    return { text: observationLines(observation), kind: observation.ok ? 'step' : 'error' }
  }
  if (event.type === 'answer')
    return { text: event.stopped ? `${event.text}\n(stopped: ${event.stopped})` : event.text, kind: 'answer' }
  return event.type === 'gave_up' ? { text: event.text, kind: 'error' } : undefined
}

function observationLines({ text, note }: Observation): string {
  return `Observation: ${text}\n${note ? `${note}\n` : ''}`
}

/** Prints every event as one line of JSON. Notes are left out; a failure is a line of type `error`. */
export class JsonLines implements Output {
  readonly #stream: Stream

  constructor(stream: Stream) {
    this.#stream = stream
  }

  event(event: AnswerEvent): void {
    this.#print(jsonOf(event))
  }

  done(lines: string[]): void {
    this.#print({ type: 'done', lines })
  }

  figures(text: string): void {
    this.#print({ type: 'figures', text })
  }

  note(): void {}

  fail(text: string): void {
    this.#print({ type: 'error', text })
  }

  trace(title: string, text: string): void {
    this.#print({ type: 'trace', title, text })
  }

  #print(value: object): void {
    this.#stream.write(`${JSON.stringify(value)}\n`)
  }
}

/**
 * Returns an event as `npm run cli -- --json` prints it, on one line: flat, and only what is new. Other programs read
 * these lines, so their fields stay the same even if the events change.
 */
function jsonOf(event: AnswerEvent): object {
  if (!('step' in event)) return event
  const { type, n } = event
  switch (type) {
    case 'thought': {
      const { turn, thought, reasoning } = event.step
      const unreadable = event.step.kind === 'unreadable' ? { unreadable: event.step.text } : {}
      // A model that writes nothing beside its calls has no other thought.
      return { type, step: n, turn, text: thought || (reasoning ?? ''), ...(reasoning && { reasoning }), ...unreadable }
    }
    case 'action':
    case 'begun':
      return { type, step: n, turn: event.step.turn, action: event.step.action }
    case 'observation':
      return { type, step: n, observation: event.step.observation, ms: event.ms }
    case 'message':
      return { type, step: n, turn: event.step.turn, text: event.step.text, user: event.step.user }
    case 'waiting':
      return { type, step: n, turn: event.step.turn, action: event.step.action, ...event.step.waiting }
  }
}
