import { isDeepStrictEqual } from 'node:util'
import { applyEvent, stepCount, type RunProgress } from '../../agent/apply-event.ts'
import type { MessageStep, Step, ToolStep } from '../../agent/types.ts'
import type { AnswerEvent } from '../../answer.ts'
import { LeaseLost, messageOf } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { progressOf } from '../../run/saved-run.ts'
import type { Question, Run } from '../../run/types.ts'
import {
  answerContents,
  footerText,
  noteContent,
  stepContent,
  type AnswerView,
  type Content,
} from '../format/blocks.ts'
import type { Outbox } from '../outbox.ts'
import type { Mentions } from '../mentions.ts'
import { sinceOf } from '../listeners/to-question.ts'
import { Status } from './status.ts'
import { StepStream } from './step-stream.ts'
import { withReference } from '../messages.ts'

export interface RunDisplayOptions {
  outbox: Outbox
  log: Log
  /** A reply a step, one streamed message with a task a step, or the answer alone. */
  steps: 'replies' | 'stream' | 'hidden'
  allowedHosts: string[]
  mentions: Mentions
  signal: AbortSignal
  now(): Date
}

/**
 * Shows one run's events as replies in its thread: each step is one message (posted with the action, completed by an update
 * when the observation is there), then comes the answer. Posts go out one after the other, in the order of the events, while
 * the agent goes on. Every post is claimed in the run before it is sent, so that no crash repeats or loses one.
 */
export class RunDisplay {
  readonly #question: Question
  readonly #run: Run
  readonly #options: RunDisplayOptions
  readonly #status: Status
  #progress: RunProgress
  /** What each step's message shows at this moment, by the step's number. */
  readonly #shown = new Map<number, Content>()
  readonly #stream: StepStream | undefined
  #understood: string | undefined
  #tail: Promise<void> = Promise.resolve()
  #lost: unknown
  #earlier: Promise<Map<string, string>> | undefined

  constructor(question: Question, run: Run, options: RunDisplayOptions) {
    this.#question = question
    this.#run = run
    this.#options = options
    this.#status = new Status(options.outbox, question, run)
    const saved = progressOf(run.saved)
    this.#progress = { ...saved, steps: options.mentions.steps(saved.steps) }
    if (options.steps === 'stream' || run.saved.posts.stream)
      this.#stream = new StepStream({ ...options, question, run })
  }

  /** Shows a sign of life, and updates the steps that an earlier process may have left half shown. */
  begin(): void {
    this.#status.begin()
    const { named = this.#question.text, standalone = named } = this.#run.saved
    if (standalone !== named) this.#understood = this.#options.mentions.shown(standalone)
    for (const i of this.#progress.steps.keys()) this.#showStep(i + 1)
  }

  /** @throws LeaseLost when another process owns the run by now; SlackRefusal when the answer cannot be delivered. */
  async write(event: AnswerEvent): Promise<void> {
    if (this.#lost) throw this.#lost
    if (event.type === 'understood') this.#understood = event.question
    this.#progress = applyEvent(this.#progress, event)
    if ('step' in event && event.type !== 'thought') this.#showStep(event.n)
    if (event.type === 'answer') await this.#conclude(this.#answer(event))
    if (event.type === 'gave_up')
      await this.#conclude(this.#answer({ text: event.text, sources: [], stopped: event.reason, gaveUp: true }))
  }

  /** Ends the run with a failure, in a sentence for people. */
  async fail(sentence: string, reference: string): Promise<void> {
    await this.#conclude([noteContent(withReference(sentence, reference))], keyOfEnd('failed', this.#run))
  }

  /** The same for a question that is given up. It does not take the answer's place, which may still come (`runs -- retry`). */
  async giveUp(sentence: string, reference: string): Promise<void> {
    const isTold = this.#run.saved.posts['answer-1'] || isFailureTold(this.#run)
    if (!isTold)
      await this.#conclude([noteContent(withReference(sentence, reference))], keyOfEnd('given-up', this.#run))
  }

  /** Ends the run with a sentence of the bot's own in place of an answer. */
  async note(text: string): Promise<void> {
    await this.#conclude([noteContent(text)])
  }

  /** Takes the sign of life back. */
  async end(): Promise<void> {
    await this.#tail
    await this.#status.end()
  }

  /**
   * Leaves the thread as it is, for the process that goes on, and throws the error that ended the work here. First it waits
   * for calls that are under way: the other process could not find a post that arrives later.
   */
  async abandon(error: unknown): Promise<never> {
    this.#lost ??= error
    await Promise.all([this.#tail, this.#status.abandon()])
    throw error
  }

  #showStep(n: number): void {
    const isMessage = this.#progress.steps[n - 1]?.kind === 'message'
    if (this.#options.steps === 'hidden' || isMessage || this.#repeatsAWarning(n)) return
    this.#enqueue(async () => {
      if (await this.#stream?.show(n, this.#step(n))) return this.#status.refresh()
      const content = this.#contentOf(n)
      if (isDeepStrictEqual(content, this.#shown.get(n))) return
      this.#shown.set(n, content)
      await this.#show(`step-${n}`, content)
      this.#status.refresh()
    })
  }

  /** Several unreadable completions in a row get one warning. */
  #repeatsAWarning(n: number): boolean {
    const { steps } = this.#progress
    return steps[n - 1]?.kind === 'unreadable' && steps[n - 2]?.kind === 'unreadable'
  }

  #step(n: number): Exclude<Step, MessageStep> {
    const step = this.#progress.steps[n - 1]
    if (!step || step.kind === 'message') throw new Error(`Step ${n} is not one to show.`)
    return step
  }

  /** How the step looks now. If the thread lags behind the agent, several events become one message. */
  #contentOf(n: number): Content {
    const step = this.#step(n)
    const understood = n === 1 ? this.#understood : undefined
    const { observation } = step
    return step.kind === 'unreadable'
      ? stepContent({ thought: '', unreadable: true, understood, observation })
      : stepContent({ thought: step.thought, unreadable: false, understood, action: step.action, observation })
  }

  #answer(final: Pick<AnswerView, 'text' | 'sources' | 'stopped' | 'gaveUp'>): Content[] {
    const { saved } = this.#run
    const steps = stepCount(this.#progress.steps)
    const isStepShown = steps > 0 && this.#options.steps === 'replies'
    const footer = footerText({
      steps,
      ms: this.#options.now().getTime() - saved.startedAt,
      usage: saved.usage,
    })
    const understood = isStepShown ? undefined : this.#understood
    return answerContents({
      ...final,
      question: this.#question.text,
      understood,
      allowedHosts: this.#options.allowedHosts,
      footer,
    })
  }

  /** Posts what ends the run, after everything before it. Resolves when it is out. @throws what kept it from that */
  async #conclude(contents: Content[], key = 'answer'): Promise<void> {
    const cutOff = this.#cutOff()
    this.#enqueue(async () => {
      for (const n of cutOff) await this.#stream?.show(n, this.#step(n))
      await this.#stream?.end()
    })
    for (const [i, content] of contents.entries())
      this.#enqueue(() => this.#show(`${key}-${i + 1}`, content, true), true)
    for (const n of cutOff)
      this.#enqueue(async () => {
        if (this.#run.saved.posts[`step-${n}`]) await this.#show(`step-${n}`, this.#contentOf(n))
      })
    this.#enqueue(async () => this.#stream?.makeSure())
    await this.#tail
    if (this.#lost) throw this.#lost
  }

