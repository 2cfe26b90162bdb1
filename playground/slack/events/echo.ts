import { changedEvent, deletedEvent, messageEvent } from './event-payloads.ts'
import { BOT_USER, type Store } from '../store.ts'
import type { Json, StoredMessage } from '../types.ts'

/**
 * Sends the bot's own posts, edits and deletions to the app as events, as Slack does. Calls `send` with each. Returns a
 * function that ends this.
 */
export function echoBot(store: Store, send: (event: Json) => void): () => void {
  const before = new Map<string, StoredMessage>()
  return store.watch((change) => {
    if (change.type !== 'message' && change.type !== 'removed') return
    const channel = store.channels.get(change.channel)
    if (!channel?.members.has(BOT_USER)) return
    const ts = change.type === 'removed' ? change.ts : change.message.ts
    const previous = before.get(ts)
    if (change.type === 'removed') {
      before.delete(ts)
      if (previous) send(deletedEvent(channel, previous, store.ts()))
      return
    }
    const { message } = change
    // A tombstone replaces the bot's root with replies, and has no author.
    if (message.user !== BOT_USER && !(previous && message.subtype === 'tombstone')) return
    before.set(ts, structuredClone(message))
    if (!previous) send(messageEvent(channel, message))
    else if (textOf(previous) !== textOf(message)) send(changedEvent(channel, message, previous, store.ts()))
  })
}

/** Returns the text that an edit changes. A reaction is not an edit. */
function textOf(message: StoredMessage): string {
  return JSON.stringify([message.text, message.blocks, message.attachments])
}
