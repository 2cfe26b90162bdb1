import { App, HTTPReceiver, LogLevel, SocketModeReceiver, type Logger } from '@slack/bolt'
import type { RequestListener } from 'node:http'
import { messageOf } from '../errors.ts'
import type { Log } from '../log.ts'
import { settledWithin } from '../async.ts'
import { registerListeners, type ListenerOptions } from './listeners/index.ts'
import { ackWhenStored } from './ack-when-stored.ts'

export interface SlackReceiverOptions extends ListenerOptions {
  botToken: string
  /** Given: Socket Mode. Else events come over HTTP, signed with `signingSecret`. */
  appToken?: string | undefined
  signingSecret?: string | undefined
  apiUrl: string
  fetch?: typeof globalThis.fetch | undefined
  /** An undici dispatcher for the socket, where a proxy is set. */
  dispatcher?: object | undefined
}

export interface SlackReceiver {
  /** Takes Slack's requests at /slack/events; absent in Socket Mode. */
  requestListener?: RequestListener
  /** Opens the socket; nothing to do for HTTP. */
  start(): Promise<void>
  /** No more deliveries after this. */
  stop(): Promise<void>
}

/** The Bolt app that takes Slack's deliveries in, over HTTP or Socket Mode. */
export function createSlackReceiver(options: SlackReceiverOptions): SlackReceiver {
  return options.appToken ? socketFront(options, options.appToken) : httpFront(options, options.signingSecret ?? '')
}

function socketFront(options: SlackReceiverOptions, appToken: string): SlackReceiver {
  const { log, dispatcher } = options
  const settings = {
    appToken,
    logger: boltLogger(log),
    logLevel: LogLevel.WARN,
    installerOptions: { clientOptions: clientOptions(options) },
    processEventErrorHandler: async ({ error }: { error: Error }) => {
      noteNotTakenIn(log, error)
      return false
    },
  }
  const receiver = new SocketModeReceiver({ ...settings, ...(dispatcher ? { dispatcher: dispatcher as never } : {}) })
  createApp(ackWhenStored(receiver), options)
  return {
    start: async () => void (await receiver.start()),
    stop: async () => void (await settledWithin(GOODBYE_MS, [receiver.client.disconnect()])),
  }
}

/** How long Slack has to answer the goodbye. The client would wait 30 s, which is longer than a bot has for its end. */
const GOODBYE_MS = 2_000

function httpFront(options: SlackReceiverOptions, signingSecret: string): SlackReceiver {
  const logger = boltLogger(options.log)
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
  return { requestListener, start: async () => {}, stop: async () => {} }
}

function noteNotTakenIn(log: Log, error: Error): void {
  log.error({ error: messageOf(error) }, 'a delivery could not be taken in; Slack will send it again')
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

/** Bolt's own lines at `debug`, its warnings and errors as they are; none of them carries content at these levels. */
function boltLogger(log: Log): Logger {
  const line = (parts: unknown[]) => parts.map(String).join(' ')
  return {
    debug: (...parts) => log.trace(line(parts)),
    info: (...parts) => log.debug(line(parts)),
    warn: (...parts) => log.warn(line(parts)),
    error: (...parts) => log.error(line(parts)),
    setLevel() {},
    getLevel: () => LogLevel.INFO,
    setName() {},
  }
}
