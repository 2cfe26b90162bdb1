import { createServer, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { ConfigError } from '../../base/errors.ts'

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
export async function awaitAnswers(options: {
  port: number
  input: Readable
  say(line: string): void
}): Promise<LoginAnswers> {
  let [isOurs, found]: [((answer: URLSearchParams) => boolean)?, ((answer: URLSearchParams) => void)?] = []
  /** @returns whether it was accepted as an answer to this login */
  const take = (answer: URLSearchParams) => {
    if (!isOurs?.(answer)) return false
    found?.(answer)
    return true
  }
  const server = createServer(({ url = '', method }, response) => {
    const [path, query] = url.split('?', 2)
    if (method !== 'GET' || path !== PATH) return tell(response, 404, 'Not found.')
    if (take(new URLSearchParams(query)))
      tell(response, 200, 'Thank you. You can close this page and return to the terminal.')
    else tell(response, 400, 'This does not belong to the current login. The terminal is still waiting.')
  })
  server.listen(options.port, '127.0.0.1')
  await once(server, 'listening').catch(() => {
    throw new ConfigError(`Port ${options.port} is in use. Choose another with --port.`)
  })
  const lines = createInterface({ input: options.input })
  lines.on('line', (line) => {
    const pasted = queryOf(line)
    if (pasted && take(pasted)) return
    if (line.trim() !== '') options.say('That is not the right address. It contains code= and state=.')
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${PATH}`,
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
function tell(response: ServerResponse, status: number, words: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${words}\n`)
}
