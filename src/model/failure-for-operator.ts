/** Describes a failed model call to the operator. People get `ModelError.hint`. */
import { APIError } from 'openai/core/error'
import { causesOf, messageOf, ModelError } from '../base/errors.ts'
import { hasNoMoney, isUnknownModel, statusOf } from './error-words.ts'
import { knownFailureIn } from './failures.ts'

/** The longest quote of an endpoint's own words, in characters. */
const MAX_WORDS = 200

/** The fault and what to do. Only for calls without people's text, because it may quote the endpoint. */
export function operatorSentence(error: unknown): string {
  const known = knownFailureIn(error)
  if (known) return known.hint.replace('The person who runs me should check', 'Check')
  const apiError = apiErrorBehind(error)
  const status = statusOf(apiError)
  if (apiError && status !== undefined) return ofStatus(apiError, status)
  if (!(error instanceof ModelError)) return messageOf(error)
  // What remains is a connection error. The message contains its code, such as ECONNREFUSED.
  const code = /\b(?:E[A-Z_]{3,}|[A-Z_]*CERT[A-Z_]*|[A-Z_]*SIGNATURE[A-Z_]*|UND_[A-Z_]+)\b/.exec(error.message)?.[0]
  return apiError || code ? `It cannot be reached${code ? ` (${code})` : ''}. ${REACH}` : error.hint
}

const REACH = 'Check OPENAI_BASE_URL and HTTPS_PROXY, and whether it is running.'

function ofStatus(error: APIError, status: number): string {
  const of = `(status ${status})`
  if (hasNoMoney(error)) return `The account has used up its quota ${of}. Check its plan and billing.`
  if (status === 401) return `It rejected the key ${of}. Check OPENAI_API_KEY and OPENAI_HEADERS.`
  if (status === 407) return `The proxy requires a login ${of}. Check HTTPS_PROXY.`
  if (status === 404 && !isUnknownModel(error))
    return `It has no chat completions ${of}. Check OPENAI_BASE_URL, which often ends in /v1.`
  if (isUnknownModel(error))
    return `There is no such model at this address ${of}. Check its name, and OPENAI_BASE_URL, which often ends in /v1.`
  if (status === 429) return `It accepts no more calls for now ${of}. Wait, or check the limits of the account.`
  if (status >= 500) return `It is broken or overloaded ${of}. Check the endpoint, or try again in a minute.`
  const key = status === 403 ? ' Check whether the key may use this model.' : ''
  return `It refused the request ${of}: ${wordsOf(error)}.${key}`
}

function wordsOf({ message, status }: APIError): string {
  const line = message.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  return line.replace(`${status} `, '').slice(0, MAX_WORDS).replace(/\.$/, '')
}

function apiErrorBehind(error: unknown): APIError | undefined {
  for (const cause of causesOf(error)) if (cause instanceof APIError) return cause
  return undefined
}
