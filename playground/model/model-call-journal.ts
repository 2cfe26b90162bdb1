/** Journals one call of the model endpoint, with its answer. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { errorText } from '../base/error-text.ts'
import type { JournalEntry, Journal } from '../journal/journal.ts'
import { readAnswer } from './model-wire.ts'
import { againOf } from '../journal/again-header.ts'
import type { Json } from '../slack/types.ts'

/** The maximum number of bytes of an answer in the journal. */
const MAX_BYTES = 400_000
/** The request headers that the journal keeps. */
const TOLD_HEADERS = /^(?:accept|content-type|user-agent|x-stainless-(?:timeout|retry-count)|x-playground-tried)$/

interface ModelResponseHead {
  status?: number
  headers?: Record<string, string>
}

export class ModelCall {
  private readonly journal: Journal | undefined
  private readonly entry: JournalEntry | undefined
  private readonly startedAt = performance.now()
  private readonly raw: Buffer[] = []
  private bytes = 0
  private firstMs: number | undefined
  private status: number | undefined
  private sent: Record<string, string> = {}

  constructor(journal: Journal | undefined, asked: { path: string; body: Json; headers: IncomingHttpHeaders }) {
    const { path, body, headers } = asked
    this.journal = journal
    const name = path === '/models' ? 'list of models' : String(body['model'] ?? 'no model')
    const of = againOf(headers)
    const request = { path: `/v1${path}`, headers: loggedHeaders(headers), body }
    this.entry = journal?.begin({ kind: 'model', name, request, ...(of && { of }) })
  }

  begin(response: ServerResponse, status: number, headers: Record<string, string>) {
    this.status = status
    this.sent = headers
    response.writeHead(status, headers)
  }

  /** Returns false if the caller reads more slowly than the pieces arrive. */
  write(response: ServerResponse, piece: string | Uint8Array): boolean {
    this.firstMs ??= performance.now() - this.startedAt
    const bytes = Buffer.from(piece)
    if (this.bytes < MAX_BYTES) this.raw.push(bytes)
    this.bytes += bytes.length
    return response.write(bytes)
  }

  json(response: ServerResponse, body: Json, { status = 200, headers = {} }: ModelResponseHead = {}) {
    this.begin(response, status, { 'content-type': 'application/json', ...headers })
    this.write(response, JSON.stringify(body))
    response.end()
  }

  /** Ends the call: the answer was sent completely, or the caller hung up. */
  end(isCut: boolean) {
    const { written, response } = this.answerSoFar()
    const isSilent = isCut && this.bytes === 0
    const silence = isSilent ? 'The caller hung up before anything came.' : undefined
    const refused = (this.status ?? 0) >= 400 ? (written?.error ?? `status ${this.status}`) : written?.error
    const error = silence ?? refused
    this.finish({ ok: error === undefined, error, response: { ...response, ...(isCut && { isCut }) } })
  }

  /** Ends the call with an error: the endpoint could not be reached, or the connection broke. */
  fail(error: unknown) {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
    const words = `${errorText(error)}${cause}`
    this.finish({ ok: false, error: words, response: this.answerSoFar().response })
  }

  private answerSoFar() {
    const { status, sent: headers, firstMs, bytes } = this
    if (status === undefined) return { response: {} }
    const raw = Buffer.concat(this.raw)
    const written = readAnswer(raw, /^text\/event-stream\b/.test(headers['content-type'] ?? ''))
    const { text, reasoning, toolCalls, usage, finish } = written
    const said = { ...(reasoning && { reasoning }), ...(toolCalls.length > 0 && { toolCalls }), usage, finish }
    const more = bytes > raw.length ? `… (${bytes - raw.length} bytes more)` : ''
    const times = firstMs === undefined ? {} : { firstMs: Math.round(firstMs) }
    return { written, response: { status, headers, ...times, text, ...said, raw: raw.toString() + more } }
  }

  private finish({ ok, error, response }: { ok: boolean; error: string | undefined; response: Json }) {
    if (!this.entry) return
    const ms = Math.round(performance.now() - this.startedAt)
    this.journal?.end(this.entry, { ms, ok, ...(error !== undefined && { error }), response })
  }
}

function loggedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const told = Object.entries(headers).filter(([name]) => TOLD_HEADERS.test(name))
  return Object.fromEntries(told.map(([name, value]) => [name, String(value)]))
}
