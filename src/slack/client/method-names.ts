import { WebClient } from '@slack/web-api'

/** Writes down what it is asked to call, and calls nothing. */
class Listing extends WebClient {
  readonly names: string[] = []

  override apiCall(method: string): Promise<{ ok: true }> {
    this.names.push(method)
    return Promise.resolve({ ok: true })
  }
}

/** The names of Slack's Web API methods, all that the SDK knows, in the order of the alphabet. */
export function methodNames(): string[] {
  const listing = new Listing()
  for (const family of Object.values(listing)) if (isFamily(family)) callAll(family)
  return [...new Set(listing.names)].sort()
}

/** `chat` with its methods, `admin` with families of its own; the SDK's other parts are no plain objects. */
function isFamily(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

function callAll(family: Record<string, unknown>): void {
  for (const [name, member] of Object.entries(family)) {
    if (isFamily(member)) callAll(member)
    // No method of its own but a chain of others, each of which is listed by itself.
    else if (typeof member === 'function' && name !== 'uploadV2') member({})
  }
}
