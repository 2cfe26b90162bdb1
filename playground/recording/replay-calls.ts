import { UpstreamError, type ModelPiece, type PlayedUpstream } from '../model/model-pieces.ts'
import type { Json } from '../slack/types.ts'
import type { RecordedConversation, RecordedCall, OngoingCall } from './conversation-file.ts'
import { askedIn, promptOf, seenIn } from './model-calls.ts'

/** Holds a call until the acts during it are done. */
interface Gate {
  isReached: boolean
  readonly opened: Promise<void>
  release(): void
}

/** The time a bot that hung up has to end the call, in ms. */
const HANG_UP_MS = 20_000

/** The recorded models and tools. Each call gets the recorded answer to the same call, in the recorded order. */
export class ReplayCalls implements PlayedUpstream {
  /** Sentences on calls that are not in the recording. */
  readonly problems: string[] = []
  /** The number of calls that have ended. */
  readonly ended = { models: 0, tools: 0 }
  readonly #conversation: RecordedConversation
  readonly #gates = new Map<string, Gate>()
  /** The recorded calls that were not made yet, by their subject. */
  readonly #models: Map<string, number[]>
  readonly #tools: Map<string, number[]>

  constructor(conversation: RecordedConversation) {
    this.#conversation = conversation
    this.#models = byKey(conversation.models.map(callKey))
    this.#tools = byKey(conversation.tools.map(({ tool, input }) => toolKey(tool, input)))
    for (const { during = [] } of conversation.acts) for (const held of during) this.gate(held)
  }

  /** Returns the gate of a call during which something was done. */
  gate(held: OngoingCall): Gate {
    const key = 'model' in held ? `model ${held.model}` : `tool ${held.tool}`
    const known = this.#gates.get(key)
    if (known) return known
    let release = () => {}
    const opened = new Promise<void>((resolve) => (release = resolve))
    const gate = { isReached: false, opened, release }
    this.#gates.set(key, gate)
    return gate
  }

  get unused(): number {
    return [...this.#models.values()].reduce((sum, { length }) => sum + length, 0)
  }

  async models(): Promise<string[]> {
    return [this.#conversation.settings['OPENAI_MODEL'] ?? 'recorded']
  }

  async *complete(body: Json, signal: AbortSignal): AsyncGenerator<ModelPiece> {
    const asked = askedIn(body)
    const n = this.#models.get(callKey(asked))?.shift()
    const call = n === undefined ? undefined : this.#conversation.models[n]
    try {
      if (n === undefined || !call) throw this.#unknown(asked)
      this.#check(call, seenIn(promptOf(body), this.#conversation))
      const { refused } = call
      if (refused) throw new UpstreamError(refused.status, refused.message)
      yield* this.#pieces(call, n, signal)
    } finally {
      this.ended.models += 1
    }
  }

  async *#pieces(call: RecordedCall, n: number, signal: AbortSignal): AsyncGenerator<ModelPiece> {
    const gate = this.#gates.get(`model ${n}`)
    const { text, reasoning, toolCalls, usage, finish, isCut } = call
    const isHeldAtEnd = isCut === true
    if (gate && !isHeldAtEnd) await held(gate, signal)
    if (reasoning) yield { reasoning }
    for (const piece of text.match(/\S+\s*|\s+/g) ?? []) {
      if (signal.aborted) return
      yield { text: piece }
    }
    if (toolCalls) yield { toolCalls }
    if (gate && isHeldAtEnd) await held(gate, signal)
    if (isCut && !(await endsWithin(signal, HANG_UP_MS)))
      this.problems.push(`The bot kept reading “${short(call.question)}”, although it hung up in the recording.`)
    if (usage) yield { usage }
    if (finish) yield { finish }
  }

  /** Returns a tool's recorded output. @throws the recorded error, or a sentence if the recording has no such call */
  async tool(name: string, input: unknown): Promise<unknown> {
    const n = this.#tools.get(toolKey(name, input))?.shift()
    const recorded = n === undefined ? undefined : this.#conversation.tools[n]
    try {
      if (!recorded) throw this.#unknownTool(name, input)
      const gate = this.#gates.get(`tool ${n}`)
      if (gate) await held(gate)
      if (recorded.error) throw Object.assign(new Error(recorded.error.message), recorded.error)
      return structuredClone(recorded.output)
    } finally {
      this.ended.tools += 1
    }
  }

  #check({ sees, question }: RecordedCall, came: string[]) {
    if (came.join() === sees.join()) return
    const told = (some: string[]) => some.map((one) => this.#whatIs(one)).join(', then ') || 'nothing'
    this.problems.push(
      `A prompt about “${short(question)}” should hold, in this order: ${told(sees)}. It holds: ${told(came)}.`,
    )
  }

  /** Describes a call, such as `tool 0`, in words. */
  #whatIs(name: string): string {
    const [kind, n] = name.split(' ')
    const { tools, models } = this.#conversation
    if (kind === 'model') return `output ${Number(n) + 1} (${short(models[Number(n)]?.text ?? '')})`
    const { tool = '', input } = tools[Number(n)] ?? {}
    return `the result of ${tool} ${short(JSON.stringify(input) ?? '')}`
  }

  #unknown({ kind, question }: Pick<RecordedCall, 'kind' | 'question'>): Error {
    const calls = this.#conversation.models.filter((one) => callKey(one) === callKey({ kind, question })).length
    const how = calls === 0 ? 'no call' : calls === 1 ? 'only one call' : `only ${calls} calls`
    const what = kind === 'condense' ? 'to condense this question' : 'about this question'
    const sentence = `The recording has ${how} ${what}: “${short(question)}”.`
    this.problems.push(sentence)
    return new UpstreamError(400, sentence)
  }

  #unknownTool(name: string, input: unknown): Error {
    const written = JSON.stringify(input) ?? ''
    const sentence = `The recording does not have this tool call: ${name} ${written.slice(0, 300)}.`
    this.problems.push(sentence)
    return new Error(sentence)
  }
}

async function held(gate: Gate, signal?: AbortSignal): Promise<void> {
  gate.isReached = true
  await Promise.race([gate.opened, ...(signal ? [aborted(signal)] : [])])
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

async function endsWithin(signal: AbortSignal, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const time = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))
  await Promise.race([aborted(signal), time])
  clearTimeout(timer)
  return signal.aborted
}

function callKey({ kind, question }: Pick<RecordedCall, 'kind' | 'question'>): string {
  return `${kind} ${question}`
}

/** Returns a key that is the same for equal inputs, whatever the order of their fields. */
function toolKey(tool: string, input: unknown): string {
  const sorted = (_: string, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value
  return `${tool} ${JSON.stringify(input, sorted)}`
}

function byKey(keys: string[]): Map<string, number[]> {
  const all = new Map<string, number[]>()
  for (const [n, key] of keys.entries()) all.set(key, [...(all.get(key) ?? []), n])
  return all
}

function short(text: string): string {
  const plain = text.replace(/\s+/g, ' ').trim()
  return plain.length > 80 ? `${plain.slice(0, 80)}…` : plain
}