  /** Marks the steps that have not ended as not finished, because nothing runs any more. @returns their numbers. */
  #cutOff(): number[] {
    const cutOff = this.#progress.steps.flatMap((step, i) => (isRunning(step) ? [i + 1] : []))
    const steps = this.#progress.steps.map((step) => (isRunning(step) ? { ...step, observation: CUT_OFF } : step))
    this.#progress = { ...this.#progress, steps }
    return cutOff
  }

  async #show(step: string, content: Content, once = false): Promise<void> {
    const { channel, thread, user } = this.#question
    const { outbox: outbox, signal } = this.#options
    const checkLease = () => this.#run.checkLease()
    const key = { run: this.#question.id, step }
    const post = { channel, content, key, asker: user, signal, checkLease, mustArrive: once }
    const claim = await this.#run.claimPost(step)
    if (typeof claim === 'object') return once ? undefined : outbox.update({ ...post, ts: claim.ts })
    const place = { ...post, thread, since: sinceOf(this.#question) }
    const found = claim === 'unsure' ? await outbox.find(place) : (await this.#before(place)).get(step)
    await this.#run.posted(step, found ?? (await outbox.post(place)))
    // A post from before a crash shows the step as it was then.
    if (found !== undefined && !once) await outbox.update({ ...post, ts: found })
  }

  /**
   * What earlier processes posted, as Slack has it: a Redis that was restarted may have lost the last records of posts, or
   * with its file the whole question, which Slack then delivered again.
   */
  #before(place: { channel: string; thread: string; since: string }): Promise<Map<string, string>> {
    if (!this.#question.isLate && this.#run.saved.attempts < 2) return NOTHING_BEFORE
    this.#earlier ??= this.#options.outbox.findAll(place, this.#question.id)
    return this.#earlier
  }

  /** Later work waits for earlier work. A step that cannot be shown is logged; for an answer the writer gets the error. */
  #enqueue(work: () => Promise<void>, mustSucceed = false): void {
    this.#tail = this.#tail.then(async () => {
      if (this.#lost) return
      await work().catch((error: unknown) => {
        if (mustSucceed || error instanceof LeaseLost || this.#options.signal.aborted) this.#lost = error
        else
          this.#options.log.error(
            { question: this.#question.id, error: messageOf(error) },
            'a reply could not be shown',
          )
      })
    })
  }
}

/** A post key of its own for each retry by hand: a run that fails again says so again. */
function keyOfEnd(name: 'failed' | 'given-up', { saved }: Run): string {
  return saved.retries > 0 ? `${name}-${saved.retries}` : name
}

/** Whether an earlier process had begun to tell the thread that this run failed, and then died before the run was ended. */
export function isFailureTold(run: Run): boolean {
  return run.saved.posts[`${keyOfEnd('failed', run)}-1`] !== undefined
}

const NOTHING_BEFORE = Promise.resolve(new Map<string, string>())

const CUT_OFF = { ok: false, text: 'This was not finished.' }

function isRunning(step: Step): step is ToolStep {
  return step.kind === 'tool' && !step.observation
}
