/** The HTTP side: `/api/<method>` with its tokens, rates and faults, and response URLs. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseArgs } from './args.ts'
import { noteCall, noteDownload, type ReceivedRequest } from '../journal/call-journal.ts'
import { readBytes, sendJson, wait } from '../base/loopback-server.ts'
import { checkKinds } from './blocks/block-rules.ts'
import { FILE_PATHS, serveFile } from './files/file-server.ts'
import { everyScope, methods, scopesOf } from './methods/index.ts'
import { takeUpload } from './methods/upload-methods.ts'
import { declined, Refusal, type Json } from './types.ts'
import type { WebApiResponse, WebApiOptions } from './web-api-options.ts'

/** Answers one request. */
export function createWebApi(
  options: WebApiOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (FILE_PATHS.has(url.pathname.split('/')[1] ?? '') && request.method === 'GET') {
      noteDownload(options, { request, url }, response)
      return serveFile(options, request, response)
    }
    const arrived = { request, url, body: await readBytes(request) }
    const noteEnd = noteCall(options, arrived)
    const answer = await route(options, arrived).catch((error: unknown) => {
      noteEnd({ body: {}, drop: true })
      throw error
    })
    noteEnd(answer)
    if (answer.drop) return void response.destroy()
    const { status, headers } = answer
    sendJson(response, answer.body, { ...(status && { status }), ...(headers && { headers }) })
  }
}

/** Routes a request: to a method, a response URL or an upload. */
async function route(options: WebApiOptions, arrived: ReceivedRequest): Promise<WebApiResponse> {
  const [, first = '', name = ''] = arrived.url.pathname.split('/')
  const type = arrived.request.headers['content-type'] ?? ''
  if (first === 'api') {
    const read = () => parseArgs(arrived.body.toString(), type, arrived.url.searchParams)
    return answerCall(options, { method: name, read, authorization: arrived.request.headers.authorization ?? '' })
  }
  if (first === 'response') {
    const read = () => parseArgs(arrived.body.toString(), type || 'application/json', new URLSearchParams())
    return answerResponse(options, name, read)
  }
  if (first === 'upload') return answerUpload(options, name, arrived.body)
  return { status: 404, body: { ok: false, error: 'not_found' } }
}

/** Answers an upload. Its address needs no token. */
function answerUpload(options: WebApiOptions, id: string, body: Buffer): WebApiResponse {
  const call = { method: 'upload', args: { id } }
  const fault = options.faults.take(call.method, call.args)
  if (fault?.status || fault?.error) return faulty(options, call, fault)
  const answer = record(options, call, () => {
    takeUpload(options.workspace.store, id, body)
    return {}
  })
  return { status: answer.body['ok'] === true ? 200 : 400, body: answer.body }
}

/** Answers a response URL. It needs no token, so it is never logged. */
function answerResponse(options: WebApiOptions, id: string, read: () => Json): WebApiResponse {
  const call = { method: 'response_url', args: {} as Json }
  const fault = options.faults.take(call.method, call.args)
  if (fault?.dropBefore) return note(options, { ...call, error: 'dropped_before' }, { body: {}, drop: true })
  if (fault?.status || fault?.error || fault?.retryAfter) return faulty(options, call, fault)
  const answer = record(options, call, () => {
    call.args = read()
    refuseKinds(options, call.args)
    options.responseUrls.take(id, call.args)
    return {}
  })
  return fault?.dropAfter ? { ...answer, drop: true } : answer
}

/** A call whose arguments are not parsed yet. A broken form is refused only after faults, rates and tokens. */
interface ApiCall {
  method: string
  read: () => Json
  authorization: string
}

