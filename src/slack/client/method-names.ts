import { WebClient } from '@slack/web-api'

/** Records the names of the methods instead of calling them. */
class Listing extends WebClient {
  readonly names: string[] = []

  override apiCall(method: string): Promise<{ ok: true }> {
    this.names.push(method)
    return Promise.resolve({ ok: true })
  }
}

/** Returns the names of all Web API methods that the SDK knows, sorted. */
export function methodNames(): string[] {
  const listing = new Listing()
  for (const family of Object.values(listing)) if (isFamily(family)) callAll(family)
  return [...new Set(listing.names)].sort()
}

/** Returns whether a value is a group of methods (`chat`) or of groups (`admin`). Only groups are plain objects. */
function isFamily(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

function callAll(family: Record<string, unknown>): void {
  for (const [name, member] of Object.entries(family)) {
    if (isFamily(member)) callAll(member)
    // `uploadV2` is not a method of Slack but a chain of methods that are listed by themselves.
    else if (typeof member === 'function' && name !== 'uploadV2') member({})
  }
}
