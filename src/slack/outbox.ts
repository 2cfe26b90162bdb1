import { backoffMs, sleep } from '../backoff.ts'
import { messageOf } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Question } from '../run/types.ts'
import { withoutBlocks, type Content } from './format/blocks.ts'
import { sanitize } from './client/sanitize.ts'
import type { SlackMessage } from './listeners/to-question.ts'
import { SlackRefusal, type CallOptions, type SlackArgs, type SlackResult, type SlackWeb } from './client/slack-web.ts'

/** Goes into a post's metadata: which part of which run it shows. After a crash it is found by this, and not sent again. */
export interface PostKey {
  run: string
  step: string
}

export interface Post {
  channel: string
  /** Absent for a message of its own. */
  thread?: string | undefined
  content: Content
  key: PostKey
  /** The one person that the message may mention. */
  asker: string
  /** A Slack ts from before the post: the search for it begins here. */
  since: string
  /** Send it again if nobody can tell whether it went out: better twice than never. */
  mustArrive?: boolean
  signal?: AbortSignal
  /** Called before each try. Throws LeaseLost if another process has the run by now. */
  checkLease?: () => Promise<void>
}

/** Slack takes five uses of a response_url. */
const WHISPER_TRIES = 3

export interface OutboxOptions {
  web: SlackWeb
  /** The bot's own user id. */
  botUser: string
  log: Log
  fetch?: typeof globalThis.fetch | undefined
}

const EVENT_TYPE = 'thinkaloud_post'

/**
 * Everything that is sent to Slack goes through here. Nothing pings anybody but the asker, nothing unfurls, and a post that
 * may have gone out already is looked up before it is sent again.
 */
export class Outbox {
  readonly #web: SlackWeb
  readonly #botUser: string
  readonly #log: Log
  readonly #fetch: typeof globalThis.fetch

  constructor(options: OutboxOptions) {
    this.#web = options.web
    this.#botUser = options.botUser
    this.#log = options.log
    this.#fetch = options.fetch ?? globalThis.fetch
  }

  /** Posts once, whatever happens on the way, and returns the message's ts. @throws SlackRefusal */
  async post(post: Post): Promise<string> {
    const lookUp = async () => {
      const ts = await this.find(post)
      return ts === undefined ? undefined : { ts }
    }
    const thread = post.thread ? { thread_ts: post.thread } : {}
    const args = {
      channel: post.channel,
      ...thread,
      unfurl_links: false,
      unfurl_media: false,
      metadata: metadataOf(post.key),
    }
    const result = await this.#sendContent('chat.postMessage', args, { ...post, lookUp })
    return String(result.ts)
  }

  /** Replaces a message's content. Safe to repeat. */
  async update(post: Omit<Post, 'since' | 'thread'> & { ts: string }): Promise<void> {
    const args = { channel: post.channel, ts: post.ts, metadata: metadataOf(post.key) }
    await this.#sendContent('chat.update', args, post)
  }

