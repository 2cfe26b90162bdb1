import type { Question } from '../../stores/runs/types.ts'
import { SlackRefusal } from './slack-errors.ts'

/** The Web API, as far as it is read here. */
interface Client {
  call(
    method: string,
    args: Record<string, unknown>,
    options: { effort: 'patient'; signal?: AbortSignal | undefined },
  ): Promise<Record<string, unknown>>
}

/** Where messages are read: a thread from `since` on (a Slack ts), or without `thread` the channel itself. */
export interface MessagePlace {
  channel: string
  thread?: string | undefined
  since: string
  /** A Slack ts too: the last message that is wanted. */
  until?: string
  signal?: AbortSignal | undefined
}

/** A message as `conversations.replies` and `conversations.history` give it. */
export interface ThreadMessage {
  ts: string
  thread_ts?: string
  user?: string
  bot_id?: string
  text?: string
  subtype?: string
  /** The workspace of whoever wrote it, which may be another one. */
  team?: string
  user_team?: string
  /** What a bot is called. */
  username?: string
  bot_profile?: { name?: string }
  files?: unknown
  edited?: unknown
  metadata?: { event_type?: string; event_payload?: Record<string, unknown> }
  /** `in_progress` while a streamed message is open. */
  streaming_state?: string
}

/** The messages of a place, oldest first in a thread, page by page. @throws SlackRefusal */
export async function* readMessages(
  client: Client,
  { channel, thread, since, until, signal }: MessagePlace,
): AsyncGenerator<ThreadMessage> {
  const method = thread ? 'conversations.replies' : 'conversations.history'
  const latest = until === undefined ? {} : { latest: until }
  const base = { channel, oldest: since, ...latest, inclusive: true, include_all_metadata: true, limit: 200 }
  for (let cursor: string | undefined; ;) {
    const args = { ...base, ...(thread ? { ts: thread } : {}), ...(cursor ? { cursor } : {}) }
    const page = await client.call(method, args, { effort: 'patient', signal })
    if (Array.isArray(page.messages)) yield* page.messages as ThreadMessage[]
    cursor = (page.response_metadata as { next_cursor?: string } | undefined)?.next_cursor
    if (!cursor) return
  }
}

/** The type of our posts' metadata, whose payload is the run and the post key. After a crash a post is found by it. */
export const EVENT_TYPE = 'thinkaloud_post'

/** Where the bot's own messages about a question are looked for: in a thread or, without one, in the channel. */
interface OwnPlace {
  client: Client
  identity: { botUser: string; botId: string }
  question: Question
  thread: string | undefined
  signal: AbortSignal
  /** The runs on the question, where there were others than that of its own id. */
  runs?: ReadonlySet<string>
}

/** The bot's messages since the question. @throws SlackRefusal */
export async function* ownMessages(place: OwnPlace): AsyncGenerator<ThreadMessage> {
  const { client, identity, question, thread, signal } = place
  const { botUser, botId } = identity
  const since = sinceOf(question)
  for await (const message of readMessages(client, { channel: question.channel, thread, since, signal })) {
    const { user, bot_id } = message
    if (user === botUser || (bot_id !== undefined && bot_id !== '' && bot_id === botId)) yield message
  }
}

/**
 * What the run on a question has posted, by its post keys. Any app may mark its messages as ours are marked, so the sender
 * counts too. @throws SlackRefusal
 */
export async function* ownPosts(place: OwnPlace): AsyncGenerator<{ ts: string; key: string }> {
  for await (const { ts, metadata } of ownMessages(place)) {
    const { run, step } = metadata?.event_payload ?? {}
    const isWanted = place.runs ? place.runs.has(String(run)) : run === place.question.id
    const isPost = metadata?.event_type === EVENT_TYPE && isWanted
    if (isPost && typeof step === 'string') yield { ts, key: step }
  }
}

/**
 * The ts of the bot's message that shows a file, which carries no metadata: by the file's id where it is known, as another run may
 * have sent one of the same name, else by its name. Undefined also where nobody may look.
 */
export async function findFile(
  place: OwnPlace,
  { name, id }: { name: string; id?: string | undefined },
): Promise<string | undefined> {
  const isIt = (file: { id?: string; name?: string }) => (id === undefined ? file.name === name : file.id === id)
  try {
    for await (const { ts, files } of ownMessages(place)) if (Array.isArray(files) && files.some(isIt)) return ts
  } catch (error) {
    if (!(error instanceof SlackRefusal)) throw error
  }
  return undefined
}

/** A Slack ts from before all posts about the question: its own, or a minute before a command, in case the clocks differ. */
function sinceOf({ ts, at }: Question): string {
  return ts ?? String(at / 1000 - 60)
}

/**
 * Deletes what the runs on a question have posted: what is `known` by its ts, and what is found. What is gone already, or what
 * Slack does not let the bot delete, is left. @throws what kept the bot from asking Slack
 */
export async function removePosts(place: OwnPlace, known: Iterable<string>): Promise<void> {
  const posts = new Set([...known].filter((ts) => /^\d+\.\d+$/.test(ts)))
  await unlessRefused(async () => {
    for await (const { ts } of ownPosts(place)) posts.add(ts)
  })
  const { client, question, signal } = place
  for (const ts of posts) {
    const args = { channel: question.channel, ts }
    await unlessRefused(() => client.call('chat.delete', args, { effort: 'patient', signal }))
  }
}

async function unlessRefused(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof SlackRefusal)) throw error
  }
}

/** The run's posts in a thread: their keys, and the ts of each. Empty also if Slack does not let us look. */
export async function postsByKey(place: OwnPlace): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  try {
    for await (const { ts, key } of ownPosts(place)) found.set(key, ts)
  } catch (error) {
    if (!(error instanceof SlackRefusal)) throw error
  }
  return found
}
