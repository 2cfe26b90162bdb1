/** Reads along what people, models and tools do in the playground, so that a conversation can be saved as a test. */
import { isObject } from '../args.ts'
import type { Entry, Journal } from '../journal/journal.ts'
import type { LocalSlack } from '../local-slack.ts'
import type { Json } from '../types.ts'
import { isAtWork } from './at-work.ts'
import { eachText, Places, type Scope } from './place-names.ts'
import type { Heard, HeardTool, SaidAct } from './heard.ts'
import { conversationOf } from './recorded-conversation.ts'
import type { Conversation, RecordedTool } from './conversation-file.ts'

export interface RecorderOptions {
  journal: Journal
  /** The bot's settings that are not as by default. */
  settings: Record<string, string>
  /** What may stand in no file: each is replaced by `***`. */
  secrets: string[]
  now?: () => number
}

export interface Recorder {
  readonly heard: Heard
  /** Told of what somebody does at the page before it is done; what it returns takes that back, where it was refused. */
  onAct(act: string, body: Json, user: string): () => void
  /** Told of a tool that a bot may not have by itself, as far as it is no function. */
  onOffered(tool: Json): void
  /** Told of a tool's use when it begins; what it returns is told of its end. */
  onTool(begun: Pick<RecordedTool, 'tool' | 'input'>): (end: Pick<RecordedTool, 'output' | 'error'>) => void
  /** What would be saved. */
  conversation(name: string, scope?: Scope): Conversation
  end(): void
}

/** The most that is kept of each kind; from then on the recording is of no use, and says so. */
const MOST = 5_000

export function createRecorder(slack: LocalSlack, options: RecorderOptions): Recorder {
  const { journal, settings, secrets, now = Date.now } = options
  const heard: Heard = { places: new Places(slack), acts: [], models: [], tools: [], offered: new Map() }
  const calls = new Set<Entry>()
  const unwatch = journal.watch((entry) => {
    if (entry.kind !== 'model' || calls.has(entry) || calls.size >= MOST) return
    const { body } = journal.whole(entry) ?? entry.request
    if (!isObject(body) || !Array.isArray(body['messages'])) return
    calls.add(entry)
    heard.models.push({ entry, body })
  })
  return {
    heard,
    onAct(act, body, user) {
      const said = {
        ...{ act, body: structuredClone(body), user, at: now(), files: filesOf(slack, body) },
        ...{ reached: reachedBy(heard), during: underway(heard), isAtWork: isAtWork(slack) },
      }
      heard.acts.push(said)
      return () => void heard.acts.splice(heard.acts.indexOf(said), 1)
    },
    onOffered: (tool) => void heard.offered.set(String(tool['name']), tool),
    onTool(begun) {
      const tool: HeardTool = { ...begun, isOver: false, at: now() }
      if (heard.tools.length < MOST) heard.tools.push(tool)
      return (end) => void Object.assign(tool, end, { isOver: true })
    },
    conversation: (name, scope = {}) => {
      if (calls.size >= MOST) throw new Error('Too much was said to be recorded. Start the playground again.')
      return withoutSecrets(conversationOf(heard, { name, scope, settings }), secrets)
    },
    end() {
      unwatch()
      heard.places.end()
    },
  }
}

function reachedBy({ models, tools, places }: Heard): SaidAct['reached'] {
  const over = models.filter(({ entry }) => entry.ms !== undefined)
  return { models: over.map(({ entry }) => entry), tools: tools.filter(({ isOver }) => isOver), messages: places.size }
}

function underway({ models, tools }: Heard): SaidAct['during'] {
  return {
    models: models.flatMap(({ entry }) => (entry.ms === undefined ? [entry] : [])),
    tools: tools.filter(({ isOver }) => !isOver),
  }
}

/** The files that a message brings, as they are now. */
function filesOf({ store }: LocalSlack, { files }: Json): NonNullable<SaidAct['files']> {
  const ids: unknown[] = Array.isArray(files) ? files : []
  return ids.flatMap((id) => {
    const file = store.files.get(String(id))
    if (!file?.bytes) return []
    const { name, altText: alt, bytes } = file
    const text = Buffer.from(bytes).toString()
    const isText = Buffer.from(text).equals(Buffer.from(bytes))
    return [{ name, ...(alt && { alt }), ...(isText ? { text } : { base64: Buffer.from(bytes).toString('base64') }) }]
  })
}

/** @returns the conversation with `***` where a secret stood */
function withoutSecrets(conversation: Conversation, secrets: string[]): Conversation {
  const known = secrets.filter((secret) => secret.length >= 6)
  const hidden = /\b(?:xox[a-z]-|xapp-|sk-)[\w-]{8,}/g
  const clean = (text: string) =>
    known.reduce((all, secret) => all.replaceAll(secret, '***'), text).replace(hidden, '***')
  return eachText(conversation, clean)
}
