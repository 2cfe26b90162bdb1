/** A bot that exits without stopping its child processes. It prints the process id of a server's child first. */
import { createLog } from '../../../src/base/log.ts'
import { openServers } from '../../../src/mcp/servers/servers.ts'
import { ourStdio } from './our-stdio.ts'

const server = {
  name: 'hostile',
  kind: 'stdio' as const,
  env: {},
  trust: false,
  secrets: [],
  ...ourStdio('hostile-stdio.ts'),
}
const servers = openServers({ servers: [server] }, { log: createLog('silent'), now: () => Date.now() })
const output = await servers.of('hostile').call('child', {}, { signal: AbortSignal.timeout(20_000), timeoutMs: 20_000 })
process.stdout.write(`child ${'text' in output ? output.text : ''}\n`, () => process.exit(1))
