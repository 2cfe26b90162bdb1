import { messageOf } from '../errors.ts'
import type { Log } from '../log.ts'
import { isPrivate, type Question, type Run } from '../run/types.ts'
import type { Installation } from '../workspace/installations.ts'
import { respond, whisper } from './client/response-url.ts'
import { SlackRefusal } from './client/slack-errors.ts'
import type { CallOptions, SlackArgs, SlackResult } from './client/slack-web.ts'
import { EVENT_TYPE, ownMessages, ownPosts, removePosts, type ThreadMessage } from './client/thread-messages.ts'
import { context as contextBlock, withoutBlocks, type Content } from './format/blocks.ts'
import { escapeWithin } from './format/escape.ts'

export interface OutboxOptions {
  installation: Installation
  question: Question
  run: Run
  signal: AbortSignal
  log: Log
  fetch?: typeof globalThis.fetch | undefined
}

/** One message of the run. */
interface Post {
  /** Which part of the run it shows: `root`, `step-1`, `answer-1` … */
  key: string
  content: Content
  /** Absent for a message of its own. */
  thread?: string
  /** Sent again if nobody can tell whether it went out: better twice than never. */
  mustArrive: boolean
}

/** How much of a question is quoted, and how long its escaped form may be. */
const QUOTED = { max: 150, most: 300 }
/** Slack makes no links of its own from the text that notifications and screen readers get. */
const UNPARSED = { parse: 'none' }

/**
 * Everything that one run sends to Slack. A post is claimed in the run before it is sent, looked up where it may have gone out
 * already, and recorded once it is out, so that no crash repeats or loses one. Nothing mentions anybody but the asker, nothing
 * unfurls.
 */
export class Outbox {
  readonly question: Question
  readonly run: Run
  readonly #options: OutboxOptions
  /** What earlier processes posted: post key to ts. */
  #earlier: Promise<Map<string, string>> | undefined

  constructor(options: OutboxOptions) {
    this.question = options.question
    this.run = options.run
    this.#options = options
  }

  /** Posts a part of the run in its thread, or updates its message. @throws SlackRefusal, LeaseLost */
  async show(key: string, content: Content): Promise<void> {
    const { question } = this
    const { ts, isNew } = await this.#postOnce({ key, content, thread: question.thread, mustArrive: false })
    // A post from before a crash shows the step as it was then.
    if (isNew) return
    await this.#send('chat.update', { channel: question.channel, ts, metadata: this.#metadata(key) }, { content })
  }

  /** Posts in the thread what must arrive and never changes. @throws SlackRefusal, LeaseLost */
  async deliver(key: string, content: Content): Promise<void> {
    await this.#postOnce({ key, content, thread: this.question.thread, mustArrive: true })
  }

