/** The panel "Record": previews the conversation, and saves it as a test. */
import { isObject, optional } from '../slack/args.ts'
import type { PagePart } from '../page-server/page-part.ts'
import type { Json } from '../slack/types.ts'
import { checkName, type RecordedConversation } from './conversation-file.ts'
import type { NameScope } from './place-names.ts'
import type { Recorder } from './recorder.ts'
import type { ReplayResult } from './play-conversation.ts'
import { differenceText } from './state-difference.ts'
import { conversationText, writeConversation } from './write-conversation.ts'

interface RunningReplay extends ReplayResult {
  stop(): Promise<void>
}

interface RecordingPartOptions {
  /** The folder of saved conversations. */
  folder: string
  /** Replays a conversation with a new bot. */
  replay(conversation: RecordedConversation): Promise<RunningReplay>
}

/** Shows the result of a replay. Its workspace is the page's. */
export function comparedPart(file: string, { differences, problems }: ReplayResult): PagePart {
  return { panel: 'record', gets: { '/record/compared': () => ({ compared: { file, differences, problems } }) } }
}

export function recordingPart(recorder: Recorder, options: RecordingPartOptions): PagePart {
  return {
    panel: 'record',
    gets: {
      '/record/compared': () => ({}),
      '/record/preview': (params) => preview(recorder.conversation('preview', scopeOf(Object.fromEntries(params)))),
      '/record/file': (params) => {
        const given = Object.fromEntries(params)
        return { ...recorder.conversation(checkName(given['name']), scopeOf(given)) }
      },
    },
    posts: { '/record/save': (body) => save(recorder, options, body) },
  }
}

function scopeOf(given: Json): NameScope {
  const [channel, thread] = [optional(given, 'channel'), optional(given, 'thread')]
  return { ...(channel && { channel }), ...(channel && thread && { thread }) }
}

/** Returns a recording's content, in lines for people. */
function preview({ acts, models, tools, after, settings }: RecordedConversation): Json {
  return {
    acts: acts.map(({ act, as, with: given, files = [] }) => {
      const what = [given['text'], given['action_id'], given['name'], given['callback_id'], given['title']]
      const words = what.find((one) => typeof one === 'string')
      return `${as}: ${act}${words ? ` ${words}` : ''}${files.map(({ name }) => ` 📎 ${name}`).join('')}`
    }),
    models: models.map(({ kind, question, text, refused }) => {
      const said = refused ? `refused with ${refused.status}` : text.trim().split('\n').at(-1)
      return `${kind === 'condense' ? 'condenses ' : ''}“${question}” → ${said}`
    }),
    tools: tools.map(({ tool, input }) => `${tool} ${JSON.stringify(input)}`),
    messages: after.messages.map(({ at, by, shown }) => `${at} ${by}: ${shown.join(' ')}`),
    settings: Object.entries(settings).map(([name, value]) => `${name}=${value}`),
  }
}

/** Saves a conversation if a replay has the same result, or if the person insists (`anyway`). */
async function save(recorder: Recorder, { folder, replay }: RecordingPartOptions, body: Json): Promise<Json> {
  const name = checkName(body['name'])
  const scope = isObject(body['scope']) ? scopeOf(body['scope']) : {}
  await recorder.settled(scope)
  const conversation = recorder.conversation(name, scope)
  if (conversation.acts.length === 0) throw new Error('Nobody has done anything here yet that could be saved.')
  // A conversation that is too long is refused before its replay.
  conversationText(conversation)
  const { differences, problems, stop } = await replay(conversation)
  await stop()
  const fault = [...problems, differenceText(differences)].filter(Boolean).join('\n\n')
  if (fault && body['anyway'] !== true) return { fault }
  await writeConversation(folder, conversation)
  return { saved: `test/conversations/${name}.json`, ...(fault && { fault }) }
}
