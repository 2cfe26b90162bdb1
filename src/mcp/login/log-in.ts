import { timingSafeEqual } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FetchLike } from '@modelcontextprotocol/client'
import { settledWithin } from '../../base/async.ts'
import { ToolError, ConfigError } from '../../base/errors.ts'
import { originOf } from './login-fetch.ts'
import { finishLogin, startLogin } from './login-steps.ts'
import type { LoginStore } from './login-store.ts'
import { loginProvider } from './oauth-provider.ts'
import type { HttpServerConfig } from '../types.ts'
import { createServer, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'

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
  const { fetch, port, input, say } = options
  const answers = await awaitAnswers(port, input, say)
  try {
    const provider = loginProvider(server, { ...options, redirectUrl: answers.url })
    const { address, challenge } = await startLogin(server, provider, fetch)
    printInstructions(server, address, answers.url, say)
    const answer = await withinTime(answers.first((given) => isSameState(given.get('state') ?? '', provider.state())))
    await finishLogin(server, provider, challenge, fetch, answer)
  } finally {
    await answers.close()
  }
}

/** Prints the address. We never open it ourselves, because that would hand a text of the server to a program. */
function printInstructions(server: HttpServerConfig, address: URL, back: string, say: (line: string) => void): void {
  say(`To log in at ${server.name}, open this page of ${originOf(address)} in a browser:\n\n  ${address.href}\n`)
  say(`The browser returns to ${back}, and this command continues on its own.`)
  say(
    'If the browser is on another machine, it ends on a page that cannot be reached. Paste the address of that page here.',
  )
}

async function withinTime(answer: Promise<URLSearchParams>): Promise<URLSearchParams> {
  if (await settledWithin(PERSON_MS, [answer])) return answer
  throw new ToolError(`Nobody logged in within ${PERSON_MS / 60_000} minutes.`)
}

function isSameState(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** The parameters of the address that a browser was sent back to. */
interface LoginAnswers {
  /** The redirect URI, `http://127.0.0.1:PORT/callback`. */
  url: string
  /** Resolves with the first answer to this login, by the browser or pasted. */
  first(isOurs: (answer: URLSearchParams) => boolean): Promise<URLSearchParams>
  close(): Promise<void>
}

const PATH = '/callback'

/**
 * Listens on 127.0.0.1 only, on `port` or any free one (RFC 8252, 7.3), and reads pasted addresses from `input`. A
 * person who logs in from another machine ends at a page that cannot be reached, but its address is all that is needed.
 */
async function awaitAnswers(port: number, input: Readable, say: (line: string) => void): Promise<LoginAnswers> {
  let [isOurs, found]: [((answer: URLSearchParams) => boolean)?, ((answer: URLSearchParams) => void)?] = []
  /** @returns whether it was accepted as an answer to this login */
  const take = (answer: URLSearchParams) => {
    if (!isOurs?.(answer)) return false
    found?.(answer)
    return true
  }
  const server = createServer(({ url = '', method }, response) => {
    const [path, query] = url.split('?', 2)
    if (method !== 'GET' || path !== PATH) return respond(response, 404, 'Not found.')
    if (take(new URLSearchParams(query)))
      respond(response, 200, 'Thank you. You can close this page and return to the terminal.')
    else respond(response, 400, 'This does not belong to the current login. The terminal is still waiting.')
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening').catch(() => {
    throw new ConfigError(`Port ${port} is in use. Choose another with --port.`)
  })
  const lines = createInterface({ input })
  lines.on('line', (line) => {
    const pasted = queryOf(line)
    if (pasted && take(pasted)) return
    if (line.trim() !== '') say('That is not the right address. It contains code= and state=.')
  })
  const { port: given } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${given}${PATH}`,
    first: (fits) =>
      new Promise((resolve) => {
        isOurs = fits
        found = resolve
      }),
    async close() {
      lines.close()
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function queryOf(pasted: string): URLSearchParams | undefined {
  const text = pasted.trim()
  return URL.canParse(text) ? new URL(text).searchParams : undefined
}

/** The page holds only our own words, and nothing of the request. */
function respond(response: ServerResponse, status: number, words: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${words}\n`)
}
