import { timingSafeEqual } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FetchLike } from '@modelcontextprotocol/client'
import { ToolError } from '../../base/errors.ts'
import { awaitAnswers } from './login-callback.ts'
import { originOf } from './login-fetch.ts'
import { finishLogin, startLogin } from './login-halves.ts'
import type { LoginStore } from './login-store.ts'
import { loginProvider } from './oauth-provider.ts'
import type { HttpServerConfig } from '../types.ts'

interface LogInOptions {
  logins: LoginStore
  /** The server's authFetch. */
  fetch: FetchLike
  /** The local port that the browser comes back to; 0 for any free one. */
  port: number
  /** The terminal. A person may paste there the address that the browser was redirected to. */
  input: Readable
  say(line: string): void
  /** Milliseconds since the epoch. */
  now(): number
}

/** How long the person may take. Milliseconds. */
const PERSON_MS = 10 * 60_000

/**
 * Logs the workspace in at a server: shows a person which page to open, and stores the resulting tokens.
 * @throws ToolError with a sentence that contains no text of the server; ConfigError without SECRETS_KEY
 */
export async function logIn(server: HttpServerConfig, options: LogInOptions): Promise<void> {
  const answers = await awaitAnswers(options)
  try {
    const provider = loginProvider(server, { ...options, redirectUrl: answers.url })
    const { fetch } = options
    const { address, challenge } = await startLogin(server, { provider, fetch })
    sayWhere(address, { ...options, server, back: answers.url })
    const answer = await inTime(answers.first((given) => isSame(given.get('state') ?? '', provider.state())))
    await finishLogin(server, { provider, challenge, fetch }, answer)
  } finally {
    await answers.close()
  }
}

/** Prints the address. We never open it ourselves, because that would hand a text of the server to a program. */
function sayWhere(
  address: URL,
  { server, say, back }: { server: HttpServerConfig; say(line: string): void; back: string },
): void {
  say(`To log in at ${server.name}, open this page of ${originOf(address)} in a browser:\n\n  ${address.href}\n`)
  say(`The browser returns to ${back}, and this command continues on its own.`)
  say(
    'If the browser is on another machine, it ends on a page that cannot be reached. Paste the address of that page here.',
  )
}

async function inTime(answer: Promise<URLSearchParams>): Promise<URLSearchParams> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const minutes = PERSON_MS / 60_000
    timer = setTimeout(() => reject(new ToolError(`Nobody logged in within ${minutes} minutes.`)), PERSON_MS)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
