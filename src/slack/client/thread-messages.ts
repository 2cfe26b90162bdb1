import type { Question, Run } from '../../stores/runs/types.ts'
import { directPostsIn } from './direct-posts.ts'
import type { Installation } from './installations.ts'
import { ifRefused } from './slack-errors.ts'
import { pagesOf, type SlackWeb } from './web-api.ts'

/** The messages to read: of a thread, or of the channel itself without `thread`, from `since` on (a Slack ts). */
interface MessageRange {
  channel: string
  thread?: string | undefined
  since: string
  /** The Slack ts of the last message to read. */
  until?: string
  signal?: AbortSignal | undefined
}

/** A message of `conversations.replies` and `conversations.history`. */
export interface ThreadMessage {
  ts: string
  thread_ts?: string
  user?: string
  bot_id?: string
  text?: string
  blocks?: unknown
  attachments?: unknown
  subtype?: string
  /** The number of replies to a thread's root. */
  reply_count?: number
  latest_reply?: string
  /** The author's workspace, which may be another one. */
  team?: string
  user_team?: string
  /** A bot's name. */
  username?: string
  bot_profile?: { name?: string }
  files?: unknown
  edited?: unknown
  metadata?: { event_type?: string; event_payload?: Record<string, unknown> }
  /** `in_progress` while a streamed message is open. */
  streaming_state?: string
}

/** Reads the messages of a place page by page, oldest first in a thread. @throws SlackRefusal */
export async function* readMessages(
  client: SlackWeb,
  { channel, thread, since, until, signal }: MessageRange,
): AsyncGenerator<ThreadMessage> {
  const method = thread ? 'conversations.replies' : 'conversations.history'
  const range = { channel, oldest: since, latest: until, inclusive: true, include_all_metadata: true, limit: 200 }
  const args = { ...range, ts: thread || undefined }
  for await (const page of pagesOf(client, method, args, { effort: 'patient', signal }))
    if (Array.isArray(page.messages)) yield* page.messages as ThreadMessage[]
}

/** The type of our posts' metadata. Its payload is the run and the post key, which find a post again after a crash. */
export const EVENT_TYPE = 'thinkaloud_post'

/** The place of the bot's own messages about a question: in a thread or, without one, in the channel. */
interface OwnPlace {
  installation: Pick<Installation, 'client' | 'identity'>
  question: Question
  thread: string | undefined
  signal: AbortSignal
  /** The ids of all runs on the question, if there were runs besides the one with the question's id. */
  runs?: ReadonlySet<string>
}

/** Reads the bot's messages since the question. @throws SlackRefusal */
export async function* ownMessages(place: OwnPlace): AsyncGenerator<ThreadMessage> {
  const { installation, question, thread, signal } = place
  const { client, identity } = installation
  const { botUser, botId } = identity
  const since = sinceOf(question)
  for await (const message of readMessages(client, { channel: question.channel, thread, since, signal })) {
    const { user, bot_id } = message
    if (user === botUser || (bot_id !== undefined && bot_id !== '' && bot_id === botId)) yield message
  }
}

/**
 * Reads the posts of the run on a question, with their post keys. The sender is checked too, because any app can copy
 * our metadata. @throws SlackRefusal
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
 * Finds the ts of the bot's message that shows a file; such a message has no metadata. It compares the file's id if
 * known, because another run may have sent a file of the same name, else the name. Undefined also if Slack refuses the
 * look-up.
 */
export async function findFile(place: OwnPlace, name: string, id?: string): Promise<string | undefined> {
  const isIt = (file: { id?: string; name?: string }) => (id === undefined ? file.name === name : file.id === id)
  const find = async () => {
    for await (const { ts, files } of ownMessages(place)) if (Array.isArray(files) && files.some(isIt)) return ts
    return undefined
  }
  return find().catch(ifRefused(() => undefined))
}

/** A Slack ts before all posts about the question: its own, or a minute before a command, in case the clocks differ. */
function sinceOf({ ts, at }: Question): string {
  return ts ?? String(at / 1000 - 60)
}

/**
 * Deletes the posts of the runs on a question: the `known` ones, as runs record them, and those that it finds. It skips
 * posts that are gone or that Slack does not let the bot delete. @throws the error if Slack cannot be reached
 */
export async function removePosts(place: OwnPlace, known: readonly string[]): Promise<void> {
  const posts = new Set(known.filter(isTs))
  const direct = known.flatMap(directPostsIn)
  const find = async () => {
    for await (const { ts } of ownPosts(place)) posts.add(ts)
  }
  await find().catch(ifRefused(() => undefined))
  const { installation, question, signal } = place
  for (const args of [...[...posts].map((ts) => ({ channel: question.channel, ts })), ...direct])
    await installation.client
      .call('chat.delete', { ...args }, { effort: 'patient', signal })
      .catch(ifRefused(() => undefined))
}

/** Returns whether a part of the run is a message that everybody in its place sees. An ephemeral one has no ts. */
export function isSeenByAll({ saved }: Pick<Run, 'saved'>, key: string): boolean {
  return isTs(saved.posts[key] ?? '')
}

/** Returns whether a text is a ts of Slack's. */
export function isTs(text: string): boolean {
  return /^\d+\.\d+$/.test(text)
}

/** Returns the run's posts in a thread: post key to ts. Empty also if Slack refuses the look-up. */
export async function postsByKey(place: OwnPlace): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const read = async () => {
    for await (const { ts, key } of ownPosts(place)) found.set(key, ts)
  }
  await read().catch(ifRefused(() => undefined))
  return found
}
