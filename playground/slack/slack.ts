/**
 * A small Slack on this machine, for tests and for trying the bot without an app. It has the Web API methods that the
 * bot calls, with Slack's refusals and limits; signed deliveries over HTTP or Socket Mode, with retries; and people who
 * write messages, send commands and press buttons.
 */
import { createDeliveries } from './events/deliveries.ts'
import { echoBot } from './events/echo.ts'
import { createFaults } from '../faults/faults.ts'
import { isForeign, listen, type LoopbackServer } from '../base/loopback-server.ts'
import type { FileWithText, LocalSlack, LocalSlackOptions } from './local-slack.ts'
import type { Workspace } from './methods/method.ts'
import { links } from './sent-links.ts'
import { HandOver } from './events/hand-over.ts'
import { Interactions } from './events/interactions.ts'
import { People } from './people.ts'
import { createRates } from './rates.ts'
import { createResponseUrls } from './events/response-urls.ts'
import { pings, shown, shownView } from './shown.ts'
import { createSearchTokens } from './search-tokens.ts'
import { startSocketCutter } from '../faults/socket-cutter.ts'
import { slackFaults, takeable } from '../faults/slack-faults.ts'
import { Sockets } from './events/sockets.ts'
import { ALICE, BOT_USER, Store } from './store.ts'
import { createFaultSwitches, type FaultSwitches } from '../faults/fault-switches.ts'
import { journalFaults } from '../faults/faults-journal.ts'
import { createTriggers } from './events/triggers.ts'
import type { WebApiCall, RefusedCall, StoredFile } from './types.ts'
import { quiet, until } from '../base/until.ts'
import { Views } from './view-stack.ts'
import { createWebApi } from './web-api.ts'

/** Tokens with the prefixes that the bot checks, and Slack’s own times in milliseconds. */
const DEFAULTS = {
  botToken: 'xoxb-local-bot',
  appToken: 'xapp-1-local-app',
  signingSecret: 'local-signing-secret',
  ackMs: 3000,
  triggerMs: 3000,
  retryMs: [0, 60_000, 300_000],
  streamMs: 300_000,
  streamBytes: 11_000,
  agent: false,
  echo: true,
  shouldEscape: true,
  loginPage: 'redirect' as 'redirect' | 'page',
  now: Date.now,
}

/** The retries of an impatient Slack, in ms. They are short, so that one can watch them. */
const IMPATIENT_RETRY_MS = [0, 2_000, 5_000]

type LocalSlackSettings = ReturnType<typeof withDefaults>

function withDefaults(options: LocalSlackOptions) {
  return { ...DEFAULTS, ...options }
}

/** Starts it on 127.0.0.1. Default: on a free port. */
export async function startLocalSlack(options: LocalSlackOptions = {}): Promise<LocalSlack> {
  const settings = withDefaults(options)
  const progress = { open: 0 }
  const server = await listen((request, response) => {
    if (isForeign(request, settings.host ?? settings.alias))
      return void response.writeHead(403).end('Only for this machine.')
    progress.open += 1
    response.on('close', () => (progress.open -= 1))
    parts.webApi(request, response).catch(() => response.destroy())
  }, options.port)
  const base = settings.base ?? (settings.host ? `http://${settings.host}:${server.port}` : server.base)
  const parts = assemble(settings, { ...server, base })
  hideSecrets(settings)
  const { store, views, people, sockets, faultSwitches, calls, refusals, faults, deliveries } = parts
  const { botToken, appToken, signingSecret } = settings
  if (settings.echo) echoBot(store, (event) => void people.event(event))

  return {
    ...{ apiUrl: `${base}/api/`, port: server.port, botToken, appToken, signingSecret },
    ...{ store, views, people, sockets, faultSwitches, calls, refusals },
    ...{ setTarget: parts.setTarget, target: parts.target },
    fault: faults.add,
    clearFaults: faults.clear,
    links: () => calls.filter(({ ok }) => ok).flatMap(({ args }) => links(args)),
    redeliver: deliveries.redeliver,
    searchTokenOf: (user) => parts.search?.ownOf(user),
    ...reading(store, views),
    ...acting(parts),
    refuseBlocks: (...types) => (parts.refusedBlocks.clear(), types.forEach((type) => parts.refusedBlocks.add(type))),
    until,
    settle: (quietMs = 300) => quiet(() => ({ busy: progress.open + deliveries.busy(), count: calls.length }), quietMs),
    async close() {
      parts.uncut()
      deliveries.close()
      sockets.close()
      await server.close()
    },
  }
}

