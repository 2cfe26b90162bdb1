/** The composition root: builds everything from a Config and starts it. */
import type { Model } from './agent/contracts/model.ts'
import { createNetwork, type Network } from './base/http/proxy.ts'
import { listen, type Pages } from './base/http/server.ts'
import { createLog, type Log } from './base/log.ts'
import { secretsOf, type Config } from './config.ts'
import { checkBudgetPrices } from './model/prices.ts'
import { probeEndpoint } from './model/probe-endpoint.ts'
import { createTranscriber } from './model/transcribe.ts'
import type { AgentParts, AgentSources, ToolSeam } from './question/agent/agent-parts.ts'
import { createAgent } from './question/agent/create-agent.ts'
import { openConnections } from './question/connections/connections.ts'
import { createStores, type Stores } from './question/stores/open-stores.ts'
import { startScheduler } from './question/scheduler.ts'
import type { Handler } from './queue/types.ts'
import { createAppReceivers } from './slack/receivers/app-receivers.ts'
import { tokenRefused, whoIs } from './slack/client/installations.ts'
import { askSearchInfo } from './slack/client/is-search-on.ts'
import { openSlackAccount } from './slack/client/search-grant.ts'
import { openSlackIdentity } from './slack/client/sign-in-with-slack.ts'
import { warnOfUnknownIds } from './slack/client/unknown-ids.ts'
import type { SlackCall } from './slack/client/web-api.ts'
import { createQuestionHandlers } from './slack/answering/handle-question.ts'
import { openInstallations, type OpenedInstallations } from './slack/install/open-installations.ts'
import { createSlackReceiver, type SlackReceiver } from './slack/receivers/receiver.ts'
import { areSchedulesOff, type Services } from './slack/services.ts'
import type { RunTrace } from './stores/runs/run-trace.ts'
import { settingsFromConfig, withChannelSettings } from './stores/settings/settings.ts'
import { answerWatch, modelMeter, runRecorder, type Observers } from './telemetry/open-observers.ts'
import type { RunRecorder } from './telemetry/run-trace-recorder.ts'
import { createTelemetry, type Telemetry } from './telemetry/telemetry.ts'

export interface Bot {
  /** The port of /healthz, and of /slack/events in HTTP mode. */
  port: number
  /** The port of /metrics, if METRICS_PORT is set. */
  metricsPort?: number | undefined
  /** One line that says what was started. */
  summary: string
  /** Stops taking work, finishes or hands over running questions, closes everything. */
  stop(): Promise<void>
}

interface BotOptions {
  /** Replaces the configured model, for the playground's demo. */
  model?: Model
  /** Replaces the configured stores. They are closed with the bot. */
  stores?: Stores
  toolSeam?: ToolSeam
  chosenModel?: AgentSources['chosenModel']
  log?: Log
  /** The clock; the system's unless given. */
  now?: () => Date
  /** How long nothing may come over Slack's socket before it is replaced, in ms; see SlackConnection. */
  socketSilenceMs?: number
  /** The pauses between two tries to open Slack's socket, in ms; see SlackConnection. */
  socketPause?: { base: number; max: number }
  /**
   * Called at the start and end of each call of a run, and at the end of the run, with its trace so far. Implies
   * RUN_TRACES.
   */
  onTrace?: (trace: RunTrace) => void
}

