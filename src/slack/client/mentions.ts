import { inputText } from '../../agent/tool-input.ts'
import type { Action, Step } from '../../agent/contracts/run-events.ts'
import type { AnswerEvent } from '../../question/answer.ts'
import type { History, Turn } from '../../stores/history/types.ts'
import type { RunControl } from '../../stores/runs/run-control.ts'
import type { Question, Run, SavedRun } from '../../stores/runs/types.ts'
import { TYPED } from '../content/plain-text.ts'
import { cleanName } from '../format/escape.ts'
import type { Directory } from './directory.ts'

/** The total time that one run waits for name look-ups, in ms. */
const MAX_WAIT_MS = 2_000

/** `<@U…>`, `<#C…>`, `<!subteam^S…>`, with or without a label. A model may write `<` and `>` as entities. */
const MENTION =
  /(?:<|&lt;)(@[UW][A-Z0-9]{1,20}|#[CG][A-Z0-9]{1,20}|!subteam\^S[A-Z0-9]{1,20})(?:\|([^<>|\n]{0,100}?))?(?:>|&gt;)/g
/** A bare id that a model wrote, but not inside a longer word or an address. */
const BARE = /(?<![\w/.=&?%:-])[@#]?([UWCG](?=[A-Z]{0,20}[0-9])[A-Z0-9]{6,20})(?![\w/-])/g
/** Slack renders no mentions in code, so an id there may be just an example. */
const CODE = /(```[\s\S]*?```|`[^`\n]*`)/

const PRIVATE = 'a private channel'

/**
 * Replaces ids with names in the texts of one run: people's texts for the model, and the model's texts for people. The
 * name of a private channel is shown only in that channel.
 */
export class Mentions {
  readonly #directory: Directory
  readonly #team: string
  readonly #channel: string
  #waitLeftMs = MAX_WAIT_MS

  constructor(directory: Directory, { team, channel }: { team: string; channel: string }) {
    this.#directory = directory
    this.#team = team
    this.#channel = channel
  }

  /** Returns a person's text with names, and with words such as `somebody` for ids without a name. */
  async withNames(text: string): Promise<string> {
    await this.#lookUp(text)
    return this.#textWithNames(text)
  }

  /** Returns the question with names for the model. Saves its text, so that a resumed run uses the same words. */
  async questionForModel(question: Question, run: Run): Promise<Question> {
    const text = run.saved.named ?? (await this.withNames(withPlace(question)))
    if (text !== question.text && run.saved.named === undefined) await run.save({ part: 'named', value: text })
    return { ...question, text }
  }

  /** Returns people's messages for the model, with their authors' names if known. */
  async messagesForModel(
    messages: { user: string | undefined; text: string }[],
  ): Promise<{ name?: string; text: string }[]> {
    // Newest first, because the number of ids per look-up is limited.
    await this.#lookUp(...messages.toReversed().flatMap(({ user, text }) => [`<@${user ?? ''}>`, text]))
    return messages.map(({ user, text }) => {
      const name = this.#nameOf(user)
      return { text: this.#textWithNames(text), name }
    })
  }

  /** Looks up the mentions in these texts, but not bare ids, which may be anything. */
  async #lookUp(...texts: string[]): Promise<void> {
    const ids = texts.flatMap((text) => [...text.matchAll(MENTION)].flatMap(([, sign]) => idOf(sign) ?? []))
    if (ids.length === 0) return
    const startedAt = this.#directory.now()
    await this.#directory.lookUp(this.#team, ids, this.#waitLeftMs)
    this.#waitLeftMs -= this.#directory.now() - startedAt
  }

  /** Returns the event for people, with names in the model's text. Tool results are data and stay unchanged. */
  async event(event: AnswerEvent): Promise<AnswerEvent> {
    if (event.type === 'understood') {
      await this.#lookUp(event.question)
      return { ...event, question: this.forPeople(event.question) }
    }
    if (event.type === 'done') {
      await this.#lookUp(...event.calls.map(({ by = '' }) => `<@${by}>`))
      return event
    }
    if (event.type === 'answer' || event.type === 'gave_up') {
      await this.#lookUp(event.text)
      return { ...event, text: this.forPeople(event.text) }
    }
    if (!('step' in event)) return event
    await this.#lookUp(...textsOf(event.step))
    return this.#withNames(event)
  }

  /** Looks up the mentions in a run that an earlier process began, and another text. */
  async lookUpSaved({ steps, standalone = '' }: SavedRun, text = ''): Promise<void> {
    await this.#lookUp(text, standalone, ...steps.flatMap(textsOf))
  }

  /** Like `event`, for steps that an earlier process saved. Makes no look-up: only known names are used. */
  steps(steps: readonly Step[]): Step[] {
    return steps.map((step) => this.#step(step))
  }

  /** Returns the model's text for people. Makes no look-up: ids without a known name stay unchanged. */
  forPeople(text: string): string {
    return this.#inCode(text).replace(BARE, (word, id: string) => this.#publicNameOf(id) ?? word)
  }

  /** Returns a person's name, without a ping. Makes no look-up. */
  nameOf(user: string): string {
    return this.#nameOf(user)?.slice(1) ?? 'somebody'
  }

  /** Wraps a run control so that people's messages to the run contain names. */
  control(control: RunControl): RunControl {
    return {
      send: (run, signal) => control.send(run, signal),
      resume: (run, key, decision) => control.resume(run, key, decision),
      load: (run) => control.load(run),
      listen: async (run, heard) => {
        const named: Promise<void>[] = []
        const end = await control.listen(run, (signal) => {
          if (signal.type !== 'message' || !signal.text.includes('<')) return heard(signal)
          named.push(this.withNames(signal.text).then((text) => heard({ ...signal, text })))
        })
        await Promise.all(named)
        return end
      },
    }
  }

  /** Wraps a history that stores ids so that it returns names. `onLoad` gets the turns with ids. */
  history(history: History, onLoad?: (turns: Turn[]) => void): History {
    return {
      ...history,
      load: async (thread) => {
        const turns = await history.load(thread)
        onLoad?.(turns)
        await this.#lookUp(...turns.flatMap(({ question, standalone, answer }) => [question, standalone, answer]))
        return turns.map((turn) => this.#turn(turn))
      },
    }
  }

  #turn(turn: Turn): Turn {
    const { question, standalone, answer } = turn
    return {
      ...turn,
      question: this.#textWithNames(question),
      standalone: this.#textWithNames(standalone),
      answer: this.forPeople(answer),
    }
  }

  #withNames<Event extends { step: Step }>(event: Event): Event {
    return { ...event, step: this.#step(event.step) }
  }

  #step<Kind extends Step>(step: Kind): Kind {
    if (step.kind === 'message') return { ...step, text: this.forPeople(step.text) }
    const { thought, reasoning } = step
    const said = { thought: this.forPeople(thought), ...(reasoning ? { reasoning: this.forPeople(reasoning) } : {}) }
    return step.kind === 'tool' ? { ...step, ...said, action: this.#action(step.action) } : { ...step, ...said }
  }

  #action(action: Action): Action {
    const input = inputText(action.input)
    // The braces of a call without arguments tell people nothing.
    return { ...action, tool: this.forPeople(action.tool), input: input.trim() === '{}' ? '' : this.forPeople(input) }
  }

  #textWithNames(text: string): string {
    const parts = text.split(CODE)
    const named = parts.map((part, i) => (i % 2 === 1 ? this.#inCode(part) : this.#withWords(part)))
    return named.join('').replaceAll(`<${TYPED}`, '<')
  }

  #inCode(text: string): string {
    return text.replace(MENTION, (mention, sign: string) => this.#nameOf(idOf(sign)) ?? mention)
  }

  #withWords(text: string): string {
    return text.replace(MENTION, (_, sign: string, label = '') => {
      const labelled = cleanName(label) && `${sign.startsWith('#') ? '#' : '@'}${cleanName(label)}`
      return this.#nameOf(idOf(sign)) ?? (labelled || this.#wordFor(sign))
    })
  }

  #wordFor(sign: string): string {
    if (sign.startsWith('@')) return 'somebody'
    if (!sign.startsWith('#')) return 'a group of people'
    // Somebody could mention this channel, so it exists. If Slack hides it, it is private and the bot is not in it.
    return this.#directory.get(this.#team, sign.slice(1))?.kind === 'none' ? PRIVATE : 'a channel'
  }

  #nameOf(id: string | undefined): string | undefined {
    const known = id === undefined ? undefined : this.#directory.get(this.#team, id)
    if (known?.kind === 'person' || known?.kind === 'group') return `@${known.name}`
    if (known?.kind !== 'channel') return undefined
    if (known.isPrivate && id !== this.#channel) return PRIVATE
    return known.name ? `#${known.name}` : undefined
  }

  #publicNameOf(id: string): string | undefined {
    const name = this.#nameOf(id)
    return name === PRIVATE ? undefined : name
  }
}

/** The texts of a step in which ids are replaced: the model's text, or the message that a person added. */
function textsOf(step: Step): string[] {
  if (step.kind === 'message') return [step.text]
  const said = [step.thought, step.reasoning ?? '']
  return step.kind === 'tool' ? [...said, step.action.tool, inputText(step.action.input)] : said
}

/** The id in `@U…`, `#C…` or `!subteam^S…`. */
function idOf(sign = ''): string {
  return sign.replace(/^(?:[@#]|!subteam\^)/, '')
}

/** The question for the model if a message has only files. */
const FILES_ALONE = 'Only files came, with no message. Say what they contain, and what matters in them here.'

/** The same if it has only a forward, an alert or a table, which is among the messages before the question. */
const ATTACHED_ALONE =
  'What about this? (The asker attached the forward or table above, and said nothing about it. Say what it is, and what of it matters here.)'

function withPlace({ text, attached, lookingAt }: Question): string {
  const asked = text === '' ? (attached === undefined ? FILES_ALONE : ATTACHED_ALONE) : text
  return lookingAt === undefined ? asked : `${asked}\n\n(The asker is looking at <#${lookingAt}>.)`
}
