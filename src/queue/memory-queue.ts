import { expiringCache, type ExpiringCache } from '../base/expiring-cache.ts'
import type { StoreLog } from '../base/store-log.ts'
import type { ThreadKey } from '../base/place.ts'
import { LeaseLost, messageOf } from '../base/errors.ts'
import { embeddedRun } from '../stores/runs/memory-run.ts'
import { freshControlled, MemoryRunControl, sendToRun } from './memory-run-control.ts'
import { conversationOf, isBackground, isDirect, type Question } from '../stores/runs/types.ts'
import { MemoryConversations } from './dm-conversations.ts'
import { queueSettings, type GivenQueueSettings } from './queue-settings.ts'
import { settledWithin } from '../base/async.ts'
import { addToRun, isWrittenBefore, runToAddTo, unreadAdditions, type AddableRun } from './memory-additions.ts'
import { memoryLine } from './memory-waiting-line.ts'
import { RoundRobin } from './memory-fair-order.ts'
import type { AcceptOutcome, AcceptOptions, ControlledQueue, Handler, Queue, QueueStats } from './types.ts'

export interface MemoryQueueOptions extends GivenQueueSettings {
  log: StoreLog
  /** Bounds of the memory: remembered ids and threads, and waiting questions. With more waiting, accept() throws. */
  maxClaims?: number
  maxKnown?: number
  maxWaiting?: number
}

/** A question that waits, is worked on or is suspended, with what its run has done so far. */
interface QueuedQuestion extends AddableRun {
  failures: number
}

interface RunningThread {
  done: Promise<void>
  abort: AbortController
}

/** A queue in this process's memory: fair, ordered, bounded, and lost when the process ends. */
export function memoryQueue(options: MemoryQueueOptions): ControlledQueue {
  return new MemoryQueue(options)
}

class MemoryQueue implements ControlledQueue {
  readonly #options: Required<MemoryQueueOptions>
  readonly #claims: ExpiringCache<true>
  readonly #known: ExpiringCache<number>
  readonly #conversations: MemoryConversations
  /** Only threads with questions are here. The head of an inbox stays until it is finished. */
  readonly #inboxes = new Map<ThreadKey, QueuedQuestion[]>()
  readonly #turns = new RoundRobin()
  /** Turns of background questions. */
  readonly #backgroundTurns = new RoundRobin()
  readonly #running = new Map<ThreadKey, RunningThread>()
  readonly #pauses = new Set<NodeJS.Timeout>()
  readonly control: MemoryRunControl<QueuedQuestion>
  readonly #line: ReturnType<typeof memoryLine>
  #sweep: NodeJS.Timeout | undefined
  #waiting = 0
  #handler: Handler | undefined
  #deadLetter: Handler | undefined
  #state: 'open' | 'stopping' | 'stopped' = 'open'

  constructor(options: MemoryQueueOptions) {
    // No other process continues a run, so each aborted handler tells its thread that the bot is restarting.
    const bounds = { maxClaims: 50_000, maxKnown: 10_000, maxWaiting: 5_000, graceMs: 3_000 }
    this.#options = { ...queueSettings(options), ...bounds, ...options }
    const { now, doneTtlMs, maxClaims, knownTtlMs, maxKnown } = this.#options
    this.#claims = expiringCache({ now, ttlMs: doneTtlMs, max: maxClaims })
    this.#known = expiringCache({ now, ttlMs: knownTtlMs, max: maxKnown })
    this.#conversations = new MemoryConversations(this.#options)
    this.control = new MemoryRunControl<QueuedQuestion>(
      this.#options,
      ({ thread, id }) => this.#inboxes.get(thread)?.find(({ question }) => question.id === id),
      ({ thread }, item) => this.#requeue(thread, item),
    )
    const onWithdrawn = (thread: ThreadKey, at: number) => this.#onWithdrawn(thread, at)
    this.#line = memoryLine(this.#inboxes, this.#running, this.#known, this.control, onWithdrawn)
  }

