import { isForAsker } from '../agent/run-progress.ts'
import { shownThought } from '../agent/shown-thought.ts'
import type { ModelRequest } from '../agent/contracts/model.ts'
import type { ToolOutput, ToolAsks } from '../agent/contracts/tool.ts'
import type { AnswerEvent } from '../question/answer.ts'
import { progressWithPrior } from '../question/work-before-thread.ts'
import type { RunRecord } from '../stores/archive/types.ts'
import { messageOf, ToolError } from '../base/errors.ts'
import type { Question, SavedRun } from '../stores/runs/types.ts'
import type { RunTrace, TracedModelCall, TracedReading, TracedToolCall } from '../stores/runs/run-trace.ts'
import { TraceText } from './run-trace-text.ts'

interface RecordingOptions {
  /** The events that earlier processes recorded of the run. */
  before?: RunTrace | undefined
  secrets: readonly string[]
  now(): number
  /** Called when a call begins or ends. */
  onChange(recording: Recording, change: 'begun' | 'ended'): void
}

type EventOf<Type extends AnswerEvent['type']> = Extract<AnswerEvent, { type: Type }>

const LOST = 'The process that made the call ended before it did.'

/** Builds the trace of a run: each call of a model and of a tool as it begins and ends, and how outputs were read. */
export class Recording {
  readonly #trace: RunTrace
  readonly #saved: SavedRun
  readonly #options: RecordingOptions
  readonly #text: TraceText
  #turn: number
  /** The loop's last call of the model, until a tool runs. */
  #modelCall: TracedModelCall | undefined

  constructor(question: Question, saved: SavedRun, options: RecordingOptions) {
    const { before, secrets } = options
    this.#text = new TraceText(secrets, before ? JSON.stringify(before).length : 0)
    this.#saved = saved
    this.#options = options
    this.#trace = before ? resumed(before) : begun(question, saved, this.#text)
    this.#turn = saved.steps.at(-1)?.turn ?? 0
    if (progressWithPrior(question, saved).steps.some(isForAsker)) this.#text.mute()
  }

  /** Whether anything was called. */
  get isEmpty(): boolean {
    return this.#trace.calls.length === 0
  }

