import { pino, type DestinationStream, type Logger } from 'pino'

export type Log = Logger

/**
 * Structured log lines on stdout. They carry ids and sizes; what people wrote only at `debug`, and never a token:
 * `secrets`, and anything else that looks like one, is blanked whatever field or message it stands in.
 */
export function createLog(level: string, destination?: DestinationStream, secrets: string[] = []): Log {
  const options = { level, base: undefined, timestamp: () => `,"time":"${new Date().toISOString()}"` }
  const written = secrets.filter((one) => one.length >= 6).map((one) => JSON.stringify(one).slice(1, -1))
  const withoutSecrets = (line: string) => written.reduce((kept, one) => kept.replaceAll(one, '***'), line)
  const write = (line: string) => void (destination ?? process.stdout).write(withoutTokens(withoutSecrets(line)))
  return pino(options, { write })
}

const TOKENS =
  /(?<kind>\b(?:xox[a-z]-|xapp-|sk-|ghp_|github_pat_)(?=[\w-]{4})|Bearer (?=[\w.~+/-]{8})|api_key=)[^&\s"'\\,)]+/g

/** Blanks Slack, OpenAI, GitHub and bearer tokens in a text. */
function withoutTokens(text: string): string {
  return text.replace(TOKENS, '$<kind>***')
}
