/** The composition root: builds everything from a Config and starts it. */
import { createAgent } from './create-agent.ts'
import type { Model, Tool } from './agent/types.ts'
import { secretsOf, type Config } from './config.ts'
import { ConfigError } from './errors.ts'
import { createLog, type Log } from './log.ts'
import type { ModelMeter } from './model/index.ts'
import { checkBudgetPrices } from './model/prices.ts'
import { probeEndpoint } from './model/probe-endpoint.ts'
import { createNetwork, type Network } from './proxy.ts'
import type { Queue } from './queue/types.ts'
import { serve, type Server } from './server.ts'
import { createSlackReceiver, type SlackReceiver } from './slack/receiver.ts'
import { Directory } from './slack/client/directory.ts'
import { Outbox } from './slack/outbox.ts'
import type { Identity } from './slack/listeners/index.ts'
import { refusalCode, SlackWeb } from './slack/client/slack-web.ts'
import { createDeadLetterHandler, createQuestionHandler, type AnswerWatch } from './slack/handle-question.ts'
import { createStores, type Stores } from './stores.ts'
import { createTelemetry, type Telemetry } from './telemetry/telemetry.ts'
import type { SlackCallEvent } from './telemetry/telemetry-event.ts'

export interface Bot {
  /** Where /healthz answers, and /slack/events in HTTP mode. */
  port: number
  /** Where /metrics answers, if METRICS_PORT is set. */
  metricsPort?: number | undefined
  /** One line that says what was started. */
  summary: string
  /** Takes no more work, finishes or hands over what runs, closes everything. */
  stop(): Promise<void>
}

export interface BotOptions {
  /** In place of the configured model; the playground's demo. */
  model?: Model
  log?: Log
  /** How long nothing may come over Slack's socket before it is replaced, in ms; see FrontOptions. */
  socketSilenceMs?: number
}

/** @throws ConfigError when Slack refuses the tokens or a port is taken. */
export async function startBot(config: Config, options: BotOptions = {}): Promise<Bot> {
  const log = options.log ?? createLog(config.LOG_LEVEL, undefined, secretsOf(config))
  if (config.ROLE !== 'front' && !options.model) checkBudgetPrices(config, log)
  const net = createNetwork(config)
  const telemetry = await createTelemetry(config, log)
  const onCall = telemetry && ((call: Omit<SlackCallEvent, 'kind'>) => telemetry.note({ kind: 'slack', ...call }))
  const web = new SlackWeb({
    token: config.SLACK_BOT_TOKEN!,
    apiUrl: config.SLACK_API_URL,
    log,
    fetch: net.fetch,
    onCall,
  })
  const agent = await createAgent(config, { log, net, model: options.model, meter: telemetry && meterOf(telemetry) })
  const stores = await createStores(config, log)
  const queue = telemetry?.queue(stores.queue) ?? stores.queue
  const parts = { log, net, stores, queue, telemetry }
  const identity = await identify(web)
  const stopping = new AbortController()
  if (config.ROLE !== 'front' && !options.model) void probeEndpoint(config, { log, net, signal: stopping.signal })
  if (config.ROLE !== 'front') await startWork(config, { ...parts, web, agent, identity })
  const front =
    config.ROLE === 'worker'
      ? undefined
      : frontOf(config, { ...parts, identity, socketSilenceMs: options.socketSilenceMs })
  const server = await listenAt(config, { ...parts, front })
  await front?.start().catch((error: unknown) => Promise.reject(refusedBy('SLACK_APP_TOKEN', error)))
  return {
    port: server.port,
    metricsPort: server.metricsPort,
    summary: summaryOf(config, agent.answer.agent.model.name),
    async stop() {
      stopping.abort()
      const closed = Promise.all([front?.stop(), server.close()])
      await stores.queue.stop(config.SHUTDOWN_MS - Math.min(CLOSING_MS, config.SHUTDOWN_MS / 4))
      await Promise.all([closed, stores.close(), agent.close(), telemetry?.stop(FLUSH_MS)])
    },
  }
}

interface Parts {
  log: Log
  net: Network
  stores: Stores
  /** The stores' queue, watched where something is measured. */
  queue: Queue
  telemetry: Telemetry | undefined
}

function meterOf(telemetry: Telemetry): ModelMeter {
  return {
    model: (model) => telemetry.model(model),
    breaker: (model, isOpen) => telemetry.note({ kind: 'breaker', model, isOpen }),
  }
}