  /** Returns the trace so far. It never changes later, except for calls in progress. */
  get trace(): RunTrace {
    const { cut } = this.#text
    const calls = this.#trace.calls.map((call) => ({ ...call }))
    return { ...this.#trace, calls, posts: { ...this.#saved.posts }, ...(cut ? { cut } : {}) }
  }

  beginModel(model: string, request: ModelRequest, askedBy?: TracedToolCall): TracedModelCall {
    const { messages, stop, tools, toolChoice, schema } = request
    const isStep = stop !== undefined && !askedBy
    const call: TracedModelCall = {
      kind: 'model',
      at: this.#options.now(),
      model,
      for: askedBy ? 'tool' : isStep ? 'step' : 'condense',
      turn: isStep ? this.#turn + 1 : askedBy && this.#turn,
      step: askedBy?.step,
      request: { messages: messages.map((message) => this.#text.message(message)), stop, tools, toolChoice, schema },
      output: { text: '' },
      usage: [],
    }
    if (isStep) this.#modelCall = call
    if (isStep && this.#trace.model === '') this.#trace.model = model
    this.#begin(call)
    return call
  }

  /** `parts`: the facts that are known once the call is over. */
  endModel(call: TracedModelCall, { output, ...parts }: Partial<TracedModelCall>): void {
    const { text = '', reasoning, toolCalls } = output ?? {}
    call.output = {
      text: this.#text.text(text),
      reasoning: reasoning && this.#text.text(reasoning),
      toolCalls: toolCalls && this.#text.calls(toolCalls),
    }
    this.#end(Object.assign(call, parts))
  }

  beginTool(tool: string, step: number, input: unknown): TracedToolCall {
    const call: TracedToolCall = { kind: 'tool', at: this.#options.now(), step, tool, input: null, ok: true }
    call.input = this.#text.json(input)
    this.#modelCall = undefined
    this.#begin(call)
    return call
  }

  /** Records the end of a tool call. Does nothing if the tool ran out of time: its observation has ended the call. */
  endTool(call: TracedToolCall, given: { output: ToolOutput | ToolAsks | string } | { error: unknown }): void {
    if (call.ms !== undefined) return
    if (isGivenForAsker(given)) this.#text.mute()
    if ('error' in given) Object.assign(call, { ok: false, error: this.#text.text(messageOf(given.error)) })
    else if (typeof given.output === 'string' || !('asks' in given.output)) {
      if (typeof given.output !== 'string' && given.output.passing) call.passing = true
      call.output = this.#text.json(given.output)
    }
    this.#end(call)
  }

  /** Records an event of the run. */
  note(event: AnswerEvent): void {
    if (event.type === 'for_asker') this.#mute()
    if (event.type === 'understood') this.#trace.standalone = this.#text.text(event.question)
    if (event.type === 'thought') this.#read(event)
    if (event.type === 'observation') this.#observe(event)
    if (event.type === 'waiting') this.#beginWait(event)
    if (event.type === 'begun' || event.type === 'observation') this.#endWait(event)
    if (event.type === 'message') this.#addMessage(event)
    if (event.type === 'answer' || event.type === 'gave_up') this.#answer(event)
  }

  /** Records how the run ended. */
  finish({ end, endedAt, model, dialect, question, standalone }: RunRecord): void {
    Object.assign(this.#trace, { end, endedAt, model, dialect })
    if (this.#text.isMuted) return
    this.#trace.question = this.#text.text(question.text)
    if (standalone !== undefined) this.#trace.standalone = this.#text.text(standalone)
  }

  /** Earlier answers are for the asker alone. The standalone question of an earlier process may repeat them. */
  #mute(): void {
    this.#text.mute()
    const { standalone } = this.#trace
    if (standalone !== undefined) this.#trace.standalone = this.#text.text(standalone)
  }

  #begin(call: TracedModelCall | TracedToolCall): void {
    this.#trace.calls.push(call)
    this.#options.onChange(this, 'begun')
  }

  #end(call: TracedModelCall | TracedToolCall): void {
    call.ms = Math.max(0, this.#options.now() - call.at)
    this.#options.onChange(this, 'ended')
  }

  #read({ n, step }: EventOf<'thought'>): void {
    this.#turn = step.turn
    const call = this.#modelCall
    if (!call) return
    const thought = this.#text.text(step.thought || shownThought(step))
    if (step.kind === 'unreadable')
      return void (call.read = { kind: 'unreadable', step: n, thought, hint: this.#text.text(step.observation.text) })
    const action = { step: n, tool: this.#text.text(step.action.tool), input: this.#text.json(step.action.input) }
    const read: TracedReading = call.read?.kind === 'actions' ? call.read : { kind: 'actions', thought, actions: [] }
    call.read = { ...read, actions: [...read.actions, action], ...(step.dropped && { dropped: step.dropped }) }
  }

  /** Also ends a call whose time was up, and adds a step for which nothing was called. */
  #observe({ n, step, ms }: EventOf<'observation'>): void {
    if (step.kind === 'unreadable') return
    const { action, observation } = step
    const { text, ok, note, passing } = observation
    if (isForAsker(step)) this.#text.mute()
    const call =
      this.#trace.calls.findLast((one) => one.kind === 'tool' && one.step === n) ?? this.#notCalled(n, action)
    if (call.kind !== 'tool') return
    const isOpen = call.ms === undefined
    Object.assign(call, { ok, shown: this.#text.text(text), ...(note && { note }), ...(passing && { passing }) })
    if (isOpen && !call.notCalled) call.error ??= call.shown ?? ''
    if (isOpen) call.ms = ms
    this.#options.onChange(this, 'ended')
  }

  #notCalled(step: number, { tool, input }: { tool: string; input: unknown }): TracedToolCall {
    const written = { tool: this.#text.text(tool), input: this.#text.json(input) }
    const call: TracedToolCall = { kind: 'tool', at: this.#options.now(), step, ...written, ok: false, notCalled: true }
    this.#trace.calls.push(call)
    this.#modelCall = undefined
    return call
  }

  #beginWait({ n, step: { waiting } }: EventOf<'waiting'>): void {
    if (!waiting) return
    const waits = (this.#trace.waits ??= [])
    const before = waits.find(({ step, from }) => step === n && from === waiting.since)
    if (!before) waits.push({ step: n, from: waiting.since, for: waiting.for?.kind ?? 'approval' })
  }

  #endWait({ n, step }: EventOf<'begun' | 'observation'>): void {
    const until = (step.kind === 'tool' && step.waiting?.until) || this.#options.now()
    for (const wait of this.#trace.waits ?? []) if (wait.step === n) wait.until ??= until
  }

  #addMessage({ n, step }: EventOf<'message'>): void {
    const { user, text } = step
    const added = (this.#trace.added ??= [])
    if (added.every((one) => one.step !== n))
      added.push({ step: n, at: this.#options.now(), user, text: this.#text.text(text) })
  }

  #answer(event: EventOf<'answer' | 'gave_up'>): void {
    // The saved run may know more than the events of this attempt.
    if (this.#saved.steps.some(isForAsker)) this.#text.mute()
    const answer = this.#text.text(event.text)
    const stopped = event.type === 'gave_up' ? event.reason : event.stopped
    Object.assign(this.#trace, { answer, ...(stopped ? { stopped } : {}) })
    if (event.type === 'answer' && this.#modelCall) this.#modelCall.read = { kind: 'finish', answer }
  }
}

function isGivenForAsker(given: { output: ToolOutput | ToolAsks | string } | { error: unknown }): boolean {
  if ('error' in given) return given.error instanceof ToolError && given.error.isForAsker
  if (typeof given.output === 'string') return false
  return Boolean('asks' in given.output ? given.output.asks.forAsker : given.output.forAsker)
}

function begun(question: Question, saved: SavedRun, text: TraceText): RunTrace {
  const { id, team, channel, thread, user } = question
  const standalone = saved.standalone === undefined ? undefined : text.text(saved.standalone)
  const asked = { id, team, channel, thread, user, question: text.text(question.text), standalone }
  return { version: 1, ...asked, model: '', dialect: '', startedAt: saved.startedAt, attempts: 1, calls: [] }
}

/** Calls in progress when the previous process ended have no end. */
function resumed(before: RunTrace): RunTrace {
  const calls = before.calls.map((call) => (call.ms === undefined && !call.error ? { ...call, error: LOST } : call))
  const after: RunTrace = { ...before, calls, attempts: before.attempts + 1 }
  // An operator may have retried it.
  delete after.end
  delete after.endedAt
  return after
}
