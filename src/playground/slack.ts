/**
 * A small Slack on this machine: the Web API methods that the bot calls, with Slack's own refusals and limits; signed
 * deliveries over HTTP or Socket Mode, with redelivery; and people who write, command and press. For those who want to
 * see the bot before they make an app, and for tests.
 */
import { createDeliveries } from './deliveries.ts'
import { echoBot } from './echo.ts'
import { createFaults } from './faults.ts'
import { listen, type Listening } from './loopback-server.ts'
import type { LocalSlack, LocalSlackOptions } from './local-slack.ts'
import type { Workspace } from './methods/method.ts'
import { People } from './people.ts'
import { createRates } from './rates.ts'
import { createResponseUrls } from './response-urls.ts'
import { pings, shown } from './shown.ts'
import { Sockets } from './sockets.ts'
import { BOT_USER, Store } from './store.ts'
import { createTriggers } from './triggers.ts'
import type { Call, Refused } from './types.ts'
import { quiet, until } from './until.ts'
import { createWebApi } from './web-api.ts'

/** Tokens with the prefixes that the bot checks, and Slack’s own times in milliseconds. */
const DEFAULTS = {
  botToken: 'xoxb-local-bot',
  appToken: 'xapp-1-local-app',
  signingSecret: 'local-signing-secret',
  ackMs: 3000,
  retryMs: [0, 60_000, 300_000],
  streamMs: 300_000,
  echo: true,
  now: Date.now,
}

type Settings = LocalSlackOptions & typeof DEFAULTS

/** Starts it on 127.0.0.1, on a free port unless one is given. */
export async function startLocalSlack(options: LocalSlackOptions = {}): Promise<LocalSlack> {
  const settings: Settings = { ...DEFAULTS, ...options }
  const progress = { open: 0 }
  const server = await listen((request, response) => {
    progress.open += 1
    response.on('close', () => (progress.open -= 1))
    parts.webApi(request, response).catch(() => response.destroy())
  }, options.port)
  const parts = assemble(settings, server)
  const { store, people, sockets, calls, refusals, faults, deliveries } = parts
  const { botToken, appToken, signingSecret } = settings
  if (settings.echo) echoBot(store, (event) => void people.event(event))

  return {
    ...{ apiUrl: `${server.base}/api/`, botToken, appToken, signingSecret },
    ...{ store, people, sockets, calls, refusals },
    setTarget: parts.setTarget,
    fault: faults.add,
    clearFaults: faults.clear,
    redeliver: deliveries.redeliver,
    ...reading(store),
    ...acting(store, people),
    until,
    settle: (quietMs = 300) => quiet(() => ({ busy: progress.open + deliveries.busy(), count: calls.length }), quietMs),
    async close() {
      deliveries.close()
      sockets.close()
      await server.close()
    },
  }
}

/** Makes the parts and joins them. */
function assemble(settings: Settings, server: Listening) {
  const { now, scopes, events } = settings
  const store = new Store(now)
  const sockets = new Sockets(server.server, settings.pingMs)
  const triggers = createTriggers(store, now)
  const responseUrls = createResponseUrls(store, now)
  const faults = createFaults()
  const calls: Call[] = []
  const refusals: Refused[] = []
  const base = () => server.base
  let target: string | undefined
  const workspace: Workspace = {
    ...{ store, now, base },
    socketUrl: () => sockets.issue(server.base),
    useTrigger: triggers.use,
    streamMs: settings.streamMs,
  }
  const rate = settings.strictRate ? createRates(now) : () => 0
  const webApi = createWebApi({
    ...{ workspace, faults, rate, responseUrls, calls, refusals },
    ...{ botToken: settings.botToken, appToken: settings.appToken, ...(scopes && { scopes }) },
  })
  const { signingSecret: secret, ackMs, retryMs } = settings
  const deliveries = createDeliveries({ secret, now, sockets, target: () => target, ackMs, retryMs })
  const trigger = triggers.issue
  const people = new People({ store, deliveries, responseUrls, now, base, trigger, ...(events && { events }) })
  const setTarget = (url: string | undefined) => void (target = url)
  return { store, people, sockets, faults, calls, refusals, webApi, deliveries, setTarget }
}

type Acting = Pick<LocalSlack, 'addChannel' | 'addUser' | 'say' | 'mention' | 'slash' | 'press'>

/** What tests do most, at hand without a detour. */
function acting(store: Store, people: People): Acting {
  return {
    addChannel: (id, extra) => store.addChannel(id, extra),
    addUser: (id, extra) => store.addUser(id, extra),
    say: (options) => people.say(options),
    mention: (text, options = {}) => people.say({ ...options, text: `<@${BOT_USER}> ${text}` }),
    slash: (text, options) => people.slash(text, options),
    press: (where, action) => people.press(where, action),
  }
}

type Reading = Pick<LocalSlack, 'messages' | 'replies' | 'shown' | 'pings' | 'status' | 'reactions' | 'whispers'>

/** What tests look at: the state of the workspace, read only. */
function reading(store: Store): Reading {
  const channelOf = (id: string) => store.channels.get(id)
  const messages = (id: string) => channelOf(id)?.messages ?? []
  return {
    messages,
    replies: (id, thread) => messages(id).filter((one) => one.thread_ts === thread && one.user === BOT_USER),
    shown: (message) => shown(store, message),
    pings: () =>
      [...store.channels.keys()]
        .flatMap(messages)
        .filter((one) => one.user === BOT_USER)
        .flatMap(pings),
    status: (id, thread) => {
      const channel = channelOf(id)
      return channel ? store.status(channel, thread) : ''
    },
    reactions: (id, ts) => messages(id).find((one) => one.ts === ts)?.reactions ?? [],
    whispers: (id, user) =>
      (channelOf(id)?.ephemerals ?? []).filter((one) => one.user === user).map((one) => shown(store, one)),
  }
}

export type { Delivery } from './deliveries.ts'
export type { Fault } from './faults.ts'
export type { LocalSlack, LocalSlackOptions } from './local-slack.ts'
export type { Done, Said, SayOptions } from './people.ts'
export { ALICE, BOB, BOT_USER, GENERAL, RANDOM, TEAM } from './store.ts'
export type { Json, Message } from './types.ts'