/** @throws ConfigError if Slack refuses the tokens or a port is taken */
export async function startBot(config: Config, options: BotOptions = {}): Promise<Bot> {
  const log = options.log ?? createLog(config.LOG_LEVEL, undefined, secretsOf(config))
  const isWorker = config.ROLE !== 'front'
  const asksModel = isWorker && !options.model
  if (asksModel) checkBudgetPrices(config, log)
  const net = await createNetwork(config)
  const now = options.now ?? (() => new Date())
  const nowMs = () => now().getTime()
  const telemetry = await createTelemetry(config, log, nowMs)
  const stores = options.stores ?? (await createStores(config, { log, now: nowMs }))
  const recorder = runRecorder(config, stores, log, nowMs, options.onTrace)
  const stopping = new AbortController()
  const { signal } = stopping
  const failed = async (error: unknown) => {
    stopping.abort()
    await stores.close()
    throw error
  }
  // Comes before the calls of the model and the MCP servers, so that a start without a network fails early.
  const foundation = { log, net, now: nowMs, stores, telemetry, recorder }
  const installing = installationsOf(config, foundation, signal)
  installing.catch(() => undefined)
  const agent = await createAgent(config, {
    log,
    net,
    now,
    model: options.model,
    meter: modelMeter({ telemetry, recorder }, nowMs),
    mcpStore: stores.mcp,
    people: stores.people,
    hasWorkspace: !options.model,
    toolSeam: options.toolSeam,
    chosenModel: options.chosenModel,
    watchCall: recorder?.tool,
  }).catch(failed)
  const opened = await installing.catch(failed)
  const services = servicesOf(config, foundation, agent, opened)
  if (asksModel) void probeEndpoint(config, { log, net, signal }).then((names) => agent.choices.listed.push(...names))
  if (asksModel) services.search.info = askSearchInfo(services.installations, log, signal)
  if (isWorker) void warnOfUnknownIds(config, services.installations, log)
  const scheduler = isWorker ? await startWork(services, recorder) : undefined
  // A front may have ended after a login and before it resumed the runs that wait for it. Workers retry every hour.
  if (!isWorker) void services.connections?.resumeLeft().catch(() => undefined)
  const receiver = receiverOf(config, services, opened, net, options)
  const pages = { ...opened.pages, ...services.connections?.pages }
  const { close, ...ports } = await listenAt(config, stores, receiver, telemetry, pages)
  await receiver?.start().catch((error: unknown) => Promise.reject(tokenRefused('SLACK_APP_TOKEN', error, config)))
  return {
    ...ports,
    summary: summaryOf(config, agent.defaults.model.name),
    async stop() {
      stopping.abort()
      opened.stop()
      void scheduler?.stop()
      const closed = Promise.all([receiver?.stop(), close()])
      await stores.queue.stop(config.SHUTDOWN_MS - Math.min(CLOSING_MS, config.SHUTDOWN_MS / 4))
      await Promise.all([closed, stores.close(), agent.close(), telemetry?.stop(FLUSH_MS)])
    },
  }
}

/** Everything that the rest of the bot is built from. */
interface Foundation extends Observers {
  log: Log
  net: Network
  /** Milliseconds since the epoch. */
  now: () => number
  stores: Stores
}

function installationsOf(config: Config, { log, net, now, stores, telemetry }: Foundation, signal: AbortSignal) {
  return openInstallations(config, {
    log,
    now,
    fetch: net.fetch,
    onCall: telemetry && ((call: SlackCall) => telemetry.note({ kind: 'slack', ...call })),
    signal,
    movedTo: async (team, channel) => (await stores.threads.load(`${team}:${channel}`)).movedTo,
    installs: stores.installs,
  })
}

function servicesOf(
  config: Config,
  { log, net, now, stores, telemetry, recorder }: Foundation,
  agent: AgentParts,
  opened: OpenedInstallations,
): Services {
  const operators = settingsFromConfig(config, agent.defaults)
  const { people, control } = stores
  const enterpriseOf = async (team: string) => (await opened.installations.of(team))?.enterprise
  const ofSlack = { log, now, fetch: net.fetch, enterpriseOf }
  const slackAccount = openSlackAccount(config, { ...ofSlack, people })
  return {
    ...stores,
    intake: telemetry?.queue(stores.queue) ?? stores.queue,
    archive: recorder?.archive ?? stores.archive,
    agent,
    installations: opened.installations,
    settingsFor: withChannelSettings(operators, {
      store: stores.channelSettings,
      isAgentFresh: agent.isFresh,
      agentFor: agent.agentFor,
    }),
    operator: {
      settingsFor: async (place) => ({ ...(await operators(place)), ...(await agent.agentFor({}, place)) }),
      scheduling: { perUser: config.SCHEDULES_PER_USER, minMinutes: config.SCHEDULE_MIN_MINUTES },
      examples: config.EXAMPLES_FILE,
      askReaction: config.ASK_REACTION,
    },
    transcribe: createTranscriber(config, { net, log }),
    search: { account: slackAccount },
    connections: openConnections(config, [slackAccount, ...agent.accounts], {
      people,
      control,
      log,
      now,
      whoIs: whoIs(opened.installations),
      identity: openSlackIdentity(config, ofSlack),
    }),
    telemetry: {
      watch: answerWatch({ telemetry, recorder }, now),
      onFeedback: telemetry && ((rating) => telemetry.note({ kind: 'feedback', rating })),
      onConnection: telemetry && ((isConnected) => telemetry.note({ kind: 'socket', isConnected })),
    },
    log,
    fetch: net.fetch,
    now: agent.defaults.now,
  }
}

