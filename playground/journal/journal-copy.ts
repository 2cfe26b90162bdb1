/** Copies bodies for the journal: bounded, without secrets, without pictures. */
import type { Json } from '../slack/types.ts'

/** The maximum characters of one text, items of one list, characters of one body, and depth. */
const TEXT_CHARS = 60_000
const LIST_ITEMS = 2_000
const BODY_CHARS = 400_000
const DEPTH = 40
const MAX_SECRET = 2_000
/** The number of characters of a picture's base64 that are kept. */
const PICTURE_CHARS = 24

const PICTURE = /(data:[\w./+-]{1,100};base64,)([A-Za-z0-9+/=]{100,})/g
/** Matches anything that looks like a token of Slack or of a model's endpoint. */
const TOKENS = /\b(?:xox[a-z]-|xapp-|xwfp-)[\w-]{6,}|\bsk-[\w-]{16,}/g

export interface JournalCopy {
  copy: Json
  /** The approximate size, in characters. */
  size: number
  /** Whether something is shortened or hidden. */
  isShortened: boolean
}

interface Copier {
  copy(body: Json): JournalCopy
  text(text: string): string
  /** Returns the whole text without its secrets. */
  hidden(text: string): string
  /** Replaces `secret` with `name` from now on. */
  hide(secret: string, name: string): void
}

interface CopyState {
  secrets: Map<string, string>
  left: number
  isShortened: boolean
}

export function createCopier(): Copier {
  const secrets = new Map<string, string>()
  return {
    copy(body) {
      const work = { secrets, left: BODY_CHARS, isShortened: false }
      const copy = objectOf(body, work, 0)
      return { copy, size: BODY_CHARS - work.left, isShortened: work.isShortened }
    },
    text: (given) => textOf(given, { secrets, left: TEXT_CHARS, isShortened: false }),
    hidden: (text) => withoutSecrets(text, secrets),
    hide: (secret, name) => void (secret.length > 3 && secrets.set(secret, name)),
  }
}

function textOf(given: string, work: CopyState): string {
  const small = given.replace(PICTURE, (_, start: string, base64: string) => {
    return `${start}${base64.slice(0, PICTURE_CHARS)}… (${base64.length} characters of base64)`
  })
  const max = Math.min(TEXT_CHARS, Math.max(work.left, 0))
  // Secrets are removed a little beyond the cut too, so that none is cut in two.
  const near = withoutSecrets(small.slice(0, max + MAX_SECRET), work.secrets)
  const shown = small.length > max ? `${near.slice(0, max)}… (${small.length - max} characters more)` : near
  work.left -= shown.length
  work.isShortened ||= shown !== given
  return shown
}

function withoutSecrets(text: string, secrets: Map<string, string>): string {
  let shown = text
  for (const [secret, name] of secrets) if (shown.includes(secret)) shown = shown.replaceAll(secret, () => name)
  return shown.replace(TOKENS, '(a token)')
}

function valueOf(given: unknown, work: CopyState, depth: number): unknown {
  if (typeof given === 'string') return textOf(given, work)
  if (typeof given !== 'object' || given === null) return plain(given, work)
  if (given instanceof Uint8Array) return textOf(`(${given.length} bytes)`, work)
  if (depth > DEPTH || work.left <= 0) return leftOut(work)
  return Array.isArray(given) ? listOf(given, work, depth) : objectOf(given, work, depth)
}

function objectOf(given: object, work: CopyState, depth: number): Json {
  const copy: Json = {}
  for (const [key, one] of Object.entries(given)) {
    if (one === undefined || typeof one === 'function') continue
    if (work.left <= 0) {
      work.isShortened = true
      break
    }
    work.left -= key.length + 4
    // An assignment fails for the key __proto__.
    Object.defineProperty(copy, key, { ...OWN, value: valueOf(one, work, depth + 1) })
  }
  return copy
}

function listOf(given: unknown[], work: CopyState, depth: number): unknown[] {
  const copy: unknown[] = []
  for (const one of given.slice(0, LIST_ITEMS)) {
    if (work.left <= 0) break
    work.left -= 2
    copy.push(valueOf(one, work, depth + 1))
  }
  if (copy.length === given.length) return copy
  work.isShortened = true
  return [...copy, `… (${given.length - copy.length} more)`]
}

const OWN = { enumerable: true, configurable: true, writable: true }

function plain(given: unknown, work: CopyState): unknown {
  work.left -= 8
  return typeof given === 'bigint' || typeof given === 'symbol' ? String(given) : given
}

function leftOut(work: CopyState): string {
  work.isShortened = true
  return '… (left out: there is too much)'
}