  // Nothing in here awaits, so all of it is one atomic step.
  async accept(
    asked: Question,
    { onlyKnownThread, addition, parts, onQueued }: AcceptOptions = {},
  ): Promise<AcceptOutcome> {
    if (this.#state !== 'open') throw new Error('The queue is stopping and takes no more questions.')
    const question = isDirect(asked) ? this.#conversations.place(asked) : asked
    const thread = conversationOf(question)
    // Claims are the thread's own: a `/ask` question comes a second time under its real thread, with the same id.
    const claims = [`${thread} id ${question.id}`]
    if (question.eventId) claims.push(`${thread} event ${question.eventId}`)
    if (claims.some((claim) => this.#claims.has(claim))) {
      const known = parts && this.#inboxes.get(thread)?.find((one) => one.question.id === question.id)
      if (known) sendToRun(known, { type: 'parts', parts })
      return 'duplicate'
    }
    const target = addition && runToAddTo(this.#inboxes.get(thread) ?? [], question)
    const known = this.#known.get(thread) ?? 0
    const isKnown = target !== undefined || (addition !== 'only' && (!onlyKnownThread || known > 0))
    if (!isKnown) return 'unknown_thread'
    if (this.#waiting + this.control.suspended.length >= this.#options.maxWaiting) throw new Error('The queue is full.')
    for (const claim of claims) this.#claims.set(claim, true)
    if (!target) this.#known.set(thread, known + 1)
    if (target) addToRun(target, question)
    else this.#enqueue(thread, question, onQueued)
    return target ? 'added' : 'accepted'
  }

  async start(handler: Handler, deadLetter?: Handler): Promise<void> {
    this.#handler = handler
    this.#deadLetter = deadLetter
    this.#sweep = setInterval(() => this.control.expireDue(), this.#options.sweepMs).unref()
    this.#pump()
  }

  async stop(ms: number): Promise<void> {
    if (this.#state !== 'open') return
    this.#state = 'stopping'
    for (const pause of this.#pauses) clearTimeout(pause)
    clearInterval(this.#sweep)
    const working = () => [...this.#running.values()].map(({ done }) => done)
    if (!(await settledWithin(ms - Math.min(this.#options.graceMs, ms / 2), working()))) {
      for (const { abort } of this.#running.values()) abort.abort(new LeaseLost('The bot is stopping.'))
      await settledWithin(this.#options.graceMs, working())
    }
    await settledWithin(this.#options.graceMs, this.#notifyUnfinished())
    this.#state = 'stopped'
    const questions = this.#waiting + this.control.suspended.length
    if (questions > 0) this.#options.log.warn({ questions }, 'stopped with questions left unanswered')
  }

  /** Calls the handler for each unfinished question with an aborted signal, so that it only tells the asker. */
  #notifyUnfinished(): Promise<unknown>[] {
    const held = () => this.#state !== 'stopped'
    const ended = AbortSignal.abort(new LeaseLost('The bot is stopping.'))
    const waiting = [...this.#inboxes.entries()].flatMap(([thread, items]) =>
      this.#running.has(thread) ? items.slice(1) : items,
    )
    return [...waiting, ...this.control.suspended].map(async ({ question, saved }) =>
      this.#handler?.(question, embeddedRun(saved, held), ended),
    )
  }

  readonly place: Queue['place'] = async (question) => this.#conversations.place(question)
  readonly inThread: Queue['inThread'] = (thread) => this.#line.inThread(thread)
  readonly withdraw: Queue['withdraw'] = (...of) => this.#line.withdraw(...of)
  readonly moveChannel: Queue['moveChannel'] = (...of) => this.#line.moveChannel(...of)
  readonly forgetChannel: Queue['forgetChannel'] = (place) => this.#line.forgetChannel(place)
  readonly forgetUser: Queue['forgetUser'] = (person) => this.#line.forgetUser(person)
  readonly forgetTeam: Queue['forgetTeam'] = (team) => this.#line.forgetTeam(team)

  async ready(): Promise<boolean> {
    return this.#state === 'open' && this.#waiting < this.#options.maxWaiting
  }

  async stats(): Promise<QueueStats> {
    const active = this.#running.size
    return { waiting: this.#waiting - active, active, oldestMs: this.#line.oldestMs(this.#options.now()) }
  }

  #enqueue(thread: ThreadKey, question: Question, onQueued?: () => void): void {
    const fresh = freshControlled(this.#options.now())
    const item = { question: structuredClone(question), failures: 0, additions: [], ...fresh }
    const inbox = this.#inboxes.get(thread)
    this.#waiting += 1
    if (inbox) {
      // A message that Slack delivers late goes before those that were written after it.
      const after = inbox.findLastIndex(
        (other) => other.saved.attempts > 0 || !isWrittenBefore(question, other.question),
      )
      inbox.splice(after + 1, 0, item)
      return onQueued?.()
    }
    this.#inboxes.set(thread, [item])
    this.#makeReady(thread, question)
  }

  /** The next question need not wait out the pause before a retry of the withdrawn one. */
  #onWithdrawn(thread: ThreadKey, at: number): void {
    this.#waiting -= 1
    const next = this.#inboxes.get(thread)?.[0]
    if (!next) this.#inboxes.delete(thread)
    else if (at === 0) this.#makeReady(thread, next.question)
  }

  #makeReady(thread: ThreadKey, question: Question): void {
    const turns = isBackground(question) ? this.#backgroundTurns : this.#turns
    turns.add(question, thread)
    this.#pump()
  }

  /** Starts turns while there is room. Work begins in a later tick, so that accept() returns first. */
  #pump(): void {
    while (this.#handler && this.#state === 'open' && this.#running.size < this.#options.concurrency) {
      const thread = this.#turns.next() ?? this.#backgroundTurns.next()
      if (thread === undefined) return
      // All of its questions were withdrawn.
      if (!this.#inboxes.has(thread)) continue
      const abort = new AbortController()
      const done = Promise.resolve().then(() => this.#turn(thread, abort.signal))
      this.#running.set(thread, { done, abort })
    }
  }

  /** Runs one turn of one thread: its oldest question. Never rejects. */
  async #turn(thread: ThreadKey, signal: AbortSignal): Promise<void> {
    const inbox = this.#inboxes.get(thread)
    const item = inbox?.[0]
    if (!inbox || !item) return
    const result = await this.#attempt(item, signal)
    this.#running.delete(thread)
    const isSuspended = result === 'waiting' && !item.isWoken
    const isOver = result !== 'waiting' && result !== 'failed'
    const unread = isOver && item.additions.length > 0 ? unreadAdditions(item, inbox) : []
    for (const message of unread) this.#enqueue(thread, message)
    const asks = unread.length - (result === 'refused' ? 1 : 0)
    if (asks !== 0) this.#known.set(thread, (this.#known.get(thread) ?? 1) + asks)
    if (isOver || isSuspended) {
      inbox.shift()
      this.#waiting -= 1
    }
    if (isSuspended) this.control.suspend({ thread, id: item.question.id }, item)
    const [next] = inbox
    if (!next) this.#inboxes.delete(thread)
    else if (next === item && result === 'failed') this.#pause(thread, item)
    else this.#makeReady(thread, next.question)
    this.#pump()
  }

  /** @returns `finished` if the question needs no further attempt */
  async #attempt(
    item: QueuedQuestion,
    signal: AbortSignal,
  ): Promise<'finished' | 'waiting' | 'refused' | 'limited' | 'failed'> {
    const { log, maxFailures, maxDeadLetterTries } = this.#options
    const isDeadLettered = item.failures >= maxFailures
    const work = isDeadLettered ? this.#deadLetter : this.#handler
    item.saved.attempts += 1
    item.isWoken = false
    const run = embeddedRun(item.saved, () => this.#state !== 'stopped')
    try {
      const result = await work?.(item.question, run, signal)
      return isDeadLettered ? 'finished' : (result ?? 'finished')
    } catch (error) {
      if (signal.aborted) return 'failed'
      item.failures += 1
      const fields = { question: item.question.id, failures: item.failures, error: messageOf(error) }
      log.error(fields, isDeadLettered ? 'the dead-letter notice failed' : 'question failed')
      return item.failures >= maxFailures + (this.#deadLetter ? maxDeadLetterTries : 0) ? 'finished' : 'failed'
    }
  }

  /** Puts a resumed run at the head of its thread, behind the question in progress. */
  #requeue(thread: ThreadKey, item: QueuedQuestion): void {
    this.#waiting += 1
    const inbox = this.#inboxes.get(thread)
    if (inbox) inbox.splice(this.#running.has(thread) ? 1 : 0, 0, item)
    else {
      this.#inboxes.set(thread, [item])
      this.#makeReady(thread, item.question)
    }
  }

  /** Waits before the same question is tried again; the thread's other questions wait behind it. */
  #pause(thread: ThreadKey, item: QueuedQuestion): void {
    const exponent = (item.failures - 1) % this.#options.maxFailures
    if (this.#state !== 'open') return
    const pause = setTimeout(
      () => {
        this.#pauses.delete(pause)
        if (this.#inboxes.get(thread)?.[0] === item) this.#makeReady(thread, item.question)
      },
      this.#options.backoffMs * 2 ** exponent,
    )
    this.#pauses.add(pause)
  }
}
