/** Writes each request to the local Slack into the journal: its arguments, and the whole response. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isObject, parseArgs } from '../slack/args.ts'
import type { JournalEntry } from './journal.ts'
import { threadOfCall } from './journal-threads.ts'
import { againOf } from './again-header.ts'
import { Refusal, type Json } from '../slack/types.ts'
import type { WebApiResponse, WebApiOptions } from '../slack/web-api-options.ts'

/** A request whose body is read. */
export interface ReceivedRequest {
  request: IncomingMessage
  url: URL
  body: Buffer
}

/** Records the beginning of a request. @returns a function that records its end */
export function noteCall(options: WebApiOptions, arrived: ReceivedRequest): (answer: WebApiResponse) => void {
  const { journal, workspace } = options
  if (!journal) return () => undefined
  const args = argsOf(arrived)
  const entry = begin(options, arrived, args)
  return ({ status = 200, headers = {}, body, drop }) => {
    const error = drop ? 'The connection was cut before the answer.' : errorOf(status, body)
    const thread = placeOf(options, arrived) ?? threadOfCall(workspace.store, args, body)
    const response = { status, headers, body, ...(drop && { isCut: true }) }
    journal.end(entry, { ok: !error, ...(error && { error }), ...(thread && { thread }), response })
  }
}

/** Records a download without its bytes. */
export function noteDownload(options: WebApiOptions, arrived: Omit<ReceivedRequest, 'body'>, response: ServerResponse) {
  const { journal } = options
  if (!journal) return
  const entry = begin(options, { ...arrived, body: Buffer.alloc(0) }, {})
  response.on('close', () => {
    const { statusCode: status, writableFinished } = response
    const told = ['content-type', 'content-length', 'location', 'retry-after']
    const headers = Object.fromEntries(told.flatMap((name) => nameAndValue(response, name)))
    const isPage = status === 200 && headers['content-type']?.startsWith('text/html')
    const lacking = status >= 300 || isPage ? `no file: status ${status}${isPage ? ', a web page' : ''}` : undefined
    const error = writableFinished ? lacking : 'The connection was cut.'
    journal.end(entry, { ok: !error, ...(error && { error }), response: { status, headers } })
  })
}

function nameAndValue(response: ServerResponse, name: string): [string, string][] {
  const value = response.getHeader(name)
  return value === undefined ? [] : [[name, String(value)]]
}

function begin(options: WebApiOptions, { request, url }: ReceivedRequest, args: Json): JournalEntry {
  const { method = 'GET', headers } = request
  const of = againOf(headers)
  const told = {
    ...(headers['content-type'] && { 'content-type': headers['content-type'] }),
    ...(headers['user-agent'] && { 'user-agent': headers['user-agent'] }),
    ...(headers.authorization && { authorization: `Bearer ${tokenName(options, headers.authorization)}` }),
  }
  const asked = { method, path: url.pathname + url.search, headers: told, args }
  const fields = { kind: 'call' as const, name: nameOf(url), request: asked, ...(of && { of }) }
  return options.journal?.begin(fields) ?? { n: 0, at: 0, ...fields }
}

/** Returns the name of a token's setting, to show in place of the token. */
function tokenName({ botToken, appToken }: WebApiOptions, authorization: string): string {
  if (authorization === `Bearer ${botToken}`) return '$SLACK_BOT_TOKEN'
  return authorization === `Bearer ${appToken}` ? '$SLACK_APP_TOKEN' : '(an unknown token)'
}

function nameOf({ pathname }: URL): string {
  const [, first = '', name = ''] = pathname.split('/')
  if (first === 'api') return name
  if (first === 'response') return 'response_url'
  return first === 'upload' ? 'upload' : 'download'
}

function argsOf({ request, url, body }: ReceivedRequest): Json {
  const [, first] = url.pathname.split('/')
  if (first === 'upload') return { bytes: body.length }
  const type = request.headers['content-type'] ?? (first === 'response' ? 'application/json' : '')
  try {
    return parseArgs(body.toString(), type, first === 'response' ? new URLSearchParams() : url.searchParams)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { unreadable: body.toString() }
  }
}

/** Returns the place that a response URL belongs to. */
function placeOf({ responseUrls }: WebApiOptions, { url }: ReceivedRequest): string | undefined {
  const [, first, id = ''] = url.pathname.split('/')
  return first === 'response' ? responseUrls.threadOf(id) : undefined
}

function errorOf(status: number, body: Json): string | undefined {
  if (body['ok'] === true && status < 300) return undefined
  const { messages }: Json = isObject(body['response_metadata']) ? body['response_metadata'] : {}
  const why = Array.isArray(messages) ? ` (${messages.join(', ')})` : ''
  const needed = typeof body['needed'] === 'string' ? ` (needed: ${body['needed']})` : ''
  return `${String(body['error'] ?? `status ${status}`)}${why}${needed}`
}
