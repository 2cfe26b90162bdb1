import { messageOf } from '../../base/errors.ts'
import { warnWith, type Log } from '../../base/log.ts'
import { isForAskerAlone } from '../../stores/runs/audience.ts'
import { isBackground, type Question, type Run } from '../../stores/runs/types.ts'
import type { Installation } from './installations.ts'
import { sendEphemeral } from './ephemeral.ts'
import { ifRefused, SlackRefusal } from './slack-errors.ts'
import { NOT_UNFURLED, acceptedForm, sendContent, type SendMethod } from './send-content.ts'
import type { CallOptions, Refusals, SlackArgs, SlackResult } from './web-api.ts'
import {
  EVENT_TYPE,
  findFile,
  ownMessages,
  ownPosts,
  postsByKey,
  removePosts,
  type ThreadMessage,
} from './thread-messages.ts'
import { shareFile, uploadText } from './upload.ts'
import { aboutContent, blocksIn, withoutBlocks, type Content } from '../format/blocks.ts'

/**
 * Sends everything that one run posts to Slack. It claims a post in the run before sending it, looks it up if it may
 * have gone out already, and records it afterwards, so that no crash repeats or loses one. Posts mention only the
 * asker and the people of `Content.mentions`, and nothing unfurls.
 */
export class Outbox {
  readonly installation: Installation
  readonly question: Question
  readonly run: Run
  readonly signal: AbortSignal
  readonly log: Log
  /**
   * Identifies the status that Slack may show in the thread: `Status` renews it with each call. Undefined if a message
   * was posted since, because that clears the status.
   */
  shownStatus: symbol | undefined
  /** Posts of earlier processes, read only once: post key to ts. */
  #earlier: Promise<Map<string, string>> | undefined

  /** `log`: its lines name the question. */
  constructor(installation: Installation, question: Question, run: Run, signal: AbortSignal, log: Log) {
    this.installation = installation
    this.question = question
    this.run = run
    this.signal = signal
    this.log = log
  }

  /** Posts a part of the run, or updates its message. @throws SlackRefusal, LeaseLost; with `hurry` any error */
  async show(key: string, content: Content, hurry?: Partial<CallOptions>): Promise<void> {
    const { ts, isNew } = await this.#postOnce(key, content, this.question.thread)
    // A post from before a crash shows an old state of the step.
    if (!isNew) await this.#update(key, ts, content, hurry)
  }

  /** Posts a final part of the run, which must arrive, and its file. @throws SlackRefusal, LeaseLost */
  async deliver(key: string, content: Content): Promise<void> {
    if (content.file) return this.#deliverWithFile(key, content, content.file)
    await this.#postOnce(key, content, this.question.thread, true)
  }

