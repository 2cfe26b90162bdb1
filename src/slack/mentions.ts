import { inputText } from '../agent/tool-input.ts'
import type { Action, Step } from '../agent/types.ts'
import type { AnswerEvent } from '../answer.ts'
import type { History, Turn } from '../history/types.ts'
import type { SavedRun } from '../run/types.ts'
import { cleanName } from './format/clean-name.ts'
import type { Directory } from './client/directory.ts'

/** How long one run waits for names, over all of its texts. Milliseconds. */
const PATIENCE_MS = 2_000

/** `<@U…>`, `<#C…>`, `<!subteam^S…>`, each with a name or without, and as a model may write them with entities. */
const MENTION =
  /(?:<|&lt;)(@[UW][A-Z0-9]{1,20}|#[CG][A-Z0-9]{1,20}|!subteam\^S[A-Z0-9]{1,20})(?:\|([^<>|\n]{0,100}?))?(?:>|&gt;)/g
/** An id by itself, as a model may repeat it; not a part of a longer word or of an address. */
const BARE = /(?<![\w/.=&?%:-])[@#]?([UWCG](?=[A-Z]{0,20}[0-9])[A-Z0-9]{6,20})(?![\w/-])/g
/** Slack makes no mention of what stands in code, so that an id there may be just an example. */
const CODE = /(```[\s\S]*?```|`[^`\n]*`)/

const PRIVATE = 'a private channel'

/**
 * The people and channels that the texts of one run name, by their names: for the model in what people wrote, for people in
 * what the model wrote. A private channel has its name only in that channel itself.
 */
export class Mentions {
  readonly #directory: Directory
  readonly #team: string
  readonly #channel: string
  #patience = PATIENCE_MS

  constructor(directory: Directory, { team, channel }: { team: string; channel: string }) {
    this.#directory = directory
    this.#team = team
    this.#channel = channel
  }

  /** What a person wrote, as the model gets it: names, or words for whom nobody knows. */
  async readable(text: string): Promise<string> {
    await this.meet(text)
    return this.#readable(text)
  }

  /** Looks up whom these texts mention. Ids without a mention's marks are not looked up: they may be anything. */
  async meet(...texts: string[]): Promise<void> {
    const from = Date.now()
    const ids = texts.flatMap((text) => [...text.matchAll(MENTION)].flatMap(([, sign]) => idOf(sign) ?? []))
    await this.#directory.meet(this.#team, ids, this.#patience)
    this.#patience -= Date.now() - from
  }

  /** What the model wrote in this event, as people get it. What a tool returned is data and stays as it is. */
  async event(event: AnswerEvent): Promise<AnswerEvent> {
    if (event.type === 'usage') return event
    if (event.type === 'understood') {
      await this.meet(event.question)
      return { ...event, question: this.shown(event.question) }
    }
    if (event.type === 'answer' || event.type === 'gave_up') {
      await this.meet(event.text)
      return { ...event, text: this.shown(event.text) }
    }
    await this.meet(...textsOf(event.step))
    return this.#withNames(event)
  }

  /** Looks up whom a run mentions that an earlier process began. */
  async meetSaved({ steps, standalone = '' }: SavedRun): Promise<void> {
    await this.meet(standalone, ...steps.flatMap(textsOf))
  }

  /** The same as `event` for steps that an earlier process saved, with the names of those who are known by now. */
  steps(steps: readonly Step[]): Step[] {
    return steps.map((step) => this.#step(step))
  }

  /** What a model wrote, with the names of those who are known by now. The rest stays as it was written. */
  shown(text: string): string {
    return text
      .replace(MENTION, (mention, sign: string) => this.#nameOf(idOf(sign)) ?? mention)
      .replace(BARE, (word, id: string) => this.#publicNameOf(id) ?? word)
  }

  /** The history of the place: what was kept with ids is read with names. */
  history(history: History): History {
    return {
      load: async (thread) => {
        const turns = await history.load(thread)
        await this.meet(...turns.flatMap(({ question, standalone, answer }) => [question, standalone, answer]))
        return turns.map((turn) => this.#turn(turn))
      },
      append: (thread, turn) => history.append(thread, turn),
      forget: (thread) => history.forget(thread),
    }
  }

  #turn(turn: Turn): Turn {
    const { question, standalone, answer } = turn
    return {
      ...turn,
      question: this.#readable(question),
      standalone: this.#readable(standalone),
      answer: this.shown(answer),
    }
  }

  #withNames<Told extends { step: Step }>(event: Told): Told {
    return { ...event, step: this.#step(event.step) }
  }

  #step<Kind extends Step>(step: Kind): Kind {
    if (step.kind === 'message') return { ...step, text: this.shown(step.text) }
    const thought = this.shown(step.thought)
    return step.kind === 'tool' ? { ...step, thought, action: this.#action(step.action) } : { ...step, thought }
  }

  #action(action: Action): Action {
    return { ...action, tool: this.shown(action.tool), input: this.shown(inputText(action.input)) }
  }

  #readable(text: string): string {
    const parts = text.split(CODE)
    return parts.map((part, i) => (i % 2 === 1 ? this.shown(part) : this.#inWords(part))).join('')
  }

  #inWords(text: string): string {
    return text.replace(MENTION, (_, sign: string, label = '') => {
      const labelled = cleanName(label) && `${sign.startsWith('#') ? '#' : '@'}${cleanName(label)}`
      return this.#nameOf(idOf(sign)) ?? (labelled || this.#nobody(sign))
    })
  }

  #nobody(sign: string): string {
    if (sign.startsWith('@')) return 'somebody'
    if (!sign.startsWith('#')) return 'a group of people'
    // Slack knows a channel that somebody could name; if it does not tell the bot of it, the bot is not in it.
    return this.#directory.get(this.#team, sign.slice(1))?.kind === 'none' ? PRIVATE : 'a channel'
  }

  #nameOf(id: string | undefined): string | undefined {
    const known = id === undefined ? undefined : this.#directory.get(this.#team, id)
    if (known?.kind === 'person') return `@${known.name}`
    if (known?.kind !== 'channel') return undefined
    if (known.isPrivate && id !== this.#channel) return PRIVATE
    return known.name ? `#${known.name}` : undefined
  }

  #publicNameOf(id: string): string | undefined {
    const name = this.#nameOf(id)
    return name === PRIVATE ? undefined : name
  }
}

/** What the model wrote of a step. What a person wrote is looked up too: it is read by the model with names. */
function textsOf(step: Step): string[] {
  if (step.kind === 'message') return [step.text]
  return step.kind === 'tool' ? [step.thought, step.action.tool, inputText(step.action.input)] : [step.thought]
}

/** The id in `@U…` or `#C…`; a group of people has none that could be looked up. */
function idOf(sign = ''): string | undefined {
  return /^[@#]/.test(sign) ? sign.slice(1) : undefined
}
