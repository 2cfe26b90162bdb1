import { createHash } from 'node:crypto'

/** What tells one value from another: SHA-256 in base64url over its JSON. */
export function jsonHash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url')
}