function hideSecrets({ journal, botToken, appToken, signingSecret }: LocalSlackSettings) {
  journal?.hide(botToken, '$SLACK_BOT_TOKEN')
  journal?.hide(appToken, '$SLACK_APP_TOKEN')
  journal?.hide(signingSecret, '$SLACK_SIGNING_SECRET')
}

/** Creates the parts and connects them. */
function assemble(settings: LocalSlackSettings, server: LoopbackServer) {
  const { now, scopes, events } = settings
  const store = new Store(now)
  const views = new Views(store)
  const sockets = new Sockets(server.server, settings)
  const triggers = createTriggers(store, settings)
  const responseUrls = createResponseUrls(store, now)
  const faults = createFaults()
  const calls: WebApiCall[] = []
  const refusals: RefusedCall[] = []
  const refusedBlocks = new Set(settings.refusedBlocks)
  const base = () => server.base
  let target: string | undefined
  let revoked = false
  const faultSwitches = createFaultSwitches({ scopes: takeable(scopes) })
  if (settings.journal) journalFaults(faultSwitches, settings.journal)
  const injected = slackFaults(faultSwitches, store, now, scopes)
  const { search: kind, actionTokenMs: lifeMs } = settings
  const areExpired = () => faultSwitches.isOn('searchExpired')
  const search = kind && createSearchTokens({ kind, now, areExpired, ...(lifeMs !== undefined && { lifeMs }) })
  const workspace: Workspace = {
    ...{ store, views, now, base, search },
    socketUrl: () => sockets.issue(server.base),
    useTrigger: (trigger) => injected.useTrigger(() => triggers.use(trigger)),
    ...{ streamBytes: settings.streamBytes, agent: settings.agent },
    streamMs: () => inMs(faultSwitches.number('streamsDie')) ?? settings.streamMs,
    isGranted: (scope) => !injected.isTaken(scope) && (scopes?.includes(scope) ?? true),
  }
  const rate = ratesOf(settings, faultSwitches)
  const webApi = createWebApi({
    ...{ workspace, rate, responseUrls, calls, refusals, refusedBlocks, isRevoked: () => revoked },
    faults: { ...faults, take: (method, args) => faults.take(method, args) ?? injected.take(method, args) },
    checkScope: injected.checkScope,
    journal: settings.journal,
    loginPage: () => (faultSwitches.choice('loginPage') === 'page' ? 'page' : settings.loginPage),
    ...{ botToken: settings.botToken, appToken: settings.appToken, ...(scopes && { scopes }) },
  })
  const deliveries = deliveriesOf(settings, { faultSwitches, sockets, target: () => target })
  const way = new HandOver({
    ...{ store, views, deliveries, responseUrls, now, base, trigger: triggers.issue, ...(events && { events }) },
    shouldEscape: settings.shouldEscape,
    withToken: search?.withToken,
    isHeard: injected.isHeard,
    lateMs: () => (inMs(faultSwitches.number('late')) ?? 0) * 3600,
    refuse: (refused) => void refusals.push(refused),
    revoke: () => (revoked = true),
  })
  const [people, interactions] = [new People(way), new Interactions(way)]
  const setTarget = (url: string | undefined) => void (target = url)
  const joined = { store, views, people, interactions, sockets, faults, faultSwitches, search, target: () => target }
  const uncut = startSocketCutter(faultSwitches, sockets)
  return { ...joined, calls, refusals, refusedBlocks, webApi, deliveries, setTarget, uncut }
}