  /** Posts the message that a thread begins with. @returns its ts. @throws SlackRefusal, LeaseLost */
  async deliverRoot(content: Content): Promise<string> {
    return (await this.#postOnce({ key: 'root', content, mustArrive: true })).ts
  }

  /** The same run's, in a thread that it has opened. */
  under(thread: string): Outbox {
    return new Outbox({ ...this.#options, question: { ...this.question, thread } })
  }

  /** Whether a part of the run is in Slack. */
  isPosted(key: string): boolean {
    return Boolean(this.run.saved.posts[key])
  }

  /** A call that may fail, tried once. `unsure`: Slack did not answer, so it may or may not have taken effect. */
  async tryOnce(method: string, args: SlackArgs): Promise<'taken' | 'refused' | 'unsure'> {
    try {
      await this.#client.call(method, args, { effort: 'once' })
      return 'taken'
    } catch (error) {
      const isRefused = error instanceof SlackRefusal
      if (isRefused && error.code === 'already_reacted') return 'taken'
      const fields = { method, channel: args.channel ?? args.channel_id, error: messageOf(error) }
      this.#options.log.debug(fields, isRefused ? `Slack rejected ${method}` : `no answer from Slack to ${method}`)
      return isRefused ? 'refused' : 'unsure'
    }
  }

  /** Any other call that changes something. @throws SlackRefusal; with `effort: 'once'` whatever went wrong */
  call(
    method: string,
    args: SlackArgs,
    options: Pick<CallOptions, 'effort' | 'signal'> = { effort: 'patient' },
  ): Promise<SlackResult> {
    return this.#client.call(method, args, options)
  }

  /**
   * Tells the asker alone: of a command by its response_url, else by an ephemeral message. That goes into the thread if the
   * question was a reply, else into the channel, because Slack shows no ephemeral messages in a thread without replies.
   * Where Slack does not take it there, it goes into the direct messages, because nobody else should read it. Never rejects.
   */
  async tellAsker(content: Content): Promise<void> {
    const { log, fetch = globalThis.fetch } = this.#options
    const { id, channel, user, thread, ts, responseUrl } = this.question
    const warn = (fields: object, line: string) => log.warn({ question: id, ...fields }, line)
    if (responseUrl) {
      const message = { response_type: 'ephemeral', ...content, ...UNPARSED }
      await respond(responseUrl, message, { apiUrl: this.#client.apiUrl, fetch, log: warn })
      return
    }
    const inThread = ts !== undefined && thread !== ts ? { thread_ts: thread } : {}
    try {
      await this.call('chat.postEphemeral', { channel, user, ...inThread, ...content, ...UNPARSED })
    } catch (error) {
      warn({ error: messageOf(error) }, 'the asker could not be told where they asked')
      if (error instanceof SlackRefusal) await this.#tellInDirectMessage(content, warn)
    }
  }

  /** Slack opens the direct messages of a person where they are given in place of a channel. */
  async #tellInDirectMessage(content: Content, warn: (fields: object, line: string) => void): Promise<void> {
    const about = `_About what you asked me:_ ${escapeWithin(this.question.text, QUOTED)}`
    const args = { text: `${about}\n${content.text}`, blocks: [contextBlock([about]), ...content.blocks], ...UNPARSED }
    const unfurl = { unfurl_links: false, unfurl_media: false }
    await this.call('chat.postMessage', { channel: this.question.user, ...args, ...unfurl }, { effort: 'once' }).catch(
      (error: unknown) => warn({ error: messageOf(error) }, 'the asker could not be told'),
    )
  }

  /** Deletes what the run has posted. @throws LeaseLost */
  async removePosts(): Promise<void> {
    await this.run.checkLease()
    await removePosts(this.#ownPlace(this.question.thread), Object.values(this.run.saved.posts))
  }

  /**
   * Tells the asker alone a part of the run, which must arrive: nobody can look up whether it did, so it is told again where that
   * is not known. @throws SlackRefusal where neither the response_url nor the channel takes it, LeaseLost
   */
  async whisper(key: string, content: Content, { replaces = false } = {}): Promise<void> {
    const { log, fetch, signal } = this.#options
    const { id, channel, user, responseUrl } = this.question
    const warn = (fields: object, line: string) => log.warn({ question: id, ...fields }, line)
    const tell = (what: object) =>
      whisper({ channel, user, responseUrl, replaces }, what, { client: this.#client, fetch, signal, log: warn })
    const send = async () => {
      await this.run.checkLease()
      await tell(content).catch((error: unknown) => {
        if (!(error instanceof SlackRefusal) || !SHAPE_REFUSALS.has(error.code)) throw error
        return tell(withoutBlocks(content, 'chat.postMessage'))
      })
      return WHISPERED
    }
    await this.once(key, { find: async () => undefined, send })
  }

  /** The bot's messages since the question, in a thread or, without one, in the channel. @throws SlackRefusal */
  ownMessages(thread: string | undefined, until?: AbortSignal): AsyncGenerator<ThreadMessage> {
    return ownMessages(this.#ownPlace(thread, until))
  }

  get #client() {
    return this.#options.installation.client
  }

  /**
   * Claims a part of the run, looks it up, sends it, records its ts. `find` is asked where an earlier try may have sent it;
   * `isUnsure` where one surely began to. @throws LeaseLost, and whatever `find` and `send` throw
   */
  async once(
    key: string,
    way: { find(isUnsure: boolean): Promise<string | undefined>; send(): Promise<string> },
  ): Promise<{ ts: string; isNew: boolean }> {
    const { question, run } = this
    const claim = await run.claimPost(key)
    if (typeof claim === 'object') return { ts: claim.ts, isNew: false }
    const isUnsure = claim === 'unsure'
    // A Redis that was restarted may have lost the last records of posts, or with its file the whole question, which Slack
    // then delivered again.
    const mayBeThere = isUnsure || run.saved.attempts > 1 || question.isLate === true
    const found = mayBeThere ? await way.find(isUnsure) : undefined
    const ts = found ?? (await way.send())
    await run.posted(key, ts)
    return { ts, isNew: found === undefined }
  }

  #postOnce(post: Post): Promise<{ ts: string; isNew: boolean }> {
    const find = async (isUnsure: boolean) =>
      isUnsure || !post.thread ? this.#findPost(post) : (await this.#earlierPosts(post.thread)).get(post.key)
    return this.once(post.key, { find, send: () => this.#sendPost(post) })
  }

  async #sendPost(post: Post): Promise<string> {
    if (isPrivate(this.question) && this.question.shares === undefined)
      throw new Error('What comes of a private question is never posted.')
    const lookUp = async () => {
      const ts = await this.#findPost(post)
      return ts === undefined ? undefined : { ts }
    }
    const thread = post.thread ? { thread_ts: post.thread } : {}
    const place = { channel: this.question.channel, ...thread }
    const args = { ...place, unfurl_links: false, unfurl_media: false, metadata: this.#metadata(post.key) }
    return String((await this.#send('chat.postMessage', args, { content: post.content, lookUp })).ts)
  }

  async #send(
    method: 'chat.postMessage' | 'chat.update',
    args: SlackArgs,
    { content, lookUp }: { content: Content } & Pick<CallOptions, 'lookUp'>,
  ) {
    const { signal, log } = this.#options
    const checkLease = () => this.run.checkLease()
    const options: CallOptions = { effort: 'patient', asker: this.question.user, checkLease, lookUp, signal }
    try {
      return await this.#client.call(method, { ...args, ...content, ...UNPARSED }, options)
    } catch (error) {
      if (!(error instanceof SlackRefusal) || !SHAPE_REFUSALS.has(error.code)) throw error
      log.error({ method, channel: args.channel, code: error.code }, 'Slack refused the blocks: sent as plain text')
      return this.#client.call(method, { ...args, ...withoutBlocks(content, method), ...UNPARSED }, options)
    }
  }

  #metadata(key: string) {
    return { event_type: EVENT_TYPE, event_payload: { run: this.question.id, step: key } }
  }

  /** @throws SlackRefusal if Slack does not let us look; not for a post that must arrive, which then counts as not sent. */
  async #findPost({ key, thread, mustArrive }: Post): Promise<string | undefined> {
    try {
      for await (const post of ownPosts(this.#ownPlace(thread))) if (post.key === key) return post.ts
    } catch (error) {
      if (!(error instanceof SlackRefusal) || !mustArrive) throw error
      this.#options.log.warn({ channel: this.question.channel, code: error.code }, 'could not look up a post')
    }
    return undefined
  }

  /** Read once. Empty also if Slack does not let us look. */
  #earlierPosts(thread: string): Promise<Map<string, string>> {
    const read = async () => {
      const found = new Map<string, string>()
      try {
        for await (const { ts, key } of ownPosts(this.#ownPlace(thread))) found.set(key, ts)
      } catch (error) {
        if (!(error instanceof SlackRefusal)) throw error
      }
      return found
    }
    return (this.#earlier ??= read())
  }

  #ownPlace(thread: string | undefined, until?: AbortSignal) {
    const { installation, question, signal } = this.#options
    const { client, identity } = installation
    return { client, identity, question, thread, signal: until ? AbortSignal.any([signal, until]) : signal }
  }
}

/** In place of the ts of a post that is in no channel. */
const WHISPERED = 'whispered'

/** Refusals of how a message looks; its text alone may still be taken. */
const SHAPE_REFUSALS = new Set([
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_too_long',
  'msg_blocks_too_long',
  'invalid_metadata_format',
])
