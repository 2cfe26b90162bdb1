import { warnWith } from '../../base/log.ts'
import { cutText } from '../../base/cut-text.ts'
import type { Question } from '../../stores/runs/types.ts'
import type { ThreadState, ThreadStates } from '../../stores/threads/types.ts'
import type { SlackArgs } from '../client/web-api.ts'
import { SerialQueue } from '../../base/serial-queue.ts'
import type { Outbox } from '../client/outbox.ts'

/** Work that is over by then needs no status. Milliseconds. */
const BEGIN_MS = 150
/** Slack clears a status with each message of the bot. If the work still continues after this, it is set again (ms). */
const REFRESH_MS = 1500
const THINKING = 'is thinking …'
const REACTION = 'eyes'
/** How long clearing is retried if Slack does not answer. Milliseconds. */
const CLEAR_MS = 15_000
/** People find a session by its title, which is the beginning of its first question. */
const TITLE_CHARS = 80

/** The methods that write to the single status slot of a thread, best first. Only agent apps have sessions. */
const METHODS = { session: 'agents.sessions.setStatus', status: 'assistant.threads.setStatus' } as const
type Slot = keyof typeof METHODS

/**
 * Shows within a second that the bot is still working: through the thread's session in an agent app, else as a status
 * under the thread or, if Slack refuses that too, as a reaction on the message. It is the only writer of the thread's
 * slot and keeps to one method, so that the methods do not overwrite each other. Calls go out in order, so nothing
 * appears after the end.
 */
export class Status {
  readonly #outbox: Outbox
  readonly #threads: Pick<ThreadStates, 'load' | 'patch'>
  /** The method whose status shows, or may show, and has to be cleared. */
  #slot: Slot | undefined
  #hasReaction: boolean
  /** Whether a status may show that no message of this process clears. */
  #mustClear: boolean
  #isSuspended = false
  /** Drops errors, including a lost lease, because the next claim of a post detects it again. */
  readonly #queue = new SerialQueue(() => undefined)
  #timer: NodeJS.Timeout | undefined
  #hasBegun = false
  #ended = false

  constructor(outbox: Outbox, threads: Pick<ThreadStates, 'load' | 'patch'>) {
    this.#outbox = outbox
    this.#threads = threads
    // An earlier process may have died and left its reaction. If it lost the question, Slack sent that again.
    this.#hasReaction = this.#isTakenOver || outbox.question.isLate === true
    this.#mustClear = this.#hasReaction
  }