/** Returns Slack's rates: for the given methods, or for all while the switch is on. */
function ratesOf(
  { now, strictRate }: LocalSlackSettings,
  faultSwitches: FaultSwitches,
): ReturnType<typeof createRates> {
  const own = strictRate ? createRates(now, Array.isArray(strictRate) ? strictRate : undefined) : () => 0
  const strict = createRates(now)
  return (method, args) => (faultSwitches.isOn('rates') ? strict : own)(method, args)
}

/** Creates the deliveries, with the retries that the switches set. */
function deliveriesOf(
  { signingSecret: secret, now, ackMs, retryMs, journal }: LocalSlackSettings,
  { faultSwitches, ...way }: { faultSwitches: FaultSwitches; sockets: Sockets; target: () => string | undefined },
) {
  return createDeliveries({
    ...{ ...way, secret, now, journal },
    ackMs: () => faultSwitches.number('impatient') ?? ackMs,
    retryMs: () => (faultSwitches.isOn('impatient') ? IMPATIENT_RETRY_MS : retryMs),
    times: () => faultSwitches.number('redelivered') ?? 1,
  })
}

function inMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000
}

type Acts =
  | ('addChannel' | 'addUser' | 'say' | 'mention' | 'slash' | 'press' | 'submit' | 'closeView' | 'shortcut')
  | ('upload' | 'changeFile')

/** Returns the acts that tests use most. */
function acting({ store, people, interactions }: ReturnType<typeof assemble>): Pick<LocalSlack, Acts> {
  return {
    addChannel: (id, extra) => store.addChannel(id, extra),
    addUser: (id, extra) => store.addUser(id, extra),
    say: (options) => people.say(options),
    mention: (text, options = {}) => people.say({ ...options, text: `<@${BOT_USER}> ${text}` }),
    upload: (file, user) => people.upload(file, user),
    changeFile: (id, change) => people.changeFile(id, change),
    slash: (text, options) => interactions.slash(text, options),
    press: (where, action) => interactions.press(where, action),
    submit: (view, values) => interactions.submit(view, values),
    closeView: (view) => interactions.closeView(view),
    shortcut: (where, callbackId) => interactions.shortcut(where, callbackId),
  }
}

type Reads =
  | ('messages' | 'replies' | 'shown' | 'pings' | 'status' | 'reactions' | 'ephemerals')
  | ('session' | 'modal' | 'home' | 'shownView' | 'files')

/** Returns the state of the workspace for tests, read only. */
function reading(store: Store, views: Views): Pick<LocalSlack, Reads> {
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
    session: (id, thread) => channelOf(id)?.sessions.get(thread),
    modal: (user = ALICE) => views.modals(user).at(-1),
    home: (user = ALICE) => views.home(user),
    shownView: (view) => shownView(store, view),
    files: () => [...store.files.values()].map(asText),
    reactions: (id, ts) => messages(id).find((one) => one.ts === ts)?.reactions ?? [],
    ephemerals: (id, user) =>
      (channelOf(id)?.ephemerals ?? []).filter((one) => one.user === user).map((one) => shown(store, one)),
  }
}

/** Returns a file with its bytes as a text too. */
function asText(file: StoredFile): FileWithText {
  return { ...file, content: file.bytes && Buffer.from(file.bytes).toString() }
}

export type { Delivery } from './events/deliveries.ts'
export type { Fault } from '../faults/faults.ts'
export type { LocalSlack, LocalSlackOptions } from './local-slack.ts'
export type { AckResult } from './events/hand-over.ts'
export type { SubmitResult } from './events/interactions.ts'
export type { SentMessage, SayOptions } from './people.ts'
export { ALICE, BOB, BOT_USER, GENERAL, RANDOM, TEAM } from './store.ts'
export type { UploadedFile } from './files/stored-files.ts'
export type { FileFault, Json, StoredMessage, Session, StoredFile } from './types.ts'
