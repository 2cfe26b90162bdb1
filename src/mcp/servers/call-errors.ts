/** Turns a server's failures into sentences. They quote little of the server's own words, and no secrets. */
import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { causesOf, ToolError } from '../../base/errors.ts'
import { AddressRefused } from '../../base/http/connection-pools.ts'
import { isStreamFault } from './event-answer.ts'
import type { Hide } from '../tools/hide-config-secrets.ts'
import { cut } from '../tools/clean-text.ts'

/** The maximum length of a quote of the server's own words in a sentence. Characters. */
const MAX_WORDS = 500

export interface McpFailure {
  /** The server's name. */
  name: string
  hide: Hide
  /** How long the call waited. Milliseconds. */
  timeoutMs: number
  /** The call had been sent, so it may have taken effect. */
  isSent?: boolean
  /** MCP_CONFIG has a header for the login, so there is no other way to log in. */
  hasKey?: boolean
  /** People log in to it, each for themselves. */
  isPersonal?: boolean
  /** Why the connection ended, if it did. */
  fault?: string | undefined
}

/** @returns the error for the model, never with an address, a header or a body in it */
export function sentenceOf(error: unknown, failure: McpFailure): ToolError {
  const { name, hide } = failure
  if (error instanceof ToolError) return hide.text(error.message) === error.message ? error : hiddenError(error, hide)
  if (isLogin(error))
    return failure.hasKey
      ? down(`${name} rejected the Authorization header from MCP_CONFIG.`)
      : loginNeeded(name, failure.isPersonal)
  if (error instanceof SdkHttpError) return httpError(error.status ?? 0, name)
  if (error instanceof ProtocolError) {
    if (isStreamFault(error.data)) return down(`${hide.text(error.message)}${maybeDone(failure)}`)
    return new ToolError(`${name} refused: ${quoted(error.message, hide)}`)
  }
  if (error instanceof SdkError) return sdkError(error, failure)
  return systemError(error, failure)
}

function hiddenError(error: ToolError, hide: Hide): ToolError {
  return Object.assign(new ToolError(hide.text(error.message), { isDown: error.isDown }), { name: error.name })
}

/** Returns whether the server wants a first or a new login. The SDK wraps the errors of its version probe. */
export function isLogin(error: unknown): boolean {
  return [...causesOf(error)].some(
    (one) =>
      one instanceof UnauthorizedError ||
      one instanceof InsufficientScopeError ||
      (one instanceof SdkHttpError && one.status === 401),
  )
}

const NEEDS_LOGIN = 'LoginNeeded'

export function loginNeeded(name: string, isPersonal = false): ToolError {
  const error = isPersonal
    ? new ToolError(`${name} works once somebody has connected it: /ask connections.`)
    : down(`${name} cannot be used until an operator logs in (npm run mcp -- login ${name}).`)
  error.name = NEEDS_LOGIN
  return error
}

/**
 * Returns whether only a person's login helps. Recognised by its name, because `instanceof` cannot tell subclasses of
 * ToolError apart (errors.ts).
 */
export function isLoginNeeded(error: ToolError): boolean {
  return error.name === NEEDS_LOGIN
}

function httpError(status: number, name: string): ToolError {
  if (status >= 300 && status < 400)
    return new ToolError(`${name} redirects to another address. Redirects are not followed.`)
  if (status === 429) return down(`${name} gets too many requests right now (429).`)
  if (status >= 500) return down(`${name} has an error right now (${status}).`)
  return new ToolError(`${name} refuses this (${status}).`)
}

const SENTENCES: Partial<Record<string, string>> = {
  [SdkErrorCode.InvalidResult]: 'sent an invalid response',
  [SdkErrorCode.UnsupportedResultType]: 'sent a response of an unknown kind',
  [SdkErrorCode.ClientHttpUnexpectedContent]: 'sent an invalid response',
  [SdkErrorCode.CapabilityNotSupported]: 'has no tools',
  [SdkErrorCode.EraNegotiationFailed]: 'supports no known protocol version, or ended at the handshake',
}

function sdkError(error: SdkError, failure: McpFailure): ToolError {
  const { name, timeoutMs, fault } = failure
  // The error of the SDK's version probe.
  if (error.code === SdkErrorCode.EraNegotiationFailed && error.cause !== undefined)
    return sentenceOf(error.cause, failure)
  if (error.code === SdkErrorCode.RequestTimeout)
    return down(`${name} did not answer within ${inSeconds(timeoutMs)} s.${maybeDone(failure)}`)
  const closed: string[] = [SdkErrorCode.ConnectionClosed, SdkErrorCode.NotConnected, SdkErrorCode.SendFailed]
  if (closed.includes(error.code)) return down(`${fault ?? `${name} ended the connection.`}${maybeDone(failure)}`)
  return new ToolError(`${name} ${SENTENCES[error.code] ?? 'cannot be used'}.`)
}

/** Errors of the system or of undici: their messages contain addresses and paths. */
function systemError(error: unknown, { name, hide, timeoutMs, ...failure }: McpFailure): ToolError {
  const causes = [...causesOf(error)]
  if (causes.some((one) => one instanceof AddressRefused))
    return new ToolError(`${name} has an address that is not allowed.`)
  const toolError = causes.find((one) => one instanceof ToolError)
  if (toolError) return hiddenError(toolError, hide)
  const code = causes.map(codeOf).find((one) => one !== undefined)
  if (code === 'ENOENT' || code === 'EACCES' || code === 'ENOTDIR')
    return down(`${name} cannot be started: its command or folder is missing, or not accessible.`)
  if (causes.some(({ name }) => name === 'TimeoutError'))
    return down(`${name} did not answer within ${inSeconds(timeoutMs)} s.${maybeDone(failure)}`)
  if (causes.some((one) => one instanceof SyntaxError || one.name === 'ZodError'))
    return new ToolError(`${name} sent an invalid response.`)
  return down(
    `${name} cannot be reached${code && /^[A-Z_]{3,40}$/.test(code) ? ` (${code})` : ''}.${maybeDone(failure)}`,
  )
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

function maybeDone({ isSent }: Pick<McpFailure, 'isSent'>): string {
  return isSent ? ' It is not known whether the call took effect.' : ''
}

function inSeconds(ms: number): number {
  return Math.round(ms / 100) / 10
}

function down(message: string): ToolError {
  return new ToolError(message, { isDown: true })
}

/** Returns a server's words on one line, without control characters. Secrets are hidden before the text is cut. */
function quoted(text: string, hide: Hide): string {
  const line = hide
    .head(text, 10 * MAX_WORDS)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
  return cut(line, MAX_WORDS) || 'it does not say why'
}
