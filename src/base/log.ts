import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino'
import { messageOf } from './errors.ts'

export type Log = Logger

/**
 * Structured log lines on stdout. They contain ids and sizes, people's text only at `debug`, and never a token:
 * `secrets` (`secretsOf`, config.ts), and anything else that looks like one, are redacted in all fields and messages.
 * `redactContent` (telemetry/otel-spans.ts) redacts people's text from traces.
 */
export function createLog(level: string, destination?: DestinationStream, secrets: string[] = []): Log {
  const options = { level, base: undefined, timestamp: stdTimeFunctions.isoTime }
  const blank = blankSecrets(secrets)
  const write = (line: string) => void (destination ?? process.stdout).write(redactTokens(blank(line)))
  return pino(options, { write })
}

/** Returns a handler that only logs an error. */
export function warnWith(log: Pick<Log, 'warn'>, fields: object, line: string): (error: unknown) => undefined {
  return (error) => void log.warn({ ...fields, error: messageOf(error) }, line)
}

/** How long a repeated kind of line is suppressed, in ms. */
const QUIET_MS = 60_000
/** Bounds the remembered kinds. Nothing here has more. */
const MAX_KINDS = 100

/**
 * Limits frequent log lines: each kind is due at once, and then once per minute. `now` is in ms.
 * @returns how often the kind occurred since its last line, or undefined if no line is due
 */
export function oncePerMinute(now: () => number): (kind: string) => number | undefined {
  const lines = new Map<string, { at: number; suppressed: number }>()
  return (kind) => {
    const last = lines.get(kind)
    if (last && now() - last.at < QUIET_MS) {
      last.suppressed += 1
      return undefined
    }
    if (lines.size >= MAX_KINDS) lines.clear()
    lines.set(kind, { at: now(), suppressed: 0 })
    return last?.suppressed ?? 0
  }
}

const TOKENS =
  /(?<kind>\b(?:xox[a-z]-|xapp-|sk-|ghp_|github_pat_)(?=[\w-]{4})|Bearer (?=[\w.~+/-]{8})|api_key=)[^&\s"'\\,)]+/g

/** Shorter secrets may be words in ordinary sentences. */
const SHORTEST_SECRET = 6

/** @returns a function that redacts these secrets in a text, both raw and JSON-escaped, longest first */
export function blankSecrets(secrets: readonly string[]): (text: string) => string {
  const known = secrets.filter(({ length }) => length >= SHORTEST_SECRET)
  const forms = [...new Set(known.flatMap((one) => [one, JSON.stringify(one).slice(1, -1)]))]
  const longestFirst = forms.sort((one, other) => other.length - one.length)
  return (text) => longestFirst.reduce((kept, one) => kept.replaceAll(one, '***'), text)
}

/** Redacts Slack, OpenAI, GitHub and bearer tokens in a text. */
export function redactTokens(text: string): string {
  return text.replace(TOKENS, '$<kind>***')
}
