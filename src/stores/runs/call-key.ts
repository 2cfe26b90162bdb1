import { createHash } from 'node:crypto'
import { canonicalJson } from '../../agent/canonical-json.ts'

/**
 * Tells one call from others: what a person allows is the call with this key and no other. `input` as the tool gets it, or as it
 * was stored (`Awaited`). SHA-256 in hex, over the tool's name, its version and the canonical JSON of the input.
 */
export function callKey(tool: string, input: unknown, version = ''): string {
  return createHash('sha256')
    .update(`${tool}\n${version}\n${canonicalJson(input)}`)
    .digest('hex')
}