  /** Sends a file into the thread. @returns whether Slack accepted it. @throws LeaseLost */
  async sendFile(key: string, file: { name: string; title: string; text: string }): Promise<boolean> {
    const id = this.isPosted(key) ? undefined : await this.#upload(file)
    return this.isPosted(key) || (id !== undefined && this.#share(key, { ...file, id }))
  }

  /** Posts the first message of a thread. @returns its ts. @throws SlackRefusal, LeaseLost */
  async deliverRoot(content: Content): Promise<string> {
    return (await this.#postOnce('root', content, undefined, true)).ts
  }

  /** Returns the outbox of the same run for a thread that it has opened. */
  under(thread: string): Outbox {
    return new Outbox(this.installation, { ...this.question, thread }, this.run, this.signal, this.log)
  }

  /** Whether the rest of the run is for the asker alone. */
  get isForAsker(): boolean {
    return isForAskerAlone(this.question, this.run.saved)
  }

  /** Returns whether a part of the run is in Slack. */
  isPosted(key: string): boolean {
    return Boolean(this.run.saved.posts[key])
  }

  /** Tries an optional call once, or not at all if the app lacks the method. `unsure`: it may have taken effect. */
  async tryOnce(method: string, args: SlackArgs): Promise<'taken' | 'refused' | 'unsure'> {
    if (this.refusals.has(method)) return 'refused'
    try {
      await this.#client.call(method, args, { effort: 'once' })
      return 'taken'
    } catch (error) {
      const isRefused = error instanceof SlackRefusal
      if (isRefused && error.code === 'already_reacted') return 'taken'
      const fields = { method, channel: args.channel ?? args.channel_id, error: messageOf(error) }
      this.log.debug(fields, isRefused ? `Slack rejected ${method}` : `no answer from Slack to ${method}`)
      return isRefused ? 'refused' : 'unsure'
    }
  }

  /** Any other call that changes something. @throws SlackRefusal; with `effort: 'once'` any error */
  call(method: string, args: SlackArgs, options: CallOptions = { effort: 'patient' }): Promise<SlackResult> {
    return this.#client.call(method, args, options)
  }

  /**
   * Sends a message that only the asker sees: to the response_url, else as an ephemeral message, else as a direct
   * message. The ephemeral message goes into the thread if the question was a reply, else into the channel, because
   * Slack does not show ephemeral messages in a thread without replies. Never rejects.
   */
  async tellAsker(content: Content): Promise<void> {
    await this.#tell(content).catch(warnWith(this.log, {}, 'could not notify the asker'))
  }

  /** Sends a part of the run to the asker only; again if it may not have arrived. @throws SlackRefusal, LeaseLost */
  async sendEphemeral(key: string, content: Content, { replaces = false } = {}): Promise<void> {
    const send = async () => {
      await this.run.checkLease()
      await this.#tell(content, { replaces, signal: this.signal })
      return 'ephemeral' // in place of a post's ts; 0.1.0 stored 'whispered'
    }
    await this.once(key, send)
  }

  #tell(content: Content, more: { replaces?: boolean; signal?: AbortSignal } = {}): Promise<void> {
    const { channel, user, text, responseUrl, thread, ts } = this.question
    const isReply = ts !== undefined && thread !== ts
    const place = { channel, user, isAway: isBackground(this.question), thread_ts: isReply ? thread : undefined }
    const simple = { text: content.text, blocks: blocksIn(content, () => true) }
    const forms = [acceptedForm(content, this.refusals), simple, withoutBlocks(content, 'chat.postMessage')] as const
    return sendEphemeral({ ...place, responseUrl, ...more }, forms, this.#client, this.log, aboutContent(text, simple))
  }

  /** Deletes the run's posts. @throws LeaseLost */
  async removePosts(): Promise<void> {
    await this.run.checkLease()
    await removePosts(this.#ownPlace(this.question.thread), Object.values(this.run.saved.posts))
  }

  /** Reads the bot's messages since the question, in a thread or, without one, in the channel. @throws SlackRefusal */
  ownMessages(thread: string | undefined, until?: AbortSignal): AsyncGenerator<ThreadMessage> {
    return ownMessages(this.#ownPlace(thread, until))
  }

  /** The block types, methods and scopes that this workspace has refused recently. */
  get refusals(): Refusals {
    return this.#client.refusals
  }

  get #client() {
    return this.installation.client
  }

  /**
   * Claims a part of the run, looks it up, sends it and records its ts. `find` is called if an earlier try may have
   * sent it; `isUnsure` means that one certainly began to. @throws LeaseLost, and the errors of `find` and `send`
   */
  async once(
    key: string,
    send: () => Promise<string>,
    find: (isUnsure: boolean) => Promise<string | undefined> = async () => undefined,
  ): Promise<{ ts: string; isNew: boolean }> {
    const { question, run } = this
    const claim = await run.claimPost(key)
    if (typeof claim === 'object') return { ts: claim.ts, isNew: false }
    const isUnsure = claim === 'unsure'
    // A restarted Redis may have lost the last records of posts, or the question, which Slack then delivered again.
    const mayBeThere = isUnsure || run.saved.attempts > 1 || question.isLate === true
    const found = mayBeThere ? await find(isUnsure) : undefined
    const ts = found ?? (await send())
    await run.posted(key, ts)
    return { ts, isNew: found === undefined }
  }

  /**
   * `key`: the part of the run that it shows: `root`, `step-1`, `answer-1` … `thread` is absent for a message outside
   * threads. One that `mustArrive` is sent again if it may not have been sent: twice is better than never.
   */
  #postOnce(
    key: string,
    content: Content,
    thread: string | undefined,
    mustArrive = false,
  ): Promise<{ ts: string; isNew: boolean }> {
    const look = () => this.#findPost(key, thread, mustArrive)
    const find = async (isUnsure: boolean) =>
      isUnsure || !thread ? look() : (await (this.#earlier ??= postsByKey(this.#ownPlace(thread)))).get(key)
    return this.once(key, () => this.#sendPost(key, content, thread, look), find)
  }

  async #sendPost(
    key: string,
    content: Content,
    thread: string | undefined,
    find: () => Promise<string | undefined>,
  ): Promise<string> {
    const isForAll = this.question.kind === 'share' || /^(?:root|step|card|aside)/.test(key)
    if (this.isForAsker && !isForAll) throw new Error('This is for the asker alone.')
    const lookUp = async () => {
      const ts = await find()
      return ts === undefined ? undefined : { ts }
    }
    const place = { channel: this.question.channel, thread_ts: thread }
    const args = { ...place, ...NOT_UNFURLED, mrkdwn: content.plain === undefined, metadata: this.metadata(key) }
    const before = this.shownStatus
    const { ts } = await this.#send('chat.postMessage', args, content, { lookUp })
    if (thread && this.shownStatus === before) this.shownStatus = undefined
    return String(ts)
  }

  #send(method: SendMethod, args: SlackArgs, content: Content, given: Partial<CallOptions> = {}) {
    const checkLease = () => this.run.checkLease()
    const asker = [this.question.user, ...(content.mentions ?? [])]
    const options: CallOptions = { effort: 'patient', asker, checkLease, signal: this.signal, ...given }
    return sendContent(content, method, args, options, this.#client)
  }

  #update(key: string, ts: string, content: Content, given?: Partial<CallOptions>): Promise<SlackResult> {
    const args = { channel: this.question.channel, ts, metadata: this.metadata(key) }
    return this.#send('chat.update', args, content, given)
  }

  /** Uploads the file before posting, so that the message can say whether a file follows, and shares it afterwards. */
  async #deliverWithFile(key: string, content: Content, file: NonNullable<Content['file']>): Promise<void> {
    const fileKey = `${key}-file`
    const id = this.isPosted(fileKey) ? undefined : await this.#upload(file)
    const shown = id || this.isPosted(fileKey) ? content : file.without
    const { ts, isNew } = await this.#postOnce(key, shown, this.question.thread, true)
    const isShared = id && (await this.#share(fileKey, { ...file, id }))
    // An earlier process may have posted the message without the file.
    if (id && (!isShared || !isNew)) await this.#update(key, ts, isShared ? content : file.without)
  }

  #upload(file: { name: string; text: string }): Promise<string | undefined> {
    return uploadText(this.#client, file, this.signal, this.log)
  }

  /** Shows an uploaded file in the thread. @returns whether Slack accepted it. @throws LeaseLost */
  async #share(key: string, file: { id: string; name: string; title: string }): Promise<boolean> {
    const { channel, thread } = this.question
    const find = (id?: string) => findFile(this.#ownPlace(thread), file.name, id)
    const how = { signal: this.signal, checkLease: () => this.run.checkLease() }
    const send = () =>
      shareFile(this.#client, file, { channel_id: channel, thread_ts: thread }, () => find(file.id), how)
    const refused = ({ code }: SlackRefusal) => this.log.warn({ code }, 'a file could not be shared')
    return this.once(key, send, () => find()).then(
      () => true,
      ifRefused((refusal) => (refused(refusal), false)),
    )
  }

  /** Metadata that marks a message as this part of the run. */
  metadata(key: string) {
    return { event_type: EVENT_TYPE, event_payload: { run: this.question.id, step: key } }
  }

  /** @throws SlackRefusal if Slack refuses the look-up. A post that must arrive counts as not sent instead. */
  async #findPost(key: string, thread: string | undefined, mustArrive: boolean): Promise<string | undefined> {
    try {
      for await (const post of ownPosts(this.#ownPlace(thread))) if (post.key === key) return post.ts
    } catch (error) {
      if (!(error instanceof SlackRefusal) || !mustArrive) throw error
      this.log.warn({ channel: this.question.channel, code: error.code }, 'could not look up a post')
    }
    return undefined
  }

  #ownPlace(thread: string | undefined, until?: AbortSignal) {
    const { installation, question, signal } = this
    return { installation, question, thread, signal: until ? AbortSignal.any([signal, until]) : signal }
  }
}
