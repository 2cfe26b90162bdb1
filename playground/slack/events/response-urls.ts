import { checkBlocks } from '../blocks/block-rules.ts'
import { FROM_BOT } from '../methods/chat.ts'
import { readContent } from '../methods/method-content.ts'
import type { Store } from '../store.ts'
import { Refusal, type Channel, type Json } from '../types.ts'

/** The life of a response URL: 30 minutes and five uses. */
const LASTS_MS = 30 * 60_000
const USES = 5

/** The recipient of an address, and the place that it writes to. */
interface Recipient {
  channel: Channel
  user: string
  thread?: string
  /**
   * The message that `replace_original` replaces: the one whose button was pressed. Commands have none
   * (slackapi/bolt-js#2287).
   */
  message?: string
}

/** An address, and its remaining uses. */
interface ResponseUrl {
  to: Recipient
  until: number
  left: number
}

/** The response URLs that come with commands and presses. */
export interface ResponseUrls {
  issue(base: string, to: Recipient): string
  /** Accepts a post of the app. @throws Refusal if the address is used up or the message is broken */
  take(id: string, args: Json): void
  /** Returns the thread that an address writes to, as `channel:root ts`. */
  threadOf(id: string): string | undefined
  /** Shows the message of an ack. It has the same form. */
  show(to: Recipient, args: Json): void
}

/** https://docs.slack.dev/interactivity/handling-user-interaction#message_responses */
export function createResponseUrls(store: Store, now: () => number): ResponseUrls {
  const given = new Map<string, ResponseUrl>()

  function show(to: Recipient, args: Json) {
    const original = to.message === undefined ? undefined : store.find(to.channel, to.message)
    const ephemeral = to.channel.ephemerals.find((one) => one.ts === to.message && one.user === to.user)
    if (args['delete_original'] === true && ephemeral) return store.deleteEphemeral(to.channel, ephemeral)
    if (args['delete_original'] === true && original) return store.remove(to.channel, original)
    const { text, blocks } = readContent(args)
    const thread = to.thread && { thread_ts: to.thread }
    if (args['replace_original'] === true && ephemeral)
      return store.replaceEphemeral(to.channel, ephemeral, { text, blocks })
    if (args['replace_original'] === true && original) {
      Object.assign(original, { text, blocks })
      return store.changed(to.channel, original)
    }
    if (args['response_type'] === 'in_channel')
      return void store.post(to.channel, { ...FROM_BOT, text, ...(blocks && { blocks }), ...thread })
    store.sendEphemeral(to.channel, { user: to.user, text, ...(blocks && { blocks }), ...thread })
  }

  return {
    issue(base, to) {
      const id = store.id('R')
      given.set(id, { to, until: now() + LASTS_MS, left: USES })
      return `${base}/response/${id}`
    },
    threadOf(id) {
      const { channel, thread, message } = given.get(id)?.to ?? {}
      const root = thread ?? message
      return channel && root && `${channel.id}:${root}`
    },
    take(id, args) {
      const address = given.get(id)
      if (!address || address.until < now())
        throw new Refusal('expired_url', { why: 'The response URL is unknown or over 30 minutes old.' })
      if (address.left === 0) throw new Refusal('used_url', { why: `A response URL has ${USES} uses.` })
      address.left -= 1
      if (args['blocks'] !== undefined) checkBlocks(args['blocks'])
      show(address.to, args)
    },
    show,
  }
}
