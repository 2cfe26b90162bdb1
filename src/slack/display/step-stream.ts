import type { ToolStep, UnreadableStep } from '../../agent/types.ts'
import { inputText } from '../../agent/tool-input.ts'
import { messageOf } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Question, Run } from '../../run/types.ts'
import type { Outbox } from '../outbox.ts'
import { escapeWithin, withoutLinks, withoutMarks } from '../format/escape.ts'
import { sinceOf } from '../listeners/to-question.ts'
import { SlackRefusal } from '../client/slack-web.ts'

/** Slack cuts a task's texts in a stream chunk at 256 characters (shared facts, a live probe). */
const TASK_CHARS = 240

interface TaskUpdate {
  type: 'task_update'
  id: string
  title: string
  status: 'in_progress' | 'complete'
  details?: string
  output?: string
}

interface StepStreamOptions {
  outbox: Outbox
  question: Question
  run: Run
  log: Log
  signal: AbortSignal
}

/**
 * The steps of one run as tasks of one streamed message (`chat.startStream`, a timeline) in place of a reply each. A stream
 * may be refused (no agent app, the rate, an outsider) or die (five minutes after its start): then `show` says false, and
 * that step and those after it are replies. The answer is never in the stream, so none of it can be lost with it.
 */
export class StepStream {
  readonly #options: StepStreamOptions
  readonly #begun = new Set<number>()
  #ts: string | undefined
  /** A stream may have begun whose ts we do not know: Slack's answer was lost, or the process that began it died. */
  #isUnsure: boolean
  #isUsable = true

  constructor(options: StepStreamOptions) {
    const ts = options.run.saved.posts[STREAM]
    this.#options = options
    this.#ts = ts || undefined
    this.#isUnsure = ts === ''
  }

  /** Shows a step as it is now. @returns false if it must be shown in another way. One call at a time. */
  async show(n: number, step: ToolStep | UnreadableStep): Promise<boolean> {
    if (!this.#isUsable) return false
    try {
      await this.#send(taskOf(n, step, await this.#isBegun(n)))
      return true
    } catch (error) {
      this.#options.log.info(
        { question: this.#options.question.id, error: messageOf(error) },
        'the stream of steps ended: replies from here',
      )
      this.#isUsable = false
      return false
    }
  }

  /** Ends the stream before the answer comes, if Slack takes that at the first try. Never rejects. */
  async end(): Promise<void> {
    const { outbox, question } = this.#options
    this.#isUsable = false
    if (!this.#ts) return
    const outcome = await outbox.tryOnce('chat.stopStream', { channel: question.channel, ts: this.#ts })
    if (outcome === 'taken') this.#ts = undefined
  }

  /** After the answer: ends a stream that is still open, also one that a dead process left open. Never rejects. */
  async makeSure(): Promise<void> {
    const { outbox, question } = this.#options
    await this.#lookUp().catch(() => undefined)
    const args = { channel: question.channel, ts: this.#ts }
    // One that has ended by itself is refused. What Slack does not take in time ends after five minutes.
    if (this.#ts) await outbox.call('chat.stopStream', args, AbortSignal.timeout(END_MS)).catch(() => undefined)
    this.#ts = undefined
  }

  /** Slack appends a task's details to those it has, so they are sent once, also if another process goes on. */
  async #isBegun(n: number): Promise<boolean> {
    if (this.#begun.has(n)) return true
    this.#begun.add(n)
    return (await this.#options.run.claimPost(`${STREAM}-${n}`)) !== 'fresh'
  }

  async #send(task: TaskUpdate): Promise<void> {
    const { outbox, question, run } = this.#options
    const { channel, thread, user, team } = question
    await run.checkLease()
    await this.#lookUp()
    if (this.#ts) return void (await outbox.stream('chat.appendStream', { channel, ts: this.#ts, chunks: [task] }))
    await run.claimPost(STREAM)
    const place = {
      channel,
      thread_ts: thread,
      recipient_user_id: user,
      recipient_team_id: team,
      task_display_mode: 'timeline',
    }
    try {
      const { ts } = await outbox.stream('chat.startStream', { ...place, chunks: [task] })
      await this.#began(String(ts))
    } catch (error) {
      this.#isUnsure = !(error instanceof SlackRefusal)
      await this.#lookUp()
      if (!this.#ts) throw error
    }
  }

  /** Looks for a stream that may have begun, so that it is continued or ended and does not stay open. */
  async #lookUp(): Promise<void> {
    if (!this.#isUnsure || this.#ts) return
    const { outbox, question, signal } = this.#options
    const { channel, thread } = question
    const soon = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)])
    const since = sinceOf(question)
    const found = await outbox.findStream({ channel, thread, since, signal: soon })
    if (found !== undefined) await this.#began(found)
  }

  async #began(ts: string): Promise<void> {
    this.#ts = ts
    await this.#options.run.posted(STREAM, ts)
  }
}

const STREAM = 'stream'
/** How long we try to end a stream while Slack does not answer. */
const END_MS = 15_000
/** How long a stream is looked for: there is another way to show a step. */
const LOOK_MS = 3_000

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
    // Slack appends the details of a repeated task to those that it has.
    ...(thought && isReadable && !isRepeat ? { details: short(thought) } : {}),
    ...(observation && isReadable
      ? { output: short(withoutMarks([observation.note, observation.text].join(' '))) }
      : {}),
  }
}
