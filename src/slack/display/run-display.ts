import { applyEvent, endedStep, isRunning, type RunProgress } from '../../agent/run-progress.ts'
import type { Step, ToolStep } from '../../agent/contracts/run-events.ts'
import type { AnswerEvent } from '../../question/answer.ts'
import { figuresText } from '../../question/check-figures/judge-figures.ts'
import { sleep } from '../../base/backoff.ts'
import { LeaseLost, messageOf } from '../../base/errors.ts'
import { SerialQueue } from '../../base/serial-queue.ts'
import { isPrivate, progressOf, type DoneCall, type Run } from '../../stores/runs/types.ts'
import { settleApprovals, showApproval } from '../approvals/approvals.ts'
import { settleQuestions, showQuestion } from '../approvals/tool-questions.ts'
import { noteContent } from '../format/blocks.ts'
import { escapeText } from '../format/escape.ts'
import type { Outbox } from '../client/outbox.ts'
import { finalView, type FinalText, type Footnotes } from './final-view.ts'
import { Status } from './status.ts'
import type { AnswerStart, Display, Ending, ShownRun, ShownStep } from './types.ts'

/** A tool that returns within this time gets one post, not a post and an update, of which Slack allows 50 a minute. */
const QUICK_MS = 20

/** Shows one run in its thread from its events and maintains the status, while the agent continues. */
export class RunDisplay {
  readonly #shown: ShownRun
  readonly #outbox: Outbox
  readonly #run: Run
  readonly #display: Display
  /** Absent for a private question: it hides from others that the bot works. */
  readonly #status: Status | undefined
  #progress: RunProgress
  #understood: string | undefined
  #done: DoneCall[] | undefined
  readonly #footnotes: Footnotes = {}
  /** Errors are only logged, except those that end the work on the thread in this process. */
  readonly #queue = new SerialQueue((error) => {
    if (error instanceof LeaseLost || this.#outbox.signal.aborted) this.#queue.ended = error
    else this.#outbox.log.error({ error: messageOf(error) }, 'a step could not be shown')
  })
  /** Steps with pending changes. The display gets them together once it is free. */
  readonly #changed = new Set<number>()
  #isShowQueued = false
  #mayShowAt = 0
  #showTimer: NodeJS.Timeout | undefined
  #isAbandoned = false
  #hasBegun = false

  constructor(shown: ShownRun, display: Display) {
    const { outbox, threads, mentions } = shown
    this.#shown = shown
    this.#outbox = outbox
    this.#run = outbox.run
    this.#display = display
    this.#status = isPrivate(outbox.question) ? undefined : new Status(outbox, threads)
    const saved = progressOf(this.#run.saved)
    this.#progress = { ...saved, steps: mentions.steps(saved.steps) }
  }

  /** Whether the display shows an answer while the model writes it. */
  get showsDeltas(): boolean {
    return this.#display.showAnswer !== undefined
  }

  /** Sets the status, and updates steps that an earlier process may have left incomplete. Further calls do nothing. */
  begin(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.#status?.begin()
    const { spoken = this.#outbox.question.text, named = spoken, standalone = named } = this.#run.saved
    if (standalone !== named) this.#understood = this.#shown.mentions.forPeople(standalone)
    for (const i of this.#progress.steps.keys()) this.#markChanged(i + 1)
    this.#queueShow()
    if (Object.keys(this.#run.saved.decisions).length > 0) this.#settleApprovals(false)
  }

  /** @throws LeaseLost if another process owns the run by now; SlackRefusal if the answer cannot be delivered */
  async write(event: AnswerEvent): Promise<void> {
    this.#queue.throwIfEnded()
    if (event.type === 'understood') this.#understood = event.question
    if (event.type === 'done') this.#done = event.calls
    if (event.type === 'figures') this.#footnotes.warning = figuresText(event.figures)
    if (event.type === 'used') this.#footnotes.used = event.count
    this.#progress = applyEvent(this.#progress, event)
    if ('step' in event && event.type !== 'thought') this.#showStep(event.n)
    if (event.type === 'answer_delta') this.#display.showAnswer?.(event.text, this.#answerStart())
    if (event.type === 'answer_withdrawn') this.#display.showAnswer?.(undefined, this.#answerStart())
    if (event.type === 'waiting') await this.#wait(event.n, event.step)
    if (event.type === 'answer') await this.#answer(event)
    if (event.type === 'gave_up') await this.#answer({ ...event, sources: [], stopped: event.reason, gaveUp: true })
  }

  /** Sets the end of the answer's footer. mrkdwn. */
  addToFooter(text: string): void {
    this.#footnotes.end = text
  }

  /**
   * Ends the run with a note about its failure (mrkdwn), and the writes that it made before. Without any, and if it
   * `mayRepeat`, a button offers to ask the question again.
   */
  async fail(text: string, done?: readonly string[], mayRepeat = true, name = 'failed'): Promise<void> {
    const again = mayRepeat && done === undefined ? this.#outbox.question.id : undefined
    await this.#finish({ key: keyOfEnd(name, this.#run), kind: 'note', text, done, again })
  }

  /** The same for a dead-lettered question. It does not replace the answer, which may still come (`runs -- retry`). */
  async giveUp(text: string, done?: readonly string[]): Promise<void> {
    if (this.#run.saved.posts['answer-1'] || isFailurePosted(this.#run)) return
    await this.fail(text, done, true, 'given-up')
  }

  /** Posts a note (mrkdwn) beside the run, once per post key. If Slack refuses it, the run continues without it. */
  async tell(key: string, text: string): Promise<void> {
    this.#queue.add(async () => {
      const outbox = this.#outbox
      await (outbox.isForAsker ? outbox.sendEphemeral(key, noteContent(text)) : outbox.deliver(key, noteContent(text)))
      this.#status?.refresh()
    })
    await this.#queue.settled()
  }

  /** Shows how a clip was understood, whose words are the question. */
  async tellSpoken(words: string): Promise<void> {
    await this.tell('spoken', `🎙️ I understood: “${escapeText(words)}”`)
    this.#status?.nameSession()
  }

  /** Resolves once everything so far is posted. */
  async settled(): Promise<void> {
    await this.#queue.settled()
  }

  /** Ends the run with a sentence of the bot itself instead of an answer. */
  async note(text: string): Promise<void> {
    await this.#finish({ key: 'answer', kind: 'note', text })
  }

  /** Closes the display and clears the status. Does nothing after `abandon`. */
  async end(): Promise<void> {
    clearTimeout(this.#showTimer)
    await this.#queue.settled()
    if (this.#isAbandoned) return
    await this.#display.end()
    await this.#status?.end()
  }

  /**
   * Leaves the thread as it is for the process that continues, and throws the error that ended the work here. First it
   * waits for pending calls, because the other process could not find a post that arrives later.
   */
  async abandon(error: unknown): Promise<never> {
    this.#queue.ended ??= error
    this.#isAbandoned = true
    clearTimeout(this.#showTimer)
    await Promise.all([this.#queue.settled(), this.#status?.abandon()])
    await this.#display.leave?.()
    throw error
  }

  /** Shows the card of a waiting step. @throws the error if it cannot be shown, because a run must not wait unseen */
  async #wait(n: number, step: ToolStep): Promise<void> {
    let failure: unknown
    this.#queue.add(async () => {
      const show = step.waiting?.for?.kind === 'question' ? showQuestion : showApproval
      await show(n, step, this.#shown).catch((error: unknown) => Promise.reject((failure = error)))
    })
    await this.#queue.settled()
    this.#queue.throwIfEnded()
    if (failure) throw failure
    this.#status?.suspend()
  }

  #settleApprovals(isOver: boolean): void {
    const state = { isOver, steps: [...this.#run.saved.steps] }
    this.#queue.add(() => settleApprovals(this.#shown, state))
    this.#queue.add(() => settleQuestions(this.#outbox, state))
  }

  #showStep(n: number): void {
    this.#markChanged(n)
    if (this.#changed.size > 0) this.#queueShow()
  }

  #markChanged(n: number): void {
    const { steps } = this.#progress
    if (steps[n - 1]?.kind !== 'message' && !repeatsAWarning(steps, n)) this.#changed.add(n)
  }

  /** Queues one `show`. Changes until the display is ready go with it. */
  #queueShow(): void {
    if (this.#isShowQueued) return
    this.#isShowQueued = true
    this.#queue.add(async () => {
      if (this.#mayBeQuick()) await sleep(QUICK_MS)
      await this.#showChanged()
    })
  }

  /** Whether a step has just begun and would be posted at once. */
  #mayBeQuick(): boolean {
    const isRunningNow = (n: number) => this.#progress.steps.slice(n - 1, n).some(isRunning)
    return this.#display.everyMs === undefined && [...this.#changed].some(isRunningNow)
  }

  async #showChanged(): Promise<void> {
    const waitMs = this.#mayShowAt - this.#shown.now().getTime()
    if (waitMs > 0) {
      this.#showTimer = setTimeout(() => this.#queue.add(() => this.#showChanged()), waitMs)
      return
    }
    this.#isShowQueued = false
    const isFirst = this.#mayShowAt === 0
    const steps = this.#takeChanged().map((n) => this.#shownStep(n))
    if (steps.length === 0 && !isFirst) return
    try {
      if (await this.#display.show(steps)) this.#status?.refresh()
    } finally {
      this.#mayShowAt = this.#shown.now().getTime() + (this.#display.everyMs ?? 0)
    }
  }

  #takeChanged(): number[] {
    const numbers = [...this.#changed].sort((a, b) => a - b)
    this.#changed.clear()
    return numbers
  }

  #shownStep(n: number): ShownStep {
    const step = this.#progress.steps[n - 1]
    if (!step || step.kind === 'message') throw new Error(`Step ${n} is not one to show.`)
    return { n, step, understood: n === 1 ? this.#understood : undefined }
  }

  /** The parts of the answer's view that are known before the answer is complete. */
  #answerStart(): AnswerStart {
    const { settings, outbox } = this.#shown
    const allowedHosts = [...settings.linkHosts, outbox.installation.identity.url]
    const sources = this.#progress.steps.flatMap((step) => (step.kind === 'tool' && step.observation?.sources) || [])
    const { id, text } = outbox.question
    return { sources, question: text, questionId: id, understood: this.#understood, allowedHosts }
  }

  #answer(final: FinalText): Promise<void> {
    const view = finalView(final, this.#shown, this.#progress, this.#done, this.#footnotes)
    return this.#finish({ key: 'answer', kind: 'answer', view: { ...this.#answerStart(), ...view } })
  }

  /** Shows the ending after everything before it. Resolves once it is posted. @throws the error if that fails */
  async #finish(ending: Ending): Promise<void> {
    const { steps } = this.#progress
    clearTimeout(this.#showTimer)
    const late = this.#display.everyMs === undefined ? [] : this.#takeChanged()
    const running = steps.flatMap((step, i) => (isRunning(step) ? [i + 1] : []))
    const unfinished = [...new Set([...late, ...running])].sort((a, b) => a - b)
    this.#progress = { ...this.#progress, steps: steps.map(endedStep) }
    const shown = () => unfinished.map((n) => this.#shownStep(n))
    this.#queue.add(
      () => this.#display.finish(ending, shown()),
      (error) => (this.#queue.ended = error),
    )
    if (steps.some((step) => step.kind === 'tool' && step.waiting)) this.#settleApprovals(true)
    await this.#queue.settled()
    this.#queue.throwIfEnded()
  }
}

/** Each manual retry gets its own post key, so that a run that fails again says so again. */
function keyOfEnd(name: string, { saved }: Run): string {
  return saved.retries > 0 ? `${name}-${saved.retries}` : name
}

/** Returns whether an earlier process began to post that this run failed, and then died before it ended the run. */
export function isFailurePosted(run: Run): boolean {
  return run.saved.posts[`${keyOfEnd('failed', run)}-1`] !== undefined
}

/** Returns whether the step before is unreadable too: several in a row get one warning. */
function repeatsAWarning(steps: readonly Step[], n: number): boolean {
  return steps[n - 1]?.kind === 'unreadable' && steps[n - 2]?.kind === 'unreadable'
}
