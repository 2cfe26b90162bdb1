import { OAuthError } from '@modelcontextprotocol/client'
import { ToolError, messageOf } from '../../base/errors.ts'
import { AddressRefused } from '../../base/http/agents.ts'

/**
 * Returns whether the text looks like an error code of RFC 6749. Nothing else that an authorization server says is
 * shown.
 */
export function isCode(text: string): boolean {
  return /^[a-z_]{1,40}$/.test(text)
}

/** Returns the error code if it is well-formed, and a placeholder otherwise. */
export function codeShown(code: string): string {
  return isCode(code) ? code : 'with a code that is none of OAuth’s'
}

/** Turns an error of a login's HTTP or of the SDK into a sentence that contains no text from the other side. */
export function loginFailure(name: string, error: unknown): ToolError {
  if (error instanceof ToolError) return error
  if (error instanceof OAuthError)
    return new ToolError(`The authorization server of ${name} refused: ${codeShown(error.code)}.`)
  if (error instanceof Error && error.cause instanceof AddressRefused)
    return new ToolError(`The login at ${name} leads to an address that may not be called.`)
  if (isNetwork(error)) return new ToolError(`The authorization server of ${name} does not answer.`, { isDown: true })
  return new ToolError(`The authorization server of ${name} did not answer as OAuth has it.`)
}

function isNetwork(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ['AbortError', 'TimeoutError'].includes(error.name) || /fetch failed/.test(messageOf(error))
}
