import { LeaseLost, messageOf } from '../../base/errors.ts'
import { SerialQueue } from '../../base/serial-queue.ts'
import type { AnswerView } from '../format/blocks.ts'
import { understoodLine } from '../format/step-message.ts'
import { linkPolicy } from '../format/links.ts'
import { StreamMarkdown } from '../format/stream-markdown.ts'
import { SlackRefusal } from '../client/slack-errors.ts'
import type { Outbox } from '../client/outbox.ts'
import { endStream } from './stream-ending.ts'
import { CLOSING_FENCE, endedBy, inheritStream, StreamMessage, streamKeys, WITHDRAWN } from './stream-message.ts'
import type { Chunk, StreamedAnswer } from './stream-message.ts'
import { StreamSteps, taskOf, type TaskUpdate } from './stream-tasks.ts'
import type { AnswerStart, Display, Ending, ShownRun, ShownStep } from './types.ts'

/** Minimum time between two calls. Changes in between go with the second. Milliseconds. */
const PACE_MS = 1_000
/** Delay after a failed call. Milliseconds. */
const RETRY_MS = 3_000
/** The number of streams of a run that may die before the fallback shows the rest. */
const MAX_DEATHS = 3
/** The end of an answer comes right after its last words. This wait lets both go in one call. Milliseconds. */
const SETTLE_MS = 60
const WORKING = 'Working on it …'
const NOTHING: StreamedAnswer = { written: '', markdown: '', posts: [] }

/**
 * `STEPS=stream`: one streamed message with a plan of one task per step, and below it the answer as the model writes
 * it. Calls go out one at a time, at most one a second, and merge pending changes. Another stream continues an old or
 * long one. `chat.update` repairs a dead stream at the end. If no stream can be opened, the fallback shows the run.
 */
