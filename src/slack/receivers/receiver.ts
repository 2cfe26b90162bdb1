/**
 * Receives Slack's deliveries over HTTP or Socket Mode and acks them once they are stored. The queue detects
 * duplicates: queue/lua/accept-question.lua, or queue/memory-queue.ts without Redis.
 */
import {
  App,
  HTTPReceiver,
  LogLevel,
  SocketModeReceiver,
  type AckFn,
  type Authorize,
  type Logger,
  type Receiver,
  type ReceiverEvent,
} from '@slack/bolt'
import type { IncomingMessage, RequestListener } from 'node:http'
import { messageOf } from '../../base/errors.ts'
import { oncePerMinute, type Log } from '../../base/log.ts'
import type { Services } from '../services.ts'
import { homePublisher } from '../home/publish-home.ts'
import { authorizedTeam } from '../intake/authorized-team.ts'
import * as listeners from '../listeners/index.ts'
import { Socket, type SocketOptions } from './socket.ts'

export interface SlackConnection {
  /** With it: Socket Mode. Without it, events come over HTTP, signed with `signingSecret`. */
  appToken?: string | undefined
  signingSecret?: string | undefined
  apiUrl: string
  /** An undici dispatcher for the socket, if a proxy is set. */
  dispatcher?: object | undefined
  /** After this much silence the socket is replaced, in ms. Three minutes by default. */
  socketSilenceMs?: number | undefined
  /** The pauses between two attempts to open the socket; see SocketOptions. */
  socketPause?: SocketOptions['pause']
}

export interface SlackReceiver {
  /** Handles Slack's requests at /slack/events and passes on all others; absent in Socket Mode. */
  requestListener?: (rest: RequestListener) => RequestListener
  /** Opens the socket; does nothing for HTTP. */
  start(): Promise<void>
  /** Returns whether deliveries can arrive now. In Socket Mode: whether the socket is connected. */
  ready(): boolean
  /** Closes the socket; does nothing for HTTP. */
  stop(): Promise<void>
}

/** Creates the Bolt app that receives Slack's deliveries, over HTTP or Socket Mode. */
export function createSlackReceiver(services: Services, connection: SlackConnection): SlackReceiver {
  return connection.appToken ? socketReceiver(services, connection) : httpReceiver(services, connection)
}

function socketReceiver(services: Services, connection: SlackConnection): SlackReceiver {
  const { log, telemetry } = services
  const { appToken = '', dispatcher, socketSilenceMs: silenceMs = SILENCE_MS, socketPause: pause } = connection
  // Our `Socket` logs the connection too.
  const quiet = boltLogger(log, { isQuiet: true })
  const settings = {
    appToken,
    logger: quiet,
    logLevel: LogLevel.WARN,
    autoReconnectEnabled: false,
    // Each attempt is a single call, because `Socket` makes the pauses in between.
    installerOptions: {
      clientOptions: {
        ...clientOptions(services, connection),
        logger: quiet,
        retryConfig: { retries: 0 },
        timeout: OPEN_MS,
      },
    },
    processEventErrorHandler: async ({ error }: { error: Error }) => {
      logNotStored(log, error)
      return false
    },
  }
  const receiver = new SocketModeReceiver({ ...settings, ...(dispatcher ? { dispatcher: dispatcher as never } : {}) })
  createApp(ackWhenStored(receiver), services, connection)
  const socket = new Socket({
    client: receiver.client,
    silenceMs,
    pause,
    log,
    onConnection: telemetry.onConnection,
    now: () => services.now().getTime(),
  })
  return { start: () => socket.start(), ready: () => socket.isConnected(), stop: () => socket.stop() }
}

/**
 * Slack sends a ping several times a minute. After three minutes without one the connection is dead, even if TCP
 * disagrees.
 */
const SILENCE_MS = 180_000
/** Time limit for one call that requests a socket's address, in ms. */
const OPEN_MS = 10_000

const EVENTS_PATH = '/slack/events'

export function isDelivery({ method, url }: IncomingMessage): boolean {
  return method === 'POST' && url?.split('?')[0] === EVENTS_PATH
}

function httpReceiver(services: Services, connection: SlackConnection): SlackReceiver {
  const logger = { ...boltLogger(services.log), warn: rejectedRequestLine(services) }
  const receiver = new HTTPReceiver({
    signingSecret: connection.signingSecret ?? '',
    endpoints: [EVENTS_PATH],
    logger,
    processBeforeResponse: true,
    processEventErrorHandler: async ({ error, response }) => {
      logNotStored(services.log, error)
      if (!response.headersSent) response.writeHead(error instanceof NotTaken ? 404 : 500).end()
      return false
    },
    // The response stays open: work that finishes slightly later is still acked, and Slack may still hear it.
    unhandledRequestHandler: ({ response }) => {
      if (response.headersSent) return
      services.log.error({}, 'a delivery was not stored within three seconds: Slack may send it again')
    },
  })
  createApp(ackWhenStored(receiver), services, connection)
  const requestListener =
    (rest: RequestListener): RequestListener =>
    (request, response) => {
      if (!isDelivery(request)) return rest(request, response)
      // Bolt never responds to a request whose body it cannot parse.
      const end = setTimeout(() => response.destroy(), ANSWER_MS)
      response.on('close', () => clearTimeout(end))
      try {
        receiver.requestListener(request, response)
      } catch {
        // Bolt throws for an unknown path.
        response.writeHead(404).end()
      }
    }
  return { requestListener, start: async () => {}, ready: () => true, stop: async () => {} }
}

