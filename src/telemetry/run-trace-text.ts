/** The texts of a trace: without the settings' secrets, and within their size. */
import { cutMiddle } from '../agent/observation.ts'
import type { Message } from '../agent/contracts/model.ts'
import { blankSecrets } from '../base/log.ts'
import type { TracedMessage } from '../stores/runs/run-trace.ts'

/** The maximum of all texts of a trace together, of one text, and of one text once the trace is full. Characters. */
const MAX = { trace: 8_000_000, text: 400_000, full: 500 }

const FOR_ASKER = '(This is for the asker alone.)'

/** The texts of one trace. `room`: how many more characters fit. */
export class TraceText {
  readonly #blank: (text: string) => string
  #isMuted = false
  #room = MAX.trace

  constructor(secrets: readonly string[], used = 0) {
    this.#blank = blankSecrets(secrets)
    this.#room -= used
  }

  /** Replaces each later text by a sentence: it may hold what only the asker may see. */
  mute(): void {
    this.#isMuted = true
  }

  get isMuted(): boolean {
    return this.#isMuted
  }

  /** Why something is missing; undefined if everything fitted. */
  cut: string | undefined

  /**
   * Returns a text as the trace keeps it. Secrets are blanked before it is cut, so that no cut leaves a part of one.
   */
  text(text: string): string {
    if (this.#isMuted) return FOR_ASKER
    return this.#bounded(this.#blank(text))
  }

  /**
   * Returns a JSON value. One that is too long becomes a text, and anything that is not JSON is described in words.
   */
  json<T>(value: T): T | string {
    if (this.#isMuted) return FOR_ASKER
    try {
      const whole = this.#blank(JSON.stringify(value) ?? 'null')
      const kept = this.#bounded(whole)
      if (kept !== whole) return kept
      const copy: T = JSON.parse(whole)
      return copy
    } catch {
      return '(This is no JSON.)'
    }
  }

  /** Pictures are kept by name and type alone. Reasoning is in the output that brought it. */
  message({ images, kept: _, ...message }: Message): TracedMessage {
    const { content, unseen, toolCalls } = message
    return {
      ...message,
      content: this.text(content),
      unseen: unseen === undefined ? undefined : this.text(unseen),
      toolCalls: toolCalls && this.calls(toolCalls),
      images: images?.map(({ name, mime }) => ({ name: this.text(name), mime })),
    }
  }

  calls(calls: NonNullable<Message['toolCalls']>): NonNullable<Message['toolCalls']> {
    return calls.map((call) => ({ ...call, name: this.text(call.name), arguments: this.text(call.arguments) }))
  }

  #bounded(text: string): string {
    const max = this.#room > 0 ? MAX.text : MAX.full
    this.#room -= Math.min(text.length, max)
    if (text.length <= max) return text
    this.cut = `Texts are cut in their middle: a trace keeps ${MAX.trace.toLocaleString('en')} characters, and ${MAX.text.toLocaleString('en')} of one text.`
    return cutMiddle(text, max)
  }
}