async function startWork(
  config: Config,
  parts: Parts & { web: SlackWeb; agent: Awaited<ReturnType<typeof createAgent>>; identity: Identity },
): Promise<void> {
  const { log, net, web, agent, identity, stores, queue, telemetry } = parts
  const worker = {
    outbox: new Outbox({ web, botUser: identity.botUser, botId: identity.botId, log, fetch: net.fetch }),
    directory: new Directory({ web, log }),
    steps: config.STEPS,
    allowedHosts: config.LINK_HOSTS,
    answer: { ...agent.answer, history: stores.history, control: stores.control },
    queue: stores.queue,
    botUser: identity.botUser,
    followUps: config.FOLLOW_UPS,
    dmMemoryMinutes: config.DM_MEMORY_MINUTES,
    limits: stores.limits,
    durable: stores.durable,
    now: () => new Date(),
    log,
    watch: telemetry && watchOf(telemetry, agent.answer.agent.tools),
  }
  await queue.start(createQuestionHandler(worker), createDeadLetterHandler(worker))
}

function watchOf(telemetry: Telemetry, tools: Tool[]): AnswerWatch {
  return {
    events: (events) => telemetry.events(events, tools),
    refused: (question, limit) => telemetry.note({ kind: 'refused', question, limit }),
  }
}

function frontOf(
  config: Config,
  parts: Parts & { identity: Identity; socketSilenceMs: number | undefined },
): SlackReceiver {
  const { log, net, queue, identity, telemetry, socketSilenceMs } = parts
  return createSlackReceiver({
    botToken: config.SLACK_BOT_TOKEN!,
    appToken: config.SLACK_APP_TOKEN,
    signingSecret: config.SLACK_SIGNING_SECRET,
    apiUrl: config.SLACK_API_URL,
    followUps: config.FOLLOW_UPS,
    dmMemoryMinutes: config.DM_MEMORY_MINUTES,
    queue,
    now: () => new Date(),
    identity,
    log,
    socketSilenceMs,
    onConnection: telemetry && ((isConnected) => telemetry.note({ kind: 'socket', isConnected })),
    ...net,
  })
}

async function listenAt(config: Config, { front, stores, telemetry }: Parts & { front: SlackReceiver | undefined }) {
  const pages = {
    '/healthz': () => ({ status: 200, body: 'ok\n' }),
    '/readyz': async () => {
      const reason = await notReady(front, stores)
      return reason === undefined ? { status: 200, body: 'ok\n' } : { status: 503, body: `not ready: ${reason}\n` }
    },
  }
  const { PORT, METRICS_PORT, HOST: host } = config
  const main = await listen('PORT', { port: PORT, host, pages, fallback: front?.requestListener })
  const seen =
    METRICS_PORT === undefined ? undefined : { port: METRICS_PORT, host, pages: { ...pages, ...telemetry?.pages } }
  const metrics = seen && (await listen('METRICS_PORT', seen))
  return { port: main.port, metricsPort: metrics?.port, close: () => Promise.all([main.close(), metrics?.close()]) }
}

/** Why nothing can be taken in now; undefined if it can. */
async function notReady(front: SlackReceiver | undefined, { queue, durable }: Stores): Promise<string | undefined> {
  if (front && !front.ready()) return 'Socket Mode is not connected'
  if (await queue.ready()) return undefined
  return durable ? 'Redis is unreachable or refuses writes' : 'the queue in memory is full or stopping'
}

async function listen(name: string, options: Parameters<typeof serve>[0]): Promise<Server> {
  try {
    return await serve(options)
  } catch (error) {
    if (NO_ADDRESS.has((error as NodeJS.ErrnoException).code ?? ''))
      throw new ConfigError(`HOST should be an address of this machine: ${options.host} is none.`)
    throw new ConfigError(`${name} should be a free port: ${options.port} on ${options.host} cannot be listened at.`)
  }
}

const NO_ADDRESS = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL'])

/** Of SHUTDOWN_MS, kept for closing connections: a quarter, and no more than that can take. */
const CLOSING_MS = 4_000
/** Of that, for sending the last traces. */
const FLUSH_MS = 2_000
/** How long a Slack that does not answer is waited for at the start. */
const IDENTIFY_MS = 30_000

async function identify(web: SlackWeb): Promise<Identity> {
  try {
    const me = await web.call('auth.test', {}, { effort: 'patient', signal: AbortSignal.timeout(IDENTIFY_MS) })
    return { team: String(me.team_id), botUser: String(me.user_id), botId: String(me.bot_id ?? '') }
  } catch (error) {
    throw refusedBy('SLACK_BOT_TOKEN', error)
  }
}

function refusedBy(name: string, error: unknown): ConfigError {
  const code = refusalCode(error)
  if (code) return new ConfigError(`${name} should be a token that Slack takes: it answered ${code}.`)
  return new ConfigError('SLACK_API_URL should be an address where Slack answers: it could not be reached.')
}

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
