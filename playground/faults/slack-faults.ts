/** Maps the fault switches to Slack's responses. The errors are those of Slack's reference. */
import type { Fault } from './faults.ts'
import { scopesOf } from '../slack/methods/index.ts'
import { subscription } from '../slack/events/event-payloads.ts'
import type { Store } from '../slack/store.ts'
import type { FaultSwitches } from './fault-switches.ts'
import { declined, Refusal, type Channel, type Json } from '../slack/types.ts'

/** Injects faults into the app's calls and events. */
interface SlackFaults {
  /** Returns the fault of this call, if there is one. */
  take(method: string, args: Json): Fault | undefined
  /** Checks the scopes of a call. @throws Refusal `missing_scope` if the removed scope is needed */
  checkScope(method: string, args: Json): void
  isTaken(scope: string): boolean
  /** Uses a trigger. A trigger that expired because Slack was slow is not the app's mistake. */
  useTrigger(use: () => string): string
  /** Returns whether the app gets this event. It does not if the scope of its subscription is removed. */
  isHeard(event: Json): boolean
}

/** The person whose press of Stop is simulated. */
const SOMEBODY = 'USLACKBOT'

/** The scopes that events need, from each event's page under https://docs.slack.dev/reference/events. */
const EVENT_SCOPES: Record<string, string> = {
  app_mention: 'app_mentions:read',
  'message.channels': 'channels:history',
  'message.groups': 'groups:history',
  'message.im': 'im:history',
  'message.mpim': 'mpim:history',
  reaction_added: 'reactions:read',
  reaction_removed: 'reactions:read',
}

/** The prefix of a scope that exists for each kind of channel. */
const KINDS: Record<Channel['kind'], string> = { channel: 'channels', group: 'groups', im: 'im', mpim: 'mpim' }

/**
 * Returns the scopes whose loss can be simulated, because methods, events or their fields need them. Given `scopes`,
 * returns only those among them.
 */
export function takeable(scopes?: readonly string[]): string[] {
  const fields = ['users:read.email', 'files:read']
  const all = [...new Set([...[...scopesOf.values()].flat(), ...Object.values(EVENT_SCOPES), ...fields])]
  // assistant:write makes no difference beside chat:write.
  return all.filter((one) => one !== 'assistant:write' && (scopes?.includes(one) ?? true)).sort()
}

export function slackFaults(
  faultSwitches: FaultSwitches,
  store: Store,
  now: () => number,
  scopes?: readonly string[] | undefined,
): SlackFaults {
  const limits = createLimits(now)
  const isTaken = (scope: string) => faultSwitches.choice('scope') === scope
  return {
    isTaken,
    take(method, args) {
      if (faultSwitches.isOn('streamsStopped') && /^chat\.(append|stop)Stream$/.test(method)) stopUnheard(store, args)
      const delayMs = (faultSwitches.number('slow') ?? 0) * 1000
      const wrong = faultOf(faultSwitches, method) ?? limits.take(faultSwitches.number('limited'), method, args)
      return wrong || delayMs > 0 ? { ...wrong, ...(delayMs > 0 && { delayMs }) } : undefined
    },
    checkScope(method, args) {
      const needed = neededBy(method, args, store)
      const isGranted = (scope: string) => !isTaken(scope) && (scopes?.includes(scope) ?? true)
      if (!needed.some(isTaken) || needed.some(isGranted)) return
      const provided = (scopes ?? takeable()).filter((one) => !isTaken(one)).join(',')
      throw new Refusal('missing_scope', { blame: false, more: { needed: needed.join(','), provided } })
    },
    useTrigger(use) {
      try {
        return use()
      } catch (error) {
        const isExcused = faultSwitches.isOn('slow') && error instanceof Refusal && error.error === 'expired_trigger_id'
        throw isExcused ? declined(error.error) : error
      }
    },
    isHeard: (event) => !isTaken(EVENT_SCOPES[subscription(event)] ?? ''),
  }
}

/**
 * Returns the scopes of which a call needs one. If the scopes differ by kind of channel, returns that of the call's
 * channel.
 */
function neededBy(method: string, args: Json, store: Store): string[] {
  const all = scopesOf.get(method) ?? []
  const kind = store.channels.get(String(args['channel']))?.kind
  const own = all.filter((scope) => kind && scope.startsWith(`${KINDS[kind]}:`))
  return own.length > 0 ? own : all
}

function faultOf(faultSwitches: FaultSwitches, method: string): Fault | undefined {
  if (faultSwitches.isOn('down')) return { status: 503, error: 'service_unavailable' }
  const refused = method === 'chat.startStream' ? faultSwitches.choice('streamsRefused') : undefined
  if (refused) return { error: refused }
  // A token without the scope gets Slack's login page instead of the bytes.
  return method === 'download' && faultSwitches.isOn('loginPage') ? { error: 'missing_scope' } : undefined
}

/** Refuses every second call of a method that has a rate limit, and calls that follow a refusal too soon. */
function createLimits(now: () => number) {
  const until = new Map<string, number>()
  return {
    take(seconds: number | undefined, method: string, args: Json): Fault | undefined {
      if (seconds === undefined) return void until.clear()
      // Downloads and response URLs are not methods.
      if (!method.includes('.')) return undefined
      const key = method === 'chat.postMessage' ? `${method}:${String(args['channel'])}` : method
      const end = until.get(key) ?? now() + seconds * 1000
      if (end <= now()) return void until.delete(key)
      until.set(key, end)
      return { retryAfter: Math.ceil((end - now()) / 1000) }
    },
  }
}

/** Ends a stream as if a person had stopped it, without the event about it. */
function stopUnheard(store: Store, { channel: id, ts }: Json) {
  const channel = store.channels.get(String(id))
  const message = channel && store.find(channel, ts)
  if (message?.streaming_state !== 'in_progress') return
  Object.assign(message, { streaming_state: 'stopped', stopped_by: SOMEBODY })
  store.changed(channel!, message)
}
