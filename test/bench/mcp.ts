/**
 * `npm run bench -- mcp`: one call of an MCP tool through our code, input to output, compared with a bare
 * `@modelcontextprotocol/client` on the same server, over HTTP and stdio, with a short and a long result. The server
 * has its own process. Rounds are interleaved, and the results are ratios of medians. Target: at most 1.5.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Tool, ToolContext } from '../../src/agent/contracts/tool.ts'
import { createLog } from '../../src/base/log.ts'
import { createValues } from '../../src/stores/values/value-store.ts'
import { openMcpToolbox } from '../../src/mcp/tools/mcp-toolbox.ts'
import { openServers } from '../../src/mcp/servers/servers.ts'
import type { McpServerConfig } from '../../src/mcp/types.ts'
import { ROOT } from '../../src/base/package-root.ts'
import compileSources from '../harness/compiled-sources.ts'
import { ourStdio } from '../harness/mcp/our-stdio.ts'
import { quantile } from './load/quantile.ts'
import { atMost } from './targets.ts'
import { memoryKv } from '../../src/stores/kv/memory-kv.ts'

const MAX = 1.5
/** Rounds until V8 has compiled the code of both sides. */
const WARM_UP = 3
/** The long note, in characters. */
const LONG = 50_000
const WAYS = ['http', 'stdio'] as const
const SIZES = ['short', 'long'] as const

/** Makes one call. Resolves with the text for the model. */
type Call = (args: Record<string, unknown>) => Promise<string>

/** The same server, through either client. */
interface Side {
  search: Call
  add: Call
  close(): Promise<void>
}

/** In ms per call. */
interface CallTimes {
  wall: number
  cpu: number
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { calls: { type: 'string', default: '100' }, rounds: { type: 'string', default: '15' } },
  })
  const options = { calls: Number(values.calls), rounds: Number(values.rounds) }
  const server = fork(join(ROOT, 'test/bench/mcp/notes-process.ts'), { execArgv: ['--import', 'tsx'] })
  const [url] = (await once(server, 'message')) as [string]
  const rows: Record<string, Record<string, string>> = {}
  const held: string[] = []
  for (const way of WAYS) {
    const sides = [await bare(way, url), await ours(way, url)] as const
    await Promise.all(sides.map(({ add }) => Promise.all(NOTES.map(add))))
    for (const size of SIZES) {
      const [floor, room] = await measure(sides, size, options)
      const ratio = room.wall / floor.wall
      rows[`${way}, ${size} result`] = {
        'bare ms': floor.wall.toFixed(3),
        'ours ms': room.wall.toFixed(3),
        'bare CPU ms': floor.cpu.toFixed(3),
        'ours CPU ms': room.cpu.toFixed(3),
        'CPU ratio': (room.cpu / floor.cpu).toFixed(2),
      }
      held.push(`A call by the bare client's, ${way}, ${size} result: ${atMost(ratio, MAX)}`)
    }
    await Promise.all(sides.map(({ close }) => close()))
  }
  server.disconnect()
  console.log(`Medians of ${options.rounds} rounds of ${options.calls} calls, one after the other:`)
  console.table(rows)
  for (const line of held) console.log(line)
}

const NOTES = [
  { title: 'short', text: 'short: buy milk' },
  { title: 'long', text: `long: ${'milk, bread and butter; '.repeat(LONG / 24)}` },
]

async function measure(
  sides: readonly [Side, Side],
  query: string,
  { calls, rounds }: { calls: number; rounds: number },
): Promise<[CallTimes, CallTimes]> {
  const took: [CallTimes[], CallTimes[]] = [[], []]
  for (let round = 0; round < WARM_UP + rounds; round++)
    for (const i of [0, 1] as const) took[i].push(await timed(sides[i], query, calls))
  const medians = (all: CallTimes[]): CallTimes => ({
    wall: quantile(
      all.slice(WARM_UP).map(({ wall }) => wall),
      0.5,
    ),
    cpu: quantile(
      all.slice(WARM_UP).map(({ cpu }) => cpu),
      0.5,
    ),
  })
  return [medians(took[0]), medians(took[1])]
}

/** Measures a round: the median of its calls, because other load makes some of them long, and the CPU of all. */
async function timed({ search }: Side, query: string, calls: number): Promise<CallTimes> {
  const walls: number[] = []
  const cpu = process.cpuUsage()
  for (let n = 0; n < calls; n++) {
    const from = performance.now()
    const text = await search({ query })
    walls.push(performance.now() - from)
    if (!text.includes(query)) throw new Error('The server has not answered as it should.')
  }
  const { user, system } = process.cpuUsage(cpu)
  return { wall: quantile(walls, 0.5), cpu: (user + system) / 1_000 / calls }
}

async function bare(way: (typeof WAYS)[number], url: string): Promise<Side> {
  const transport: Transport =
    way === 'http' ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport(STDIO)
  const client = new Client({ name: 'bare', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(transport)
  await client.listTools()
  const call = async (name: string, args: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: args })
    return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  }
  return {
    search: (args) => call('search_notes', args),
    add: (args) => call('add_note', args),
    close: () => client.close(),
  }
}

await compileSources()
const STDIO = ourStdio('notes-server.ts')
/** Secrets as in a real config: two tokens. Results are searched for all of their forms. */
const SECRETS = ['ghp_0123456789abcdefghijklmnopqrstuvwxyz', 'xoxb-0123456789-abcdefghijkl']

/** Our whole code: what the loop does with a tool, from the model's input to the text of the observation. */
async function ours(way: (typeof WAYS)[number], url: string): Promise<Side> {
  const shared = { name: 'notes', trust: true, secrets: SECRETS }
  const server: McpServerConfig =
    way === 'http' ? { ...shared, kind: 'http', url, headers: {} } : { ...shared, kind: 'stdio', ...STDIO, env: {} }
  const [log, now, config] = [createLog('silent'), Date.now, { servers: [server] }]
  const toolbox = await openMcpToolbox(config, {
    ...{
      log,
      now,
      store: createValues(memoryKv({ now: Date.now }), { room: 'mcp' }),
      open: async () => openServers(config, { log, now }),
    },
    ...{ taken: [], approvers: [], maxTools: 40, timeoutMs: 15_000 },
  })
  const tools = await toolbox.toolsFor({ team: 'T1', channel: 'C1', waits: true })
  const call = (name: string) => callOf(tools.find((tool) => tool.name === `notes__${name}`))
  return { search: call('search_notes'), add: call('add_note'), close: () => toolbox.close() }
}

function callOf(tool: Tool | undefined): Call {
  if (!tool) throw new Error('The server lists no such tool.')
  const context: ToolContext = {
    signal: new AbortController().signal,
    fetch: () => Promise.reject(new Error('not here')),
    now: () => new Date(),
    memory: {},
    ask: () => Promise.reject(new Error('not here')),
  }
  return async (args) => {
    const input = tool.parse(args)
    if (!input.ok) throw new Error('The input is not as the tool takes it.')
    const output = await tool.run(input.value, context)
    if (typeof output === 'string') return output
    if ('asks' in output) throw new Error('The tool asks something.')
    return output.text
  }
}