/** Checks in Slack’s order: network faults, rates, the token, the form, then the method itself. */
async function answerCall(options: WebApiOptions, { method, read, authorization }: ApiCall): Promise<WebApiResponse> {
  let args: Json = {}
  let broken: Refusal | undefined
  try {
    args = read()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    broken = error
  }
  const fault = options.faults.take(method, args)
  if (fault?.delayMs) await wait(fault.delayMs)
  if (fault?.dropBefore) return note(options, { method, args, error: 'dropped_before' }, { body: {}, drop: true })
  if (fault?.status || fault?.error || fault?.retryAfter) return faulty(options, { method, args }, fault)
  const seconds = options.rate(method, args)
  if (seconds > 0) return faulty(options, { method, args }, { retryAfter: seconds })
  const answer = record(options, { method, args }, () => {
    authorize(options, method, authorization)
    options.checkScope(method, args)
    if (broken) throw broken
    const run = methods.get(method)
    if (!run) throw new Refusal('unknown_method', { why: method, more: { req_method: method } })
    refuseKinds(options, args)
    return run(args, options.workspace)
  })
  await fault?.hold
  const told = { ...answer, headers: { ...answer.headers, ...scopesHeader(options, authorization) } }
  return fault?.dropAfter ? { ...told, drop: true } : told
}

/** Refuses blocks that this workspace does not support yet. It is not the app's mistake. */
function refuseKinds({ refusedBlocks }: WebApiOptions, { blocks, attachments, chunks, view }: Json) {
  if (refusedBlocks.size > 0) checkKinds([blocks, attachments, chunks, view], refusedBlocks)
}

/** Checks the token. @throws Refusal if it is missing, unknown or wrong, or lacks a scope */
function authorize(options: WebApiOptions, method: string, authorization: string) {
  if (method === 'api.test') return
  const token = /^Bearer (\S+)$/.exec(authorization)?.[1]
  if (!token) throw new Refusal('not_authed', { why: 'There is no Authorization: Bearer header.' })
  const { botToken, appToken, scopes } = options
  if (token === botToken && options.isRevoked()) throw declined('account_inactive')
  if (token !== botToken && token !== appToken) throw new Refusal('invalid_auth', { why: 'The token is unknown.' })
  const wanted = method === 'apps.connections.open' ? appToken : botToken
  if (token !== wanted) throw new Refusal('not_allowed_token_type', { why: `${method} with the other token` })
  const needed = scopesOf.get(method)
  if (!scopes || !needed || needed.some((scope) => scopes.includes(scope))) return
  throw new Refusal('missing_scope', {
    why: needed.join(','),
    more: { needed: needed.join(','), provided: scopes.join(',') },
  })
}

/** Returns the token's scopes as headers. Slack sends them with every answer to a valid token. */
function scopesHeader(options: WebApiOptions, authorization: string): Record<string, string> {
  const { botToken, appToken, scopes = everyScope } = options
  if (authorization === `Bearer ${appToken}`) return { 'x-oauth-scopes': 'connections:write' }
  const isTaken = authorization === `Bearer ${botToken}` && !options.isRevoked()
  return isTaken ? { 'x-oauth-scopes': scopes.join(',') } : {}
}

/** Runs a call, records it, and turns a refusal into Slack's answer. */
function record(options: WebApiOptions, call: { method: string; args: Json }, run: () => Json): WebApiResponse {
  try {
    const body = run()
    return note(options, call, { body: { ok: true, ...body } })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { method } = call
    if (error.blame) options.refusals.push({ method, error: error.error, why: error.message })
    const status = method === 'response_url' ? 404 : 200
    const body = { ok: false, error: error.error, ...error.more }
    return note(options, { ...call, error: error.error }, { status, body })
  }
}

/** Returns the error answer of a fault, or a 429. */
function faulty(
  options: WebApiOptions,
  call: { method: string; args: Json },
  fault: { status?: number; error?: string; retryAfter?: number },
): WebApiResponse {
  const limited = fault.retryAfter !== undefined || fault.status === 429
  const error = fault.error ?? (limited ? 'ratelimited' : 'internal_error')
  return note(
    options,
    { ...call, error },
    {
      status: fault.status ?? (limited ? 429 : 200),
      ...(fault.retryAfter !== undefined && { headers: { 'retry-after': String(fault.retryAfter) } }),
      body: { ok: false, error },
    },
  )
}

/** Records the call with its outcome. */
function note(
  options: WebApiOptions,
  call: { method: string; args: Json; error?: string },
  answer: WebApiResponse,
): WebApiResponse {
  options.calls.push({ ...call, ok: call.error === undefined, at: options.workspace.now() })
  return answer
}
