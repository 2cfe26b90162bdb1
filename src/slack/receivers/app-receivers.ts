/** The receivers of SLACK_APPS: each app has its own, which knows only that app's installation. */
import { isValidSlackRequest } from '@slack/bolt'
import type { IncomingMessage, RequestListener } from 'node:http'
import { messageOf } from '../../base/errors.ts'
import { readCapped } from '../../base/http/response-limits.ts'
import { parseJson } from '../../base/parse-json.ts'
import type { SlackApp } from '../client/slack-apps.ts'
import { createSlackReceiver, isDelivery, type SlackConnection, type SlackReceiver } from './receiver.ts'
import type { Services } from '../services.ts'

interface AppReceiver extends SlackReceiver {
  app: SlackApp
  /** Whether its socket was opened; always true over HTTP. */
  isStarted: boolean
}

export function createAppReceivers(
  services: Services,
  connection: SlackConnection,
  apps: readonly SlackApp[],
): SlackReceiver {
  // An app whose bot token was refused has no socket. Over HTTP it can still be verified by its own secret.
  const able = apps.filter(({ appToken, installations }) => !appToken || installations.defaultTeam !== '')
  const receivers = able.map((app): AppReceiver => {
    const { appToken, signingSecret, installations } = app
    const receiver = createSlackReceiver({ ...services, installations }, { ...connection, appToken, signingSecret })
    return { ...receiver, app, isStarted: true }
  })
  const overHttp = receivers.filter(({ requestListener }) => requestListener)
  return {
    ...(overHttp.length > 0 ? { requestListener: (rest) => listenerFor(overHttp, rest) } : {}),
    start: () => startAll(receivers, services),
    ready: () => receivers.every((one) => !one.isStarted || one.ready()),
    stop: async () => void (await Promise.all(receivers.map((one) => one.stop()))),
  }
}

/** @throws the first error if no app can be started */
async function startAll(receivers: AppReceiver[], { log }: Services): Promise<void> {
  const errors: unknown[] = []
  await Promise.all(
    receivers.map(async (one) => {
      try {
        await one.start()
      } catch (error) {
        one.isStarted = false
        errors.push(error)
        const fields = { app: one.app.name, error: messageOf(error) }
        log.error(fields, 'Slack rejects the app token of an app in SLACK_APPS: the app is skipped')
      }
    }),
  )
  if (errors.length === receivers.length) throw errors[0]
}

/** Longer bodies are not Slack's. Bytes. */
const MAX_BODY = 2_000_000

function listenerFor(receivers: AppReceiver[], rest: RequestListener): RequestListener {
  const listeners = receivers.map(({ app, requestListener }) => ({ app, listener: requestListener!(rest) }))
  return (request, response) => {
    if (!isDelivery(request)) return rest(request, response)
    readCapped(request, MAX_BODY).then(
      (body) => {
        if (!body) return response.destroy()
        const chosen = chosenFor(request, body, receivers)
        // An app's own receiver verifies the body again. If no secret fits, the first receiver refuses it.
        const { listener } = listeners.find(({ app }) => app === chosen) ?? listeners[0]!
        if (chosen === undefined) request.headers['x-slack-signature'] = 'v0=none'
        listener(Object.assign(request, { rawBody: body }), response)
      },
      () => response.destroy(),
    )
  }
}

/** The app that a delivery names, if it is signed with that app's own secret. */
function chosenFor(request: IncomingMessage, body: Buffer, receivers: AppReceiver[]): SlackApp | undefined {
  const text = body.toString()
  const headers = {
    'x-slack-signature': String(request.headers['x-slack-signature'] ?? ''),
    'x-slack-request-timestamp': Number(request.headers['x-slack-request-timestamp'] ?? NaN),
  }
  const fitting = receivers
    .map(({ app }) => app)
    .filter(({ signingSecret = '' }) => isValidSlackRequest({ signingSecret, body: text, headers }))
  const { type, api_app_id: appId } = payloadOf(text, request.headers['content-type'] ?? '')
  if (type === 'url_verification') return fitting[0]
  return fitting.find((app) => app.appId === appId) ?? fitting.find((app) => app.appId === undefined)
}

function payloadOf(text: string, type: string): { type?: unknown; api_app_id?: unknown } {
  if (type.startsWith('application/json')) return Object(parseJson(text))
  const form = new URLSearchParams(text)
  const payload = form.get('payload')
  return payload === null ? { api_app_id: form.get('api_app_id') } : Object(parseJson(payload))
}
