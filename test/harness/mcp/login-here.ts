import { PassThrough } from 'node:stream'
import { messageOf } from '../../../src/base/errors.ts'
import { authFetch } from '../../../src/mcp/servers/http-fetch.ts'
import { logIn } from '../../../src/mcp/login/log-in.ts'
import { loginStore } from '../../../src/mcp/login/login-store.ts'
import { createValues, type ValueStore } from '../../../src/stores/values/value-store.ts'
import type { HttpServerConfig, OAuthSettings } from '../../../src/mcp/types.ts'
import { until } from '../../../playground/base/until.ts'
import { createAgents } from '../../../src/base/http/connection-pools.ts'
import { sealerOf } from '../../../src/base/encryption.ts'
import type { Ends } from '../ends.ts'
import type { OAuthMcpServer } from './oauth-server.ts'
import { SECRETS_KEY } from './operator-command.ts'
import { memoryKv } from '../../../src/stores/kv/memory-kv.ts'

/** Runs a login as the command does, in the test's own process. */
export interface LoginHere {
  /** Resolves with the page for the person. */
  address(): Promise<string>
  /** Resolves at the command's end with the sentence of its failure, and its whole output. */
  ended: Promise<{ fault: string | undefined; said: string }>
}

export interface LoginPlace {
  store: ValueStore
  config: HttpServerConfig
  start(): Promise<LoginHere>
  /** Runs the login of a person whose browser is on this machine. */
  through(): Promise<{ fault: string | undefined; said: string; page: string }>
}

/** Runs logins at a server, one after another. */
export function loginPlace(
  t: Ends,
  server: OAuthMcpServer,
  {
    oauth,
    port = 0,
    store = createValues(memoryKv({ now: Date.now }), { room: 'mcp' }),
  }: { oauth?: OAuthSettings; port?: number; store?: ValueStore } = {},
): LoginPlace {
  const base = { name: 'tickets', kind: 'http' as const, trust: false, secrets: [], headers: {} }
  const config: HttpServerConfig = { ...base, url: server.url, ...(oauth ? { oauth } : {}) }
  const start = async (): Promise<LoginHere> => {
    const agents = await createAgents()
    t.onTestFinished(async () => void (await Promise.all([agents.inside.destroy(), agents.outside.destroy()])))
    const lines: string[] = []
    const logins = loginStore(store, sealerOf(SECRETS_KEY))
    const say = (line: string) => void lines.push(line)
    const options = { logins, fetch: authFetch(config, { agents }), port, input: new PassThrough(), say, now: Date.now }
    const ended = logIn(config, options).then(
      () => ({ fault: undefined, said: lines.join('\n') }),
      (error: unknown) => ({ fault: messageOf(error), said: lines.join('\n') }),
    )
    const shown = () => /^ {2}(https?:\S+)$/m.exec(lines.join('\n'))?.[1]
    return { address: () => until(shown, 'the page to log in at', 60_000), ended }
  }
  return {
    ...{ store, config, start },
    async through() {
      const here = await start()
      const page = await (await fetch(await server.browse(await here.address()))).text()
      return { page, ...(await here.ended) }
    },
  }
}