export class StepStream implements Display {
  readonly #shown: ShownRun
  readonly #outbox: Outbox
  readonly #fallback: Display
  readonly #steps = new StreamSteps()
  #message: StreamMessage | undefined
  /** A message that accepts no more chunks, until another one continues it. */
  #dead: StreamMessage | undefined
  /** The part of the answer in earlier messages. */
  #before: StreamedAnswer = NOTHING
  /** The first line of a code block that was open when a message ended. The next message opens it again. */
  #reopened = ''
  #deaths = 0
  #answer: StreamMarkdown | undefined
  #start: AnswerStart | undefined
  /** The part of the answer that Slack has, as the model wrote it. */
  #sentText = ''
  #mode: 'stream' | 'fallback' | 'silent' = 'stream'
  /** A stream that an earlier process opened and that is not looked up yet. */
  #isInherited: boolean
  /** The number of steps that it may show. */
  readonly #savedSteps: number
  #calledAt = -Infinity
  #timer: NodeJS.Timeout | undefined
  readonly #queue = new SerialQueue((error) => {
    if (error instanceof LeaseLost) this.#queue.ended = error
    else this.#outbox.log.error({ error: messageOf(error) }, 'the streamed message could not go on')
  })
  #isEnding = false

  /** `fallback` shows the run if no stream can be opened. */
  constructor(shown: ShownRun, fallback: Display) {
    const { outbox, streamsRefused, now } = shown
    this.#shown = shown
    this.#outbox = outbox
    this.#fallback = fallback
    this.#isInherited = streamKeys(outbox).length > 0
    this.#savedSteps = outbox.run.saved.steps.length
    if (!this.#isInherited && streamsRefused.isRefused(outbox.question, now())) this.#mode = 'fallback'
  }

  async show(steps: ShownStep[]): Promise<boolean> {
    this.#queue.throwIfEnded()
    if (this.#mode === 'fallback') return this.#fallback.show(steps)
    const hasChanged = this.#steps.update(steps)
    if (hasChanged) this.#schedule()
    return hasChanged
  }

  showAnswer(text: string | undefined, start: AnswerStart): void {
    if (text === undefined) return this.#withdraw()
    if (this.#mode !== 'stream') return
    this.#start = start
    this.#answer ??= this.#markdown(start)
    this.#answer.push(text)
    this.#schedule()
  }

  #withdraw(): void {
    this.#answer = undefined
    this.#queue.add(async () => {
      const [sentText, message] = [this.#sentText, this.#message]
      this.#sentText = ''
      this.#before = NOTHING
      if (sentText === '' || !message) return
      message.text = ''
      this.#message = undefined
      await message.stop([{ type: 'markdown_text', text: `\n\n_${WITHDRAWN}_` }]).catch(() => message.end())
    })
  }

  async finish(ending: Ending, unfinished: ShownStep[]): Promise<void> {
    this.#isEnding = true
    if (this.#mode !== 'fallback') for (const step of unfinished) this.#steps.mark(step)
    clearTimeout(this.#timer)
    await this.#queue.settled()
    this.#queue.throwIfEnded()
    if (this.#isInherited) await this.#inherit()
    if (!this.#message && !this.#dead && this.#mode === 'stream' && this.#steps.unsent.length > 0) await this.#send()
    const message = this.#message ?? this.#dead
    const isApart = this.#mode === 'fallback' && message?.text === ''
    if (ending.kind === 'note' || !message || isApart) return this.#finishApart(ending, unfinished)
    await endStream(ending.key, ending.view, {
      outbox: this.#outbox,
      message,
      before: this.#before,
      head: understoodHead(ending.view),
      tasks: this.#steps.all.map(taskOf),
      unsent: this.#tasks(),
      answer: this.#answer ?? this.#markdown(ending.view),
      streamedText: this.#sentText,
    })
  }

  async end(): Promise<void> {
    this.#isEnding = true
    clearTimeout(this.#timer)
    await this.#queue.settled()
    if (this.#isInherited) await this.#inherit().catch(() => undefined)
    await this.#message?.end()
    await this.#fallback.end()
  }

  async leave(): Promise<void> {
    this.#isEnding = true
    clearTimeout(this.#timer)
    await this.#queue.settled()
  }

  /** Ends the stream as it is, and lets the fallback show the ending. */
  async #finishApart(ending: Ending, unfinished: ShownStep[]): Promise<void> {
    const message = this.#message
    if (message && !message.isOver) await message.stop(this.#tasks()).catch(() => undefined)
    const isShown = this.#mode !== 'fallback' && message !== undefined
    await this.#fallback.finish(ending, isShown ? [] : unfinished)
  }

  #markdown(start: AnswerStart): StreamMarkdown {
    return new StreamMarkdown(linkPolicy(start), (text) => this.#shown.mentions.forPeople(text))
  }

  /** Schedules sending the pending changes: soon, but not before `afterMs` have passed since the last call. */
  #schedule(afterMs = PACE_MS): void {
    if (this.#timer !== undefined || this.#isEnding || this.#mode !== 'stream') return
    const waitMs = Math.max(SETTLE_MS, this.#calledAt + afterMs - this.#nowMs())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#queue.add(() => this.#send())
    }, waitMs)
  }

  async #send(): Promise<void> {
    if (this.#isInherited) await this.#inherit()
    // A message that died with a part of the answer is repaired once the answer is complete.
    if (this.#dead?.isUnsure) return
    const [sent, tasks] = [this.#steps.unsent, this.#tasks()]
    const answer = this.#answer
    const part = this.#message?.isUnsure ? undefined : answer?.take()
    const text = part?.markdown ? [{ type: 'markdown_text' as const, text: this.#withHead(part.markdown) }] : []
    if (tasks.length + text.length === 0) return
    this.#steps.markSent()
    this.#calledAt = this.#nowMs()
    try {
      await this.#write([...tasks, ...text], part?.fence ?? '')
      this.#sentText += part?.written ?? ''
    } catch (error) {
      for (const step of sent) this.#steps.unsend(step)
      if (part && !this.#message?.isUnsure) answer?.putBack(part)
      await this.#onError(error, part?.fence ?? '')
    }
  }

  /** Puts how the question was understood above the answer. */
  #withHead(markdown: string): string {
    return this.#sentText === '' && this.#start ? understoodHead(this.#start) + markdown : markdown
  }

  /** Appends to the message or the next one. `fence`: the code block that is open where the chunks' text begins. */
  async #write(chunks: Chunk[], fence: string): Promise<void> {
    if (this.#message && !this.#message.isUnsure && this.#message.isFull(this.#nowMs(), chunks)) {
      const message = this.#message
      this.#retire(message, fence)
      await message.stop(this.#reopened ? [CLOSING_FENCE] : []).catch(() => message.end())
    }
    if (this.#message) return this.#message.append(chunks)
    const all = chunks.map((chunk) => (chunk.type === 'markdown_text' ? this.#continued(chunk) : chunk))
    this.#message = await StreamMessage.open(this.#outbox, [{ type: 'plan_update', title: WORKING }, ...all])
    this.#reopened = ''
    if (this.#dead) this.#before = endedBy(this.#dead, this.#before, this.#sentText)
    if (this.#dead) this.#message.follow(this.#dead)
    this.#dead = undefined
  }

  #continued(chunk: Extract<Chunk, { type: 'markdown_text' }>): Chunk {
    const text = chunk.text.trimStart()
    return { ...chunk, text: this.#reopened ? `${this.#reopened}\n${text}` : text }
  }

  /** Marks the message as dead, so that the next chunks open another one. */
  #retire(message: StreamMessage, fence: string): void {
    this.#dead = message
    this.#message = undefined
    this.#reopened = message.text === '' ? '' : fence
  }

  /** After an error, the stream continues later, in another message, or not at all. */
  async #onError(error: unknown, fence: string): Promise<void> {
    if (error instanceof LeaseLost) throw error
    const code = error instanceof SlackRefusal ? error.code : undefined
    this.#outbox.log.info({ error: messageOf(error) }, 'Slack rejected a part of the streamed message')
    const isDead = code === 'message_not_in_streaming_state'
    if (code === 'stopped_by_user') this.#shown.stopRun()
    // A message with unknown content is repaired at the end.
    if (code === 'stopped_by_user' || (isDead && this.#message?.isUnsure)) {
      this.#mode = 'silent'
      return
    }
    if (!this.#message) return this.#fallBack(code)
    if (code === undefined || code === 'ratelimited') return this.#schedule(RETRY_MS)
    if (!isDead || ++this.#deaths > MAX_DEATHS) return this.#fallBack(code)
    this.#retire(this.#message, fence)
    this.#schedule()
  }

  /** Lets the fallback show the steps that the stream does not show. */
  async #fallBack(code: string | undefined): Promise<void> {
    this.#mode = 'fallback'
    const { outbox, streamsRefused, now } = this.#shown
    if (code !== undefined && !this.#message) streamsRefused.note(outbox.question, code, now())
    const { unsent } = this.#steps
    this.#steps.markSent()
    await this.#fallback.show(unsent)
  }

  #tasks(): TaskUpdate[] {
    const { earlier } = this.#message ?? this.#dead ?? {}
    return this.#steps.unsent.map(taskOf).filter(({ id }) => !earlier?.has(id))
  }

  /** Takes over a dead process's message, to continue it or to repair it at the end. Reads its content from Slack. */
  async #inherit(): Promise<void> {
    this.#isInherited = false
    const { before, message } = await inheritStream(this.#outbox, this.#savedSteps)
    this.#before = before
    if (message?.isOver) this.#dead = message
    else this.#message = message
  }

  #nowMs(): number {
    return this.#shown.now().getTime()
  }
}

/** The question as it was understood, above its answer. */
function understoodHead({ understood }: Pick<AnswerView, 'understood'>): string {
  return understood ? `${understoodLine(understood)}\n\n` : ''
}