  /** A sign of life; it may fail. `unsure`: Slack did not answer, so it may or may not be shown. */
  async tryOnce(method: string, args: SlackArgs): Promise<'taken' | 'refused' | 'unsure'> {
    try {
      await this.#web.call(method, sanitize(args), { effort: 'once' })
      return 'taken'
    } catch (error) {
      if (error instanceof SlackRefusal && error.code === 'already_reacted') return 'taken'
      this.#log.debug(
        { method, channel: args.channel ?? args.channel_id, error: String(error) },
        'sign of life not taken',
      )
      return error instanceof SlackRefusal ? 'refused' : 'unsure'
    }
  }

  /** One piece of a streamed message: tried once, because there is another way to show it. @throws whatever went wrong */
  async stream(method: 'chat.startStream' | 'chat.appendStream', args: SlackArgs): Promise<SlackResult> {
    return this.#web.call(method, sanitize(args), { effort: 'once' })
  }

  /** Any other call that changes something. @throws SlackRefusal */
  async call(method: string, args: SlackArgs, signal?: AbortSignal): Promise<SlackResult> {
    return this.#web.call(method, sanitize(args), { effort: 'patient', signal })
  }

  /**
   * A message that only the asker sees: in the thread if the question was a reply, else in the channel, because Slack does
   * not show ephemeral messages in a thread without replies. @throws SlackRefusal
   */
  async postEphemeral(question: Question, content: Content): Promise<void> {
    const isReply = question.ts !== undefined && question.thread !== question.ts
    const thread = isReply ? { thread_ts: question.thread } : {}
    await this.call('chat.postEphemeral', { channel: question.channel, user: question.user, ...thread, ...content })
  }

  /** A private word to the asker of a slash command, by its response_url (30 minutes, five uses). */
  async respondToCommand(question: Question, content: Content): Promise<void> {
    const body = JSON.stringify(sanitize({ response_type: 'ephemeral', ...content }))
    const headers = { 'content-type': 'application/json' }
    for (let attempt = 0; ; attempt++) {
      const signal = AbortSignal.timeout(10_000)
      const sent = this.#fetch(question.responseUrl ?? '', { method: 'POST', headers, body, signal })
      const status = await sent.then((answered) => answered.status).catch((error: unknown) => messageOf(error))
      if (typeof status === 'number' && status < 300) return
      this.#log.warn({ question: question.id, attempt: attempt + 1, status }, 'response_url not taken')
      const isPassing = typeof status === 'string' || status === 429 || status >= 500
      if (!isPassing || attempt + 1 >= WHISPER_TRIES) return
      await sleep(backoffMs(attempt, { base: 500, max: 5_000 }))
    }
  }

  async #sendContent(
    method: ContentMethod,
    args: SlackArgs,
    { content, asker, signal, lookUp, checkLease }: Sending,
  ): Promise<SlackResult> {
    const options = { effort: 'patient' as const, checkLease, lookUp, signal }
    try {
      return await this.#web.call(method, sanitize({ ...args, ...content }, asker), options)
    } catch (error) {
      if (!(error instanceof SlackRefusal) || !SHAPE_REFUSALS.has(error.code)) throw error
      this.#log.error(
        { method, channel: args.channel, code: error.code },
        'Slack refused the blocks: sent as plain text',
      )
      return this.#web.call(method, sanitize({ ...args, ...withoutBlocks(content, method) }, asker), options)
    }
  }

  /**
   * The ts of the post with this key, if it went out. @throws SlackRefusal if Slack does not let us look; not for a post that
   * `mustArrive`, which then counts as not sent.
   */
  async find(post: Place & Pick<Post, 'key' | 'mustArrive'>): Promise<string | undefined> {
    try {
      for await (const { ts, key } of this.#ownPosts(post))
        if (key.run === post.key.run && key.step === post.key.step) return ts
    } catch (error) {
      if (!(error instanceof SlackRefusal) || !post.mustArrive) throw error
      this.#log.warn({ channel: post.channel, code: error.code }, 'could not look up a post')
    }
    return undefined
  }

  /** All posts of one run in its thread: step to ts. Empty also if Slack does not let us look. */
  async findAll(place: Place, run: string): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    try {
      for await (const { ts, key } of this.#ownPosts(place))
        if (key.run === run && key.step !== undefined) found.set(key.step, ts)
    } catch (error) {
      if (!(error instanceof SlackRefusal)) throw error
    }
    return found
  }

  /** Our posts by their keys. Any app may mark its messages as ours are, so whose they are counts too. */
  async *#ownPosts(place: Place): AsyncGenerator<{ ts: string; key: Partial<PostKey> }> {
    for await (const { ts, user, metadata } of this.messages(place))
      if (metadata?.event_type === EVENT_TYPE && (user ?? this.#botUser) === this.#botUser)
        yield { ts, key: metadata.event_payload ?? {} }
  }

  /** The ts of our own streamed message that is still open in the thread. Streams carry no key, but a thread has one writer. */
  async findStream(place: Place): Promise<string | undefined> {
    for await (const { ts, user, streaming_state } of this.messages(place))
      if (streaming_state === 'in_progress' && user === this.#botUser) return ts
    return undefined
  }

  /** The messages of a thread, or of a channel, from `since` on. @throws SlackRefusal */
  async *messages({ channel, thread, since, signal }: Place): AsyncGenerator<ThreadMessage> {
    const method = thread ? 'conversations.replies' : 'conversations.history'
    const base = { channel, oldest: since, inclusive: true, include_all_metadata: true, limit: 200 }
    for (let cursor: string | undefined; ;) {
      const args = { ...base, ...(thread ? { ts: thread } : {}), ...(cursor ? { cursor } : {}) }
      const page = await this.#web.call(method, args, { effort: 'patient', signal })
      if (Array.isArray(page.messages)) yield* page.messages as ThreadMessage[]
      cursor = (page.response_metadata as { next_cursor?: string } | undefined)?.next_cursor
      if (!cursor) return
    }
  }
}

/** Where a message is looked for. */
type Place = Pick<Post, 'channel' | 'thread' | 'since' | 'signal'>

type ContentMethod = 'chat.postMessage' | 'chat.update'
type Sending = Pick<Post, 'content' | 'asker' | 'signal' | 'checkLease'> & Pick<CallOptions, 'lookUp'>

/** A message as `conversations.replies` and `conversations.history` give it. */
export interface ThreadMessage extends Omit<SlackMessage, 'channel'> {
  metadata?: { event_type?: string; event_payload?: Partial<PostKey> }
  streaming_state?: string
}

/** Refusals of how a message looks; its text alone may still be taken. */
const SHAPE_REFUSALS = new Set([
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_too_long',
  'msg_blocks_too_long',
  'invalid_metadata_format',
])

function metadataOf(key: PostKey) {
  return { event_type: EVENT_TYPE, event_payload: { ...key } }
}
