import type { ToolStep, UnreadableStep } from '../../agent/types.ts'
import { inputText } from '../../agent/tool-input.ts'
import { messageOf } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { escapeWithin, withoutLinks, withoutMarks } from '../format/escape.ts'
import { SlackRefusal } from '../client/slack-errors.ts'
import type { Outbox } from '../outbox.ts'
import type { Display, Ending, ShownStep } from './types.ts'

/** Slack cuts a task's texts in a stream chunk at 256 characters, as tried on a live workspace. */
const TASK_CHARS = 240
/** The post key of the streamed message. */
export const STREAM = 'stream'
/** How long an open stream is looked for, and how long Slack is asked to end one. Milliseconds. */
const FIND_MS = 3_000
const END_MS = 15_000

/**
 * `STEPS=stream`: the steps are tasks of one streamed message (`chat.startStream`, a timeline). A stream may be refused (no
 * agent app, the rate, an outsider) or die (five minutes after its start): then that step and those after it are shown by the
 * fallback. The answer is never in the stream, so none of it can be lost with it.
 */
export class StepStream implements Display {
  readonly #outbox: Outbox
  readonly #log: Log
  readonly #fallback: Display
  /** Steps whose thought the stream has. */
  readonly #begun = new Set<number>()
  #isUsable = true
  /** Slack refused to open the stream, or has ended it. */
  #isOver = false

  constructor({ outbox, log, fallback }: { outbox: Outbox; log: Log; fallback: Display }) {
    this.#outbox = outbox
    this.#log = log
    this.#fallback = fallback
  }

  async show(steps: ShownStep[]): Promise<boolean> {
    const rest: ShownStep[] = []
    for (const step of steps) if (!(await this.#stream(step))) rest.push(step)
    const isPosted = rest.length > 0 && (await this.#fallback.show(rest))
    return isPosted || rest.length < steps.length
  }

  async finish(ending: Ending): Promise<void> {
    for (const step of ending.unfinished) await this.#stream(step)
    this.#isUsable = false
    const { channel } = this.#outbox.question
    if (this.#ts && !this.#isOver)
      this.#isOver = (await this.#outbox.tryOnce('chat.stopStream', { channel, ts: this.#ts })) === 'taken'
    await this.#fallback.finish(ending)
  }

  /** Ends a stream that is still open, also one that a dead process opened. */
  async end(): Promise<void> {
    if (this.#ts !== undefined && !this.#isOver) {
      const ts = this.#ts || (await this.#find().catch(() => undefined))
      const args = { channel: this.#outbox.question.channel, ts }
      const options = { effort: 'patient', signal: AbortSignal.timeout(END_MS) } as const
      // Slack refuses to end a stream that has ended by itself. One that it does not end in time ends after five minutes.
      if (ts) await this.#outbox.call('chat.stopStream', args, options).catch(() => undefined)
    }
    await this.#fallback.end()
  }

  /** @returns false if the step must be shown by the fallback. */
  async #stream({ n, step }: ShownStep): Promise<boolean> {
    if (!this.#isUsable) return false
    try {
      await this.#send(taskOf(n, step, await this.#isBegun(n)))
      return true
    } catch (error) {
      const fields = { question: this.#outbox.question.id, error: messageOf(error) }
      this.#log.info(fields, 'Slack ended the streamed message: further steps are replies')
      this.#isUsable = false
      return false
    }
  }

  /** Slack appends a task's details to those it has, so they are sent once, also if another process goes on. */
  async #isBegun(n: number): Promise<boolean> {
    if (this.#begun.has(n)) return true
    this.#begun.add(n)
    return (await this.#outbox.run.claimPost(`${STREAM}-${n}`)) !== 'fresh'
  }

  /** Empty while a stream was begun, perhaps, whose ts nobody knows. */
  get #ts(): string | undefined {
    return this.#outbox.run.saved.posts[STREAM]
  }

  /** Each call is tried once, because there is another way to show the step. @throws whatever went wrong */
  async #send(task: TaskUpdate): Promise<void> {
    const { question, run } = this.#outbox
    await run.checkLease()
    const find = async (isUnsure: boolean) => (isUnsure ? this.#find() : undefined)
    const open = () => this.#outbox.once(STREAM, { find, send: () => this.#start(task) })
    const { ts, isNew } = this.#ts ? { ts: this.#ts, isNew: false } : await open()
    if (isNew) return
    const args = { channel: question.channel, ts, chunks: [task] }
    await this.#outbox.call('chat.appendStream', args, { effort: 'once' })
  }

  async #start(task: TaskUpdate): Promise<string> {
    const { channel, thread, user, team } = this.#outbox.question
    const recipient = { recipient_user_id: user, recipient_team_id: team }
    const args = { channel, thread_ts: thread, ...recipient, task_display_mode: 'timeline', chunks: [task] }
    try {
      return String((await this.#outbox.call('chat.startStream', args, { effort: 'once' })).ts)
    } catch (error) {
      this.#isOver = error instanceof SlackRefusal
      const found = this.#isOver ? undefined : await this.#find()
      if (found === undefined) throw error
      return found
    }
  }

  /** Our own stream that is still open in the thread. Streams carry no metadata, but a thread has one writer. */
  async #find(): Promise<string | undefined> {
    const soon = AbortSignal.timeout(FIND_MS)
    for await (const message of this.#outbox.ownMessages(this.#outbox.question.thread, soon))
      if (message.streaming_state === 'in_progress') return message.ts
    return undefined
  }
}

interface TaskUpdate {
  type: 'task_update'
  id: string
  title: string
  status: 'in_progress' | 'complete'
  details?: string
  output?: string
}

function taskOf(n: number, step: ToolStep | UnreadableStep, isRepeat: boolean): TaskUpdate {
  const { thought, observation } = step
  const isReadable = step.kind === 'tool'
  const title = isReadable
    ? `${step.action.tool}: ${inputText(step.action.input)}`
    : 'The model’s output could not be read'
  // A tool's ordinary failure is no fault of the bot: `error` would show a red triangle.
  const failed = observation && !observation.ok && isReadable ? ' (failed)' : ''
  const short = (text: string) =>
    escapeWithin(withoutLinks(text.replace(/\s+/g, ' ').trim()), { max: TASK_CHARS - 40, most: TASK_CHARS })
  return {
    type: 'task_update',
    id: `step-${n}`,
    title: short(title + failed),
    status: observation ? 'complete' : 'in_progress',
    ...(thought && isReadable && !isRepeat ? { details: short(thought) } : {}),
    ...(observation && isReadable
      ? { output: short(withoutMarks([observation.note, observation.text].join(' '))) }
      : {}),
  }
}
