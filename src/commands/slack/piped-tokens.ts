import { fstatSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { parse } from 'dotenv'
import type { CommandIo } from '../command.ts'
import { TOKEN_NAMES, type SlackTokens } from './slack-tokens.ts'

/** More characters than three tokens need. The rest is not read. */
const MAX = 64_000
/** How long to read from the pipe, in ms. A pipe without a writer would otherwise wait forever. */
const WAIT_MS = 10_000

/** Returns whether stdin is a pipe or a file. */
export function isPiped({ fd }: CommandIo['stdin']): boolean {
  if (fd === undefined) return true
  try {
    const stdin = fstatSync(fd)
    return stdin.isFIFO() || stdin.isFile() || stdin.isSocket()
  } catch {
    return false
  }
}

/** Reads `NAME=value` lines, or bare tokens, which it recognizes by their prefix. Ignores everything else. */
export function tokensIn(text: string): SlackTokens {
  const named = parse(text)
  const words = text.split(/\s+/)
  const beginning = (prefix: string) => words.find((word) => word.startsWith(prefix))
  const found: SlackTokens = { SLACK_BOT_TOKEN: beginning('xoxb-'), SLACK_APP_TOKEN: beginning('xapp-') }
  const all = TOKEN_NAMES.map((name) => [name, named[name] || found[name]] as const)
  return Object.fromEntries(all.filter(([, value]) => value !== undefined))
}

/** Reads to the end, up to a maximum size and time. */
export async function readPiped(input: Readable): Promise<string> {
  let text = ''
  const timer = setTimeout(() => input.destroy(), WAIT_MS)
  try {
    for await (const chunk of input.setEncoding('utf8')) {
      text += String(chunk)
      if (text.length > MAX) break
    }
  } catch {
    // Cut off: the text so far counts.
  } finally {
    clearTimeout(timer)
  }
  return text.slice(0, MAX)
}
