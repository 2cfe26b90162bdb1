/** Finds the thread of a delivery or a call, as `channel:root ts`. */
import { isObject } from '../slack/args.ts'
import type { Store } from '../slack/store.ts'
import type { Json } from '../slack/types.ts'

/** Returns a message's thread. A message without one is its own root. */
function threadOf(channel: unknown, message: Json | undefined, ts?: unknown): string | undefined {
  const root = message?.['thread_ts'] ?? message?.['ts'] ?? ts
  return typeof channel === 'string' && typeof root === 'string' && root !== '' ? `${channel}:${root}` : undefined
}

/** Returns the thread of a delivery: an event about a message, or a press on one. */
export function threadOfDelivery(payload: Json): string | undefined {
  const event = isObject(payload['event']) ? payload['event'] : undefined
  const channel = isObject(payload['channel'])
    ? payload['channel']['id']
    : (event?.['channel'] ?? payload['channel_id'])
  if (!event) return threadOf(channel, isObject(payload['message']) ? payload['message'] : containerOf(payload))
  const item = isObject(event['item']) ? event['item'] : undefined
  if (item) return threadOf(item['channel'], item)
  const changed = event['message'] ?? event['previous_message']
  return threadOf(channel ?? event['channel_id'], isObject(changed) ? changed : event)
}

function containerOf({ container }: Json): Json | undefined {
  return isObject(container) ? { ts: container['message_ts'], thread_ts: container['thread_ts'] } : undefined
}

/** Returns the thread of a Web API call, by its arguments or, if they name no message, by its answer. */
export function threadOfCall(store: Store, args: Json, answer: Json): string | undefined {
  const channel = answer['channel'] ?? args['channel_id'] ?? args['channel']
  if (typeof channel !== 'string') return undefined
  if (args['thread_ts']) return threadOf(channel, undefined, args['thread_ts'])
  const ts = args['ts'] ?? args['message_ts'] ?? args['timestamp'] ?? answer['ts']
  const known = store.channels.get(channel)
  const message = known && typeof ts === 'string' ? store.find(known, ts) : undefined
  return threadOf(channel, message, ts)
}
