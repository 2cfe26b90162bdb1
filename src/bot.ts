/** The composition root: builds everything from a Config and starts it. */
import type { AnswerWatch } from './question/answer.ts'
import { createAgent, type AgentChoices, type AgentParts, type ToolSeam } from './question/create-agent.ts'
import type { Model, WorkspaceReader } from './agent/types.ts'
import { secretsOf, type Config } from './config.ts'
import { ConfigError } from './base/errors.ts'
import { createLog, type Log } from './base/log.ts'
import type { McpAdmin } from './mcp/tools/mcp-admin.ts'
import type { ModelMeter } from './model/index.ts'
import { checkBudgetPrices } from './model/prices.ts'
import { probeEndpoint } from './model/probe-endpoint.ts'
import { createNetwork, type Network } from './base/http/proxy.ts'
import type { Handler, Queue } from './queue/types.ts'
import type { RunTrace } from './stores/runs/run-trace.ts'
import { serve, type Server } from './base/http/server.ts'
import { createQuestionHandlers } from './slack/handle-question.ts'
import { askSearchInfo, type SearchInfo } from './slack/reading/search-info.ts'
import { createSlackReceiver, type SlackReceiver, type SlackReceiverOptions } from './slack/receiver.ts'
import type { WorkspaceWork } from './slack/types.ts'
import { createStores, type Stores } from './question/open-stores.ts'
import { createTelemetry, type Telemetry } from './telemetry/telemetry.ts'
import type { RunRecorder } from './telemetry/run-recorder.ts'
import type { SlackCallEvent } from './telemetry/telemetry-event.ts'
import { installationFromConfig, tokenRefused, type Installations } from './slack/client/installations.ts'
import { settingsFromConfig, withChannelSettings, type SettingsFor } from './stores/settings/settings.ts'

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

export interface BotOptions {
  /** Replaces the configured model, for the playground's demo. */
  model?: Model
  /** Replaces the configured stores. They are closed with the bot. */
  stores?: Stores
  toolSeam?: ToolSeam
  log?: Log
  /** How long Slack's socket may be silent before it is replaced, in ms; see SlackReceiverOptions. */
  socketSilenceMs?: number
  /** The pauses between attempts to open Slack's socket, in ms; see SlackReceiverOptions. */
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
  if (config.ROLE !== 'front' && !options.model) checkBudgetPrices(config, log)
  const net = await createNetwork(config)
  const telemetry = await createTelemetry(config, log)
  const onCall = telemetry && ((call: Omit<SlackCallEvent, 'kind'>) => telemetry.note({ kind: 'slack', ...call }))
  const stores = options.stores ?? (await createStores(config, log))
  const recorder = await recorderOf(config, { ...options, stores, log })
  const agent = await createAgent(config, {
    ...{ log, net, model: options.model, meter: meterOf({ telemetry, recorder }), mcpStore: stores.mcp },
    hasWorkspace: !options.model,
    toolSeam: options.toolSeam,
  }).catch((error: unknown) => stores.close().then(() => Promise.reject(error)))
  const queue = telemetry?.queue(stores.queue) ?? stores.queue
  const installations = await installationFromConfig(config, { log, fetch: net.fetch, onCall })
  const operators = settingsFromConfig(config, agent.answer.agent)
  const defaultsFor: SettingsFor = async (place) => ({
    ...(await operators(place)),
    ...(await agent.agentFor({}, place)),
  })
  const settingsFor = settingsIn(operators, { stores, agent, waits: false })
  const { now } = agent.answer.agent
  const { choices } = agent
  const parts = { log, net, stores, queue, telemetry, recorder, installations, settingsFor, defaultsFor, choices, now }
  const stopping = new AbortController()
  if (config.ROLE !== 'front' && !options.model)
    void probeEndpoint(config, { log, net, signal: stopping.signal }).then((names) => choices.listed.push(...names))
  const asksSearch = config.ROLE !== 'front' && !options.model
  const search = asksSearch ? askSearchInfo(installations, log, stopping.signal) : undefined
  if (config.ROLE !== 'front')
    await startWork({ ...parts, agent, search, settingsFor: settingsIn(operators, { stores, agent, waits: true }) })
  const { socketSilenceMs, socketPause } = options
  const mcpAdmin = await adminOf(config, { agent, stores })
  const front = { ...parts, agent, search, mcpAdmin, socketSilenceMs, socketPause }
  const receiver = config.ROLE === 'worker' ? undefined : receiverOf(config, front)
  const server = await listenAt(config, { ...parts, receiver })
  await receiver?.start().catch((error: unknown) => Promise.reject(tokenRefused('SLACK_APP_TOKEN', error)))
  return {
    port: server.port,
    metricsPort: server.metricsPort,
    summary: summaryOf(config, agent.answer.agent.model.name),
    async stop() {
      stopping.abort()
      const closed = Promise.all([receiver?.stop(), server.close()])
      await stores.queue.stop(config.SHUTDOWN_MS - Math.min(CLOSING_MS, config.SHUTDOWN_MS / 4))
      await Promise.all([closed, stores.close(), agent.close(), telemetry?.stop(FLUSH_MS)])
    },
  }
}