/** No listener handles the delivery, such as a button of an earlier version. Bolt acks events anyway. */
class NotTaken extends Error {
  override name = 'NotTaken'
}

function logNotStored(log: Log, error: Error): void {
  if (error instanceof NotTaken) log.warn({}, 'no listener takes a delivery: not acked')
  else log.error({ error: messageOf(error) }, 'a delivery could not be stored: not acked, Slack sends it again')
}

/** Anybody may send requests to an open port, so rejected signatures get one log line a minute, with their number. */
function rejectedRequestLine({ log, now }: Services): (...parts: unknown[]) => void {
  const isDue = oncePerMinute(() => now().getTime())
  return (...parts) => {
    const reason = parts.map(String).join(' ')
    const unsaid = isDue('rejected')
    if (unsaid === undefined) return
    log.warn({ reason, ...(unsaid ? { between: unsaid } : {}) }, 'rejected a request')
  }
}

/** An HTTP response is closed after this time, in ms. Slack itself waits for three seconds. */
const ANSWER_MS = 10_000

function createApp(receiver: HTTPReceiver | SocketModeReceiver, services: Services, connection: SlackConnection): void {
  const { log } = services
  // Listeners log teams without an installation. Bolt gets no token, because it would keep a client for each one for
  // ever, and the listeners use the installation's own.
  const authorize: Authorize<boolean> = async (source, body) => {
    const recipient = await authorizedTeam(source, body, services)
    if (!recipient) return {}
    const { botId, botUser } = recipient.installation.identity
    return { botId, botUserId: botUser, teamId: recipient.team }
  }
  const app = new App({
    receiver,
    authorize,
    // Nothing is kept by conversation. Bolt's store would create an error for each delivery.
    convoStore: false,
    logger: boltLogger(log),
    clientOptions: clientOptions(services, connection),
  })
  // A storage error must reach the receiver, which then does not ack.
  app.error((error) => Promise.reject(error))
  const publishHome = homePublisher(services)
  for (const listen of Object.values(listeners)) listen(app, services, publishHome)
}

function clientOptions({ fetch, log }: Services, { apiUrl }: SlackConnection) {
  return { slackApiUrl: apiUrl, logger: boltLogger(log), ...(fetch ? { fetch: fetch as never } : {}) }
}

/**
 * Maps Bolt's log lines: info to `debug`, debug to `trace`. Warnings and errors keep their level unless `isQuiet`. None
 * carries content at these levels.
 */
function boltLogger(log: Log, { isQuiet = false } = {}): Logger {
  const line = (parts: unknown[]) => parts.map(String).join(' ')
  return {
    debug: (...parts) => log.trace(line(parts)),
    info: (...parts) => log.debug(line(parts)),
    warn: (...parts) => (isQuiet ? log.debug(line(parts)) : log.warn(line(parts))),
    error: (...parts) => (isQuiet ? log.debug(line(parts)) : log.error(line(parts))),
    setLevel() {},
    getLevel: () => LogLevel.INFO,
    setName() {},
  }
}

/**
 * Bolt acks an event before its listeners run. Here an ack means "stored": it is held back until the listeners, which
 * only enqueue the question, are done. If one fails, the delivery gets a 5xx at once (HTTP) or no ack (Socket Mode),
 * and Slack sends it again.
 */
function ackWhenStored<R extends Receiver>(receiver: R): R {
  const init = receiver.init.bind(receiver)
  receiver.init = (app) =>
    init(Object.create(app, { processEvent: { value: (event: ReceiverEvent) => processThenAck(app, event) } }) as App)
  return receiver
}

async function processThenAck(app: App, event: ReceiverEvent): Promise<void> {
  if (isBotsChange(event.body.event)) return event.ack()
  let held: { response: Parameters<AckFn<unknown>>[0] } | undefined
  const ack: AckFn<unknown> = async (response) => {
    held ??= { response }
  }
  await app.processEvent({ ...event, ack })
  if (!held) throw new NotTaken()
  await event.ack(held.response as never)
}

/**
 * Returns whether an event is an update of a bot's message. Slack sends one for every step that we show, and none
 * changes a person's words.
 */
function isBotsChange(event: unknown): boolean {
  const { subtype, message } = (event ?? {}) as { subtype?: unknown; message?: { bot_id?: unknown; subtype?: unknown } }
  return subtype === 'message_changed' && message?.bot_id !== undefined && message.subtype !== 'tombstone'
}
