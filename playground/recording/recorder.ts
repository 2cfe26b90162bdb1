/** Records people, models and tools in the playground, so that a conversation can be saved as a test. */
import { isObject } from '../slack/args.ts'
import { TRIED_HEADER } from '../journal/again-header.ts'
import type { JournalEntry, Journal } from '../journal/journal.ts'
import type { LocalSlack } from '../slack/local-slack.ts'
import type { Json } from '../slack/types.ts'
import { threadsAtWork } from './at-work.ts'
import { eachText, isMeant, Places, type NameScope } from './place-names.ts'
import type { ObservedEvents, ObservedCall, ObservedTool, ObservedAct } from './heard.ts'
import { conversationOf } from './recorded-conversation.ts'
import { threadsOfTools } from './threads-of-tools.ts'
import type { RecordedConversation } from './conversation-file.ts'

interface RecorderOptions {
  journal: Journal
  /** The bot's settings that differ from their defaults. */
  settings: Record<string, string>
  now?: () => number
}

export interface Recorder {
  readonly heard: ObservedEvents
  /** Records an act before it is carried out. Returns a function that removes it again if it is refused. */
  onAct(act: string, body: Json, user: string): () => void
  /** Records the declaration of a tool, for a bot without it. */
  onOffered(tool: Json): void
  /** Records a tool call that has ended. */
  onTool(call: ObservedTool): void
  /** Resolves when the last act has had its effect. @throws Error if the bot is still working there */
  settled(scope: NameScope): Promise<void>
  /** Returns the conversation that would be saved. */
  conversation(name: string, scope?: NameScope): RecordedConversation
  end(): void
}

/** The maximum number of acts, calls and tools. A recording beyond it is incomplete and says so. */
const MAX = 5_000

export function createRecorder(slack: LocalSlack, options: RecorderOptions): Recorder {
  const { journal, settings, now = Date.now } = options
  // Secrets are removed before texts are cut, so that none is cut in two.
  const clean = <T>(value: T): T => eachText(value, journal.hidden)
  const heard: ObservedEvents = { places: new Places(slack), acts: [], models: [], tools: [], offered: new Map() }
  const calls = new Set<JournalEntry>()
  const unwatch = journal.watch((entry) => {
    if (entry.kind !== 'model' || calls.has(entry) || calls.size >= MAX) return
    const { body, headers } = journal.whole(entry) ?? entry.request
    const isRuns = entry.of === undefined && !(isObject(headers) && TRIED_HEADER in headers)
    if (!isRuns || !isObject(body) || !Array.isArray(body['messages'])) return
    calls.add(entry)
    heard.models.push({ entry, body: clean(body) })
  })
  return {
    heard,
    onAct(act, body, user) {
      const said = {
        ...{ act, body: clean(body), user, at: now(), files: filesOf(slack, body) },
        ...{ reached: reachedBy(heard), during: underway(heard.models), atWork: threadsAtWork(slack) },
      }
      heard.acts.push(said)
      return () => void heard.acts.splice(heard.acts.indexOf(said), 1)
    },
    onOffered: (tool) => void heard.offered.set(String(tool['name']), clean(tool)),
    onTool(call) {
      if (heard.tools.length < MAX) heard.tools.push(clean(call))
    },
    async settled(scope) {
      await slack.settle()
      const isBusy = threadsAtWork(slack).some((one) => isMeant(one, scope))
      if (isBusy) throw new Error('The bot is at work here. Save it once it has answered.')
    },
    conversation: (name, scope = {}) => {
      if (calls.size >= MAX || heard.tools.length >= MAX)
        throw new Error('There is too much to record. Start the playground again.')
      const threads = threadsOfTools(heard.tools, journal)
      return clean(conversationOf(heard, { name, scope, settings, threads, clean: journal.hidden }))
    },
    end() {
      unwatch()
      heard.places.end()
    },
  }
}

function reachedBy({ models, tools, places }: ObservedEvents): ObservedAct['reached'] {
  const over = models.filter(({ entry }) => entry.ms !== undefined)
  return {
    models: over.map(({ entry }) => entry),
    tools: [...tools],
    placed: places.placed.size,
    views: places.views,
  }
}

function underway(models: ObservedCall[]): JournalEntry[] {
  return models.flatMap(({ entry }) => (entry.ms === undefined ? [entry] : []))
}

/** Returns the files of a message, as they are now. */
function filesOf({ store }: LocalSlack, { files }: Json): NonNullable<ObservedAct['files']> {
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
