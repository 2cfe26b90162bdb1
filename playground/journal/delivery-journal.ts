/** Writes deliveries to the app into the journal. */
import { isObject } from '../slack/args.ts'
import type { DeliveryAttempt, DeliveryKind } from '../slack/events/delivery-attempt.ts'
import type { EntryStart, EntryEnd } from './journal.ts'
import { threadOfDelivery } from './journal-threads.ts'
import type { Json } from '../slack/types.ts'

export function deliveryEntry(kind: DeliveryKind, payload: Json): EntryStart {
  const thread = threadOfDelivery(payload)
  return { kind: 'delivery', name: nameOf(kind, payload), request: { type: kind, payload }, ...(thread && { thread }) }
}

/** Returns a delivery's name: `app_mention`, `message (message_changed)`, `/ask`, `block_actions thinkaloud_stop`. */
function nameOf(kind: DeliveryKind, payload: Json): string {
  if (kind === 'slash_commands') return String(payload['command'])
  if (kind === 'interactive') return [payload['type'], idOf(payload)].filter(Boolean).join(' ')
  const { type, subtype }: Json = isObject(payload['event']) ? payload['event'] : {}
  return subtype ? `${String(type)} (${String(subtype)})` : String(type)
}

function idOf({ actions, callback_id, view }: Json): unknown {
  const action: unknown = Array.isArray(actions) ? actions[0] : undefined
  if (isObject(action)) return action['action_id']
  return callback_id ?? (isObject(view) ? view['callback_id'] : undefined)
}

/** Describes an attempt for the journal, with the time of its ack. */
export function tryTold(attempts: DeliveryAttempt[], isAcked: boolean): EntryEnd {
  const told = attempts.map(({ body, retry, reason, ...attempt }) => {
    return { ...attempt, ms: Math.round(attempt.ms), ...(retry > 0 && { retry, reason }), ack: body }
  })
  const { ms = 0, status = 0 } = attempts.at(-1) ?? {}
  const error = status === 0 ? 'no ack in time' : `acked with status ${status}`
  return { ms: Math.round(ms), ok: isAcked, ...(!isAcked && { error }), response: { attempts: told } }
}
