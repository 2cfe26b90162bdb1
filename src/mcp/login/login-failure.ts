import { OAuthError } from '@modelcontextprotocol/client'
import { ToolError, messageOf } from '../../base/errors.ts'
import { AddressRefused } from '../../base/http/agents.ts'

/**
 * Returns whether a text is a code of RFC 6749 or its relatives. Nothing else that an authorization server says is
 * shown.
 */
export function isCode(text: string): boolean {
  return /^[a-z_]{1,40}$/.test(text)
}

/** Returns an error code for display: the code if it has the known form, else a note that there was another one. */
export function codeShown(code: string): string {
  return isCode(code) ? code : 'with an unknown code'
}

/** Returns the meaning of an error of a login's HTTP or of the SDK, without any text of the server. */
export function loginFailure(name: string, error: unknown): ToolError {
  if (error instanceof ToolError) return error
  if (error instanceof OAuthError)
    return new ToolError(`The authorization server of ${name} refused: ${codeShown(error.code)}.`)
  if (error instanceof Error && error.cause instanceof AddressRefused)
    return new ToolError(`The login at ${name} leads to an address that may not be called.`)
  if (isNetwork(error)) return new ToolError(`The authorization server of ${name} does not answer.`, { isDown: true })
  return new ToolError(`The authorization server of ${name} sent an answer that is not valid OAuth.`)
}

function isNetwork(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ['AbortError', 'TimeoutError'].includes(error.name) || /fetch failed/.test(messageOf(error))
}
