import { fstatSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { parse } from 'dotenv'
import { TOKEN_NAMES, type SlackTokens } from './slack-tokens.ts'

/** More than three tokens need, in characters; the rest is not read. */
const MAX = 64_000
/** How long somebody may take who pipes something in: a pipe that nobody writes to would else wait for ever. */
const WAIT_MS = 10_000

/** Whether something is piped or read from a file into this process. */
export function isPiped(): boolean {
  try {
    const stdin = fstatSync(0)
    return stdin.isFIFO() || stdin.isFile() || stdin.isSocket()
  } catch {
    return false
  }
}

/** Lines of `NAME=value`, or the tokens alone, each known by how it begins; all else is passed over. */
export function tokensIn(text: string): SlackTokens {
  const named = parse(text)
  const words = text.split(/\s+/)
  const beginning = (prefix: string) => words.find((word) => word.startsWith(prefix))
  const found: SlackTokens = { SLACK_BOT_TOKEN: beginning('xoxb-'), SLACK_APP_TOKEN: beginning('xapp-') }
  const all = TOKEN_NAMES.map((name) => [name, named[name] || found[name]] as const)
  return Object.fromEntries(all.filter(([, value]) => value !== undefined))
}

/** All that comes until its end, at most so much and for so long. */
export async function readPiped(input: Readable): Promise<string> {
  let text = ''
  const timer = setTimeout(() => input.destroy(), WAIT_MS)
  try {
    for await (const chunk of input.setEncoding('utf8')) {
      text += String(chunk)
      if (text.length > MAX) break
    }
  } catch {
    // Cut off: what came until then counts.
  } finally {
    clearTimeout(timer)
  }
  return text.slice(0, MAX)
}