/**
 * Workers wait for the tools of MCP servers that are not known yet. The front does not, because Slack waits for its
 * ack.
 */
function settingsIn(
  operators: SettingsFor,
  { stores, agent, waits }: { stores: Stores; agent: AgentParts; waits: boolean },
): SettingsFor {
  const { channelSettings: store } = stores
  return withChannelSettings(operators, {
    store,
    isAgentFresh: agent.mcp !== undefined,
    agentFor: (chosen, place) => agent.agentFor(chosen, { ...place, waits }),
  })
}

/** The MCP section of an admin's Home. Absent without MCP servers. */
async function adminOf(
  config: Config,
  { agent, stores }: { agent: AgentParts; stores: Stores },
): Promise<McpAdmin | undefined> {
  if (!agent.mcp || !agent.mcpConfig || !stores.mcp) return undefined
  const { loginStore } = await import('./mcp/login/login-store.ts')
  const { needOf } = loginStore(stores.mcp, config.SECRETS_KEY)
  const { mcpAdmin } = await import('./mcp/tools/mcp-admin.ts')
  return mcpAdmin(agent.mcp, { config: agent.mcpConfig, needOf })
}

interface Parts {
  log: Log
  net: Network
  stores: Stores
  /** The stores' queue, wrapped if something is measured. */
  queue: Queue
  telemetry: Telemetry | undefined
  recorder: RunRecorder | undefined
  installations: Installations
  settingsFor: SettingsFor
  defaultsFor: SettingsFor
  choices: AgentChoices
  now(): Date
}

/** Readers of the work. Each exists only if its setting asks for it. */
type Readers = Pick<Parts, 'telemetry' | 'recorder'>

function meterOf({ telemetry, recorder }: Readers): ModelMeter | undefined {
  if (!telemetry && !recorder) return undefined
  const recorded = (model: Model) => recorder?.model(model) ?? model
  return {
    model: (model) => recorded(telemetry?.model(model) ?? model),
    breaker: (model, isOpen) => telemetry?.note({ kind: 'breaker', model, isOpen }),
  }
}

async function recorderOf(
  config: Config,
  { stores, log, onTrace }: { stores: Stores; log: Log } & Pick<BotOptions, 'onTrace'>,
): Promise<RunRecorder | undefined> {
  if (config.ROLE === 'front' || (!config.RUN_TRACES && !onTrace)) return undefined
  const { createRunRecorder } = await import('./telemetry/run-recorder.ts')
  return createRunRecorder({ ...stores, log, onTrace, secrets: secretsOf(config) })
}

async function startWork(parts: Parts & { agent: AgentParts; search: SearchInfo | undefined }): Promise<void> {
  const { agent, net, stores, recorder } = parts
  const watched = recorder ? { watchCall: recorder.tool } : {}
  const answer = { ...agent.answer, agent: { ...agent.answer.agent, ...watched } }
  const handlers = createQuestionHandlers({
    ...parts,
    answer: { ...answer, history: stores.history, control: stores.control },
    archive: recorder?.archive ?? stores.archive,
    audit: stores.audit,
    threads: stores.threads,
    actionTokens: stores.actionTokens,
    openWorkspace,
    files: stores.files,
    queue: stores.queue,
    limits: stores.limits,
    saidOnce: stores.saidOnce,
    durable: stores.durable,
    watch: watchOf(parts),
    fetch: net.fetch,
  })
  const recorded = (handler: Handler) => recorder?.handler(handler) ?? handler
  await parts.queue.start(recorded(handlers.answer), recorded(handlers.deadLetter))
}