  /**
   * Opens the session at once. A status, which is nothing but a sign, comes if the work still continues a little later.
   */
  begin(): void {
    const mayHaveSession = !this.#outbox.refusals.has(METHODS.session)
    if (mayHaveSession || this.#mustClear) this.#queue.add(() => this.#first())
    else this.#later(BEGIN_MS)
  }

  /** Gives the session a title that could not be known at its beginning: the words of a clip. */
  nameSession(): void {
    this.#queue.add(async () => {
      const title = this.#slot === 'session' && !this.#ended ? await this.#newTitle() : ''
      if (title === '') return
      await this.#outbox.run.checkLease()
      const { channel, thread } = this.#outbox.question
      const args = { channel_id: channel, thread_ts: thread, title }
      if ((await this.#outbox.tryOnce('agents.sessions.rename', args)) === 'taken') await this.#keepTitle(title)
    })
  }

  /** Sets the status again if the work still continues a little later. Call it after each message of the bot. */
  refresh(): void {
    this.#later(this.#hasBegun ? REFRESH_MS : BEGIN_MS)
  }

  #later(ms: number): void {
    clearTimeout(this.#timer)
    if (this.#ended) return
    this.#timer = setTimeout(() => this.#queue.add(() => (this.#hasBegun ? this.#setAgain() : this.#first())), ms)
    this.#timer.unref()
  }

  async #first(): Promise<void> {
    if (this.#ended || this.#hasBegun) return
    this.#hasBegun = true
    if ((await this.#takeSlot()) === 'taken' || this.#ended) return
    await this.#outbox.run.checkLease()
    if ((await this.#outbox.tryOnce('reactions.add', this.#reaction())) !== 'refused') this.#hasReaction = true
  }

  /** Only for `status`: the status of a session stays until it is changed. */
  async #setAgain(): Promise<void> {
    if (this.#slot === 'status' && !this.#ended) await this.#set('status', { status: THINKING })
  }

  /** Marks the run as waiting for a person. `end` then sets the session to `suspended`. */
  suspend(): void {
    this.#isSuspended = true
  }

  /** Stops without clearing anything. Resolves once no call is pending. */
  async abandon(): Promise<void> {
    this.#ended = true
    clearTimeout(this.#timer)
    await this.#queue.settled()
  }

  async end(): Promise<void> {
    this.#ended = true
    clearTimeout(this.#timer)
    this.#queue.add(async () => {
      const rest = this.#isSuspended ? 'suspended' : 'active'
      if (this.#slot === 'session' || this.#hasOldSession) await this.#clear(METHODS.session, this.#args(rest))
      // Slack has cleared it with the last message, if that was posted after it.
      const isShown = this.#mustClear || this.#outbox.shownStatus !== undefined
      if (this.#slot === 'status' && isShown) await this.#clear(METHODS.status, this.#args(''))
      if (this.#hasReaction) await this.#clear('reactions.remove', this.#reaction())
      this.#slot = undefined
      this.#hasReaction = false
    })
    await this.#queue.settled()
  }

  /** Whether an earlier process may have died and left a status or a reaction, which only this class clears. */
  get #isTakenOver(): boolean {
    return this.#outbox.run.saved.attempts > 1
  }

  get #hasOldSession(): boolean {
    return this.#isTakenOver && !this.#outbox.refusals.has(METHODS.session)
  }

  /** Uses the best method that Slack does not refuse. A status without an answer from Slack may show. */
  async #takeSlot(): ReturnType<Outbox['tryOnce']> {
    const session = await this.#openSession()
    if (session !== 'refused' || this.#ended) return session
    const status = await this.#set('status', { status: THINKING })
    if (status !== 'refused') this.#slot = 'status'
    return status
  }

  async #openSession(): ReturnType<Outbox['tryOnce']> {
    if (this.#outbox.refusals.has(METHODS.session)) return 'refused'
    const title = await this.#newTitle()
    const outcome = await this.#set('session', { status: 'processing', ...(title ? { title } : {}) })
    if (outcome !== 'refused') this.#slot = 'session'
    if (outcome === 'taken' && title) void this.#keepTitle(title)
    return outcome
  }

  /** Returns a title unless the thread has one, which a person may have chosen. A new thread needs no look-up. */
  async #newTitle(): Promise<string> {
    const { question, run } = this.#outbox
    if (this.#isTakenOver) return ''
    const isFirst = question.ts === undefined || question.ts === question.thread
    const unknown = { renamed: true }
    const { title, renamed = false }: ThreadState = isFirst
      ? {}
      : await this.#threads.load(threadOf(question)).catch(() => unknown)
    return title || renamed ? '' : titleOf({ ...question, text: run.saved.spoken ?? question.text })
  }

  async #keepTitle(title: string): Promise<void> {
    const { question } = this.#outbox
    const warn = warnWith(this.#outbox.log, {}, 'a title could not be kept')
    await this.#threads.patch(threadOf(question), { title }).catch(warn)
  }

  async #set(slot: Slot, values: { status: string; title?: string }): ReturnType<Outbox['tryOnce']> {
    await this.#outbox.run.checkLease()
    if (slot === 'status') this.#outbox.shownStatus = Symbol()
    const outcome = await this.#outbox.tryOnce(METHODS[slot], { ...this.#args(values.status), ...values })
    // A message that was sent in the meantime may have come before it, and a call without an answer may come late.
    if (slot === 'status') this.#outbox.shownStatus = Symbol()
    if (outcome === 'unsure') this.#mustClear = true
    return outcome
  }

  /** Retries for a while, because otherwise the status would stay for ever. */
  async #clear(method: string, args: SlackArgs): Promise<void> {
    const signal = AbortSignal.timeout(CLEAR_MS)
    await this.#outbox.call(method, args, { effort: 'patient', signal }).catch(() => undefined)
  }

  #args(status: string) {
    const { channel, thread } = this.#outbox.question
    return { channel_id: channel, thread_ts: thread, status }
  }

  #reaction() {
    const { channel, thread, ts } = this.#outbox.question
    return { channel, timestamp: ts ?? thread, name: REACTION }
  }
}

/** The question's own thread. In a direct message its conversation may be another one. */
function threadOf({ team, channel, thread }: Question): string {
  return `${team}:${channel}:${thread}`
}

/** The beginning of a question, or of what came without a word, on one line without the ids of people and channels. */
function titleOf({ text, attached }: Question): string {
  const shown = attached?.text.replace(/^ *\[forwarded from [^\n]*$/gm, '')
  const line = (text || shown || '')
    .slice(0, 1000)
    .replace(/<[@#][A-Z0-9]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > TITLE_CHARS ? `${cutText(line, TITLE_CHARS).trimEnd()}…` : line
}