async function startWork(services: Services, recorder: RunRecorder | undefined) {
  const handlers = createQuestionHandlers(services)
  const recorded = (handler: Handler) => recorder?.handler(handler) ?? handler
  await services.intake.start(recorded(handlers.answer), recorded(handlers.deadLetter))
  return startScheduler({
    schedules: services.schedules,
    queue: services.intake,
    log: services.log,
    now: services.now,
    repair: services.connections?.resumeLeft,
    everyMs: services.durable ? 1_000 : 200,
    isOff: areSchedulesOff(services),
  })
}

function receiverOf(
  config: Config,
  services: Services,
  { apps }: OpenedInstallations,
  { dispatcher }: Network,
  { socketSilenceMs, socketPause }: BotOptions,
): SlackReceiver | undefined {
  if (config.ROLE === 'worker') return undefined
  const connection = {
    appToken: config.SLACK_APP_TOKEN,
    signingSecret: config.SLACK_SIGNING_SECRET,
    apiUrl: config.SLACK_API_URL,
    dispatcher,
    socketSilenceMs,
    socketPause,
  }
  return apps ? createAppReceivers(services, connection, apps) : createSlackReceiver(services, connection)
}

async function listenAt(
  config: Config,
  stores: Stores,
  receiver: SlackReceiver | undefined,
  telemetry: Telemetry | undefined,
  forPeople: Pages,
) {
  const pages = {
    '/healthz': () => ({ status: 200, body: 'ok\n' }),
    '/readyz': async () => {
      const reason = await whyNotReady(stores, receiver)
      return reason === undefined ? { status: 200, body: 'ok\n' } : { status: 503, body: `not ready: ${reason}\n` }
    },
  }
  const { PORT, METRICS_PORT, HOST: host } = config
  const own = receiver ? { ...pages, ...forPeople } : pages
  const main = await listen('PORT', { port: PORT, host, pages: own, front: receiver?.requestListener })
  const metrics =
    METRICS_PORT === undefined
      ? undefined
      : await listen('METRICS_PORT', { port: METRICS_PORT, host, pages: { ...pages, ...telemetry?.pages } })
  return { port: main.port, metricsPort: metrics?.port, close: () => Promise.all([main.close(), metrics?.close()]) }
}

/** Why no work can be accepted now, or undefined if it can. */
async function whyNotReady(
  { queue, durable }: Stores,
  receiver: SlackReceiver | undefined,
): Promise<string | undefined> {
  if (receiver && !receiver.ready()) return 'Socket Mode is not connected'
  if (await queue.ready()) return undefined
  return durable ? 'Redis is unreachable or refuses writes' : 'the queue in memory is full or stopping'
}

/** The part of SHUTDOWN_MS reserved for closing connections: a quarter, but at most this many milliseconds. */
const CLOSING_MS = 4_000
/** The part of `CLOSING_MS` for sending the last traces, in ms. */
const FLUSH_MS = 2_000

function summaryOf(config: Config, model: string): string {
  const intake =
    config.ROLE === 'worker'
      ? 'answering questions from the fronts'
      : config.SLACK_APPS
        ? 'the apps of SLACK_APPS'
        : config.SLACK_APP_TOKEN
          ? 'Socket Mode'
          : 'HTTP at /slack/events'
  const memory = config.REDIS_URL
    ? 'conversations and work are kept in Redis'
    : 'conversations and work are in memory and lost when it stops (set REDIS_URL to keep them)'
  return `Thinkaloud is ready: ${intake}, port ${config.PORT}, model ${model}; ${memory}.`
}