/** Loaded when a tool first reads the workspace. */
async function openWorkspace(work: WorkspaceWork): Promise<WorkspaceReader> {
  const { searchWorkspace } = await import('./slack/reading/search-workspace.ts')
  const { readPermalink } = await import('./slack/reading/read-permalink.ts')
  return {
    search: (query, how) => searchWorkspace(query, how, work),
    readThread: (url, signal) => readPermalink(url, { ...work, signal }),
  }
}

function watchOf({ telemetry, recorder }: Readers): AnswerWatch | undefined {
  if (!telemetry && !recorder) return undefined
  return {
    events: (events, tools) => {
      const measured = telemetry?.events(events, tools) ?? events
      return recorder?.events(measured) ?? measured
    },
    refused: (question, limit) => telemetry?.note({ kind: 'refused', question, limit }),
  }
}

function receiverOf(
  config: Config,
  parts: Parts & { agent: AgentParts } & Pick<
      SlackReceiverOptions,
      'search' | 'mcpAdmin' | 'socketSilenceMs' | 'socketPause'
    >,
): SlackReceiver {
  const { net, stores, telemetry } = parts
  return createSlackReceiver({
    ...parts,
    ...stores,
    queue: parts.queue,
    onFeedback: telemetry && ((rating) => telemetry.note({ kind: 'feedback', rating })),
    ...net,
    appToken: config.SLACK_APP_TOKEN,
    signingSecret: config.SLACK_SIGNING_SECRET,
    apiUrl: config.SLACK_API_URL,
    control: stores.control,
    archive: stores.archive,
    history: stores.history,
    onConnection: telemetry && ((isConnected) => telemetry.note({ kind: 'socket', isConnected })),
  })
}

async function listenAt(config: Config, parts: Parts & { receiver: SlackReceiver | undefined }) {
  const { receiver, stores, telemetry } = parts
  const pages = {
    '/healthz': () => ({ status: 200, body: 'ok\n' }),
    '/readyz': async () => {
      const reason = await whyNotReady(stores, receiver)
      return reason === undefined ? { status: 200, body: 'ok\n' } : { status: 503, body: `not ready: ${reason}\n` }
    },
  }
  const { PORT, METRICS_PORT, HOST: host } = config
  const main = await listen('PORT', { port: PORT, host, pages, front: receiver?.requestListener })
  const seen =
    METRICS_PORT === undefined ? undefined : { port: METRICS_PORT, host, pages: { ...pages, ...telemetry?.pages } }
  const metrics = seen && (await listen('METRICS_PORT', seen))
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

async function listen(name: string, options: Parameters<typeof serve>[0]): Promise<Server> {
  try {
    return await serve(options)
  } catch (error) {
    if (NO_ADDRESS.has((error as NodeJS.ErrnoException).code ?? ''))
      throw new ConfigError(`HOST is ${options.host}, which is not an address of this machine.`)
    throw new ConfigError(`${name} should be a free port: ${options.port} on ${options.host} cannot be listened at.`)
  }
}

const NO_ADDRESS = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL'])

/** The part of SHUTDOWN_MS reserved for closing connections: a quarter, but at most this many milliseconds. */
const CLOSING_MS = 4_000
/** The part of `CLOSING_MS` for sending the last traces, in ms. */
const FLUSH_MS = 2_000
function summaryOf(config: Config, model: string): string {
  const way =
    config.ROLE === 'worker'
      ? 'answering what the fronts take in'
      : config.SLACK_APP_TOKEN
        ? 'Socket Mode'
        : 'HTTP at /slack/events'
  const memory = config.REDIS_URL
    ? 'conversations and work are kept in Redis'
    : 'conversations and work are kept in this process’s memory and lost when it ends (set REDIS_URL to keep them)'
  return `Thinkaloud is ready: ${way}, port ${config.PORT}, model ${model}; ${memory}.`
}
