import { App, HTTPReceiver, LogLevel, SocketModeReceiver, type Logger } from '@slack/bolt'
import type { RequestListener } from 'node:http'
import { messageOf } from '../errors.ts'
import { seldom, type Log } from '../log.ts'
import { registerListeners, type ListenerOptions } from './listeners/index.ts'
import { ackWhenStored } from './ack-when-stored.ts'
import { Socket } from './socket.ts'

export interface SlackReceiverOptions extends ListenerOptions {
  botToken: string
  /** Given: Socket Mode. Else events come over HTTP, signed with `signingSecret`. */
  appToken?: string | undefined
  signingSecret?: string | undefined
  apiUrl: string
  fetch?: typeof globalThis.fetch | undefined
  /** An undici dispatcher for the socket, where a proxy is set. */
  dispatcher?: object | undefined
  /** How long nothing may come over the socket before it is replaced, in ms: three minutes unless given. */
  socketSilenceMs?: number | undefined
  /** Told at the start and at each change, in Socket Mode. */
  onConnection?: ((isConnected: boolean) => void) | undefined
}

export interface SlackReceiver {
  /** Takes Slack's requests at /slack/events; absent in Socket Mode. */
  requestListener?: RequestListener
  /** Opens the socket; nothing to do for HTTP. */
  start(): Promise<void>
  /** Whether deliveries can come now: in Socket Mode, whether it is connected. */
  ready(): boolean
  /** No more deliveries after this. */
  stop(): Promise<void>
}

/** The Bolt app that takes Slack's deliveries in, over HTTP or Socket Mode. */
export function createSlackReceiver(options: SlackReceiverOptions): SlackReceiver {
  return options.appToken ? socketFront(options, options.appToken) : httpFront(options, options.signingSecret ?? '')
}

function socketFront(options: SlackReceiverOptions, appToken: string): SlackReceiver {
  const { log, dispatcher, socketSilenceMs: silenceMs = SILENCE_MS, onConnection } = options
  // What the client says of its connection, the socket says in a line of its own.
  const quiet = boltLogger(log, { isQuiet: true })
  const settings = {
    appToken,
    logger: quiet,
    logLevel: LogLevel.WARN,
    autoReconnectEnabled: false,
    // Each try is one call, so that the pauses between are the socket's own.
    installerOptions: {
      clientOptions: { ...clientOptions(options), logger: quiet, retryConfig: { retries: 0 }, timeout: OPEN_MS },
    },
    processEventErrorHandler: async ({ error }: { error: Error }) => {
      noteNotTakenIn(log, error)
      return false
    },
  }
  const receiver = new SocketModeReceiver({ ...settings, ...(dispatcher ? { dispatcher: dispatcher as never } : {}) })
  createApp(ackWhenStored(receiver), options)
  const socket = new Socket({ client: receiver.client, silenceMs, log, onConnection })
  return { start: () => socket.start(), ready: () => socket.isConnected(), stop: () => socket.stop() }
}

/** Slack sends a ping several times a minute; after three without one the connection is dead, whatever TCP says. */
const SILENCE_MS = 180_000
/** How long one call for the address of a socket may take. */
const OPEN_MS = 10_000

function httpFront(options: SlackReceiverOptions, signingSecret: string): SlackReceiver {
  const logger = { ...boltLogger(options.log), warn: turnedAwayLine(options) }
  const receiver = new HTTPReceiver({
    signingSecret,
    endpoints: ['/slack/events'],
    logger,
    processBeforeResponse: true,
    processEventErrorHandler: async ({ error, response }) => {
      noteNotTakenIn(options.log, error)
      if (!response.headersSent) response.writeHead(500).end()
      return false
    },
    unhandledRequestHandler: ({ response }) => {
      if (response.headersSent) return
      options.log.error({}, 'a delivery could not be taken in within three seconds; Slack will send it again')
      response.writeHead(503).end()
    },
  })
  createApp(ackWhenStored(receiver), options)
  const requestListener: RequestListener = (request, response) => {
    // Bolt leaves a request without an answer where it cannot make sense of the body.
    const end = setTimeout(() => response.destroy(), ANSWER_MS)
    response.on('close', () => clearTimeout(end))
    receiver.requestListener(request, response)
  }
  return { requestListener, start: async () => {}, ready: () => true, stop: async () => {} }
}

function noteNotTakenIn(log: Log, error: Error): void {
  log.error({ error: messageOf(error) }, 'a delivery could not be taken in; Slack will send it again')
}

/** Anybody may knock at an open door: what has no good signature gets one line a minute, with how many came between. */
function turnedAwayLine({ log, now }: SlackReceiverOptions): (...parts: unknown[]) => void {
  const isDue = seldom(() => now().getTime())
  return (...parts) => {
    const reason = parts.map(String).join(' ')
    const unsaid = isDue('turned away')
    if (unsaid === undefined) return
    log.warn({ reason, ...(unsaid ? { between: unsaid } : {}) }, 'a request was turned away')
  }
}

/** Slack itself waits for three seconds. */
const ANSWER_MS = 10_000

function createApp(receiver: HTTPReceiver | SocketModeReceiver, options: SlackReceiverOptions): void {
  const { identity, botToken, log } = options
  const authorize = () => Promise.resolve({ botToken, botId: identity.botId, botUserId: identity.botUser })
  const app = new App({ receiver, authorize, logger: boltLogger(log), clientOptions: clientOptions(options) })
  // What could not be taken in must reach the receiver, which then does not ack.
  app.error((error) => Promise.reject(error))
  registerListeners(app, options)
}

function clientOptions({ apiUrl, fetch, log }: SlackReceiverOptions) {
  return { slackApiUrl: apiUrl, logger: boltLogger(log), ...(fetch ? { fetch: fetch as never } : {}) }
}

/**
 * Bolt's own lines at `debug`, its warnings and errors as they are, or `isQuiet`: none of them carries content at these
 * levels.
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
