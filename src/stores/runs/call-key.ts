import { createHash } from 'node:crypto'
import { canonicalJson } from '../../agent/canonical-json.ts'

/**
 * Returns the key of a call: a person's approval is for calls with this key only. SHA-256 in hex, over the tool's name,
 * its version and the canonical JSON of the input. `input` is the tool's input, or what `AwaitedDecision` stores.
 */
export function callKey(tool: string, input: unknown, version = ''): string {
  return createHash('sha256')
    .update(`${tool}\n${version}\n${canonicalJson(input)}`)
    .digest('hex')
}
