import { pino, type DestinationStream, type Logger } from 'pino'

export type Log = Logger

/**
 * Structured log lines on stdout, redacted. They carry ids and sizes; what people wrote only at `debug`, and never a token:
 * `secrets` (`secretsOf`, config.ts), and anything else that looks like one, is blanked whatever field or message it stands in. What people wrote is
 * redacted from traces by `redactContent` (telemetry/spans.ts).
 */
export function createLog(level: string, destination?: DestinationStream, secrets: string[] = []): Log {
  const options = { level, base: undefined, timestamp: () => `,"time":"${new Date().toISOString()}"` }
  const blank = blankSecrets(secrets)
  const write = (line: string) => void (destination ?? process.stdout).write(redactTokens(blank(line)))
  return pino(options, { write })
}

/** How long a line of one kind is not said again, in ms. */
const QUIET_MS = 60_000
/** Kinds that are remembered; more than anything here has. */
const MAX_KINDS = 100

/**
 * For lines that would come many times a second: each kind is due at once and from then on once a minute. `now` is in ms.
 * @returns how often the kind came since its last line; undefined where no line is due.
 */
export function oncePerMinute(now: () => number): (kind: string) => number | undefined {
  const said = new Map<string, { at: number; unsaid: number }>()
  return (kind) => {
    const last = said.get(kind)
    if (last && now() - last.at < QUIET_MS) {
      last.unsaid += 1
      return undefined
    }
    if (said.size >= MAX_KINDS) said.clear()
    said.set(kind, { at: now(), unsaid: 0 })
    return last?.unsaid ?? 0
  }
}

const TOKENS =
  /(?<kind>\b(?:xox[a-z]-|xapp-|sk-|ghp_|github_pat_)(?=[\w-]{4})|Bearer (?=[\w.~+/-]{8})|api_key=)[^&\s"'\\,)]+/g

/** A shorter secret is a word that ordinary sentences may have. */
const SHORTEST_SECRET = 6

/** @returns what blanks these secrets in a text, as they are and as JSON writes them; one within another goes with the longer. */
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
