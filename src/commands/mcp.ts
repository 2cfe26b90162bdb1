/**
 * `npm run mcp -- list | check | tools [NAME] | login NAME | accept SERVER [TOOL]`: the operator's commands for MCP
 * servers.
 */
import { parseArgs } from 'node:util'
import { loadConfig, secretsOf } from '../config.ts'
import { ConfigError } from '../base/errors.ts'
import { createLog } from '../base/log.ts'
import { createNetwork } from '../base/http/proxy.ts'
import { mainCommand, type CommandIo } from './command.ts'
import { checkLogin, checkServers, listServers, logInAt, type OperatorPlace } from './mcp/operator.ts'
import { loadMcpConfig } from '../mcp/config/mcp-config.ts'
import { acceptTools, listTools } from './mcp/operator-tools.ts'
import type { McpToolbox } from '../mcp/tools/mcp-toolbox.ts'
import { openMcpStore } from './command-redis.ts'

const USAGE = `Usage: npm run mcp -- COMMAND
  list                    lists the servers of MCP_CONFIG, and which need a login
  check                   connects to each server and says what is wrong; exit code 1 if anything is
  tools [NAME]            lists their tools: what they may do, whether they need approval, which are off and why
  login NAME [--port N]   logs the workspace in to a remote server; --port sets the port that the browser returns to
  accept SERVER [TOOL]    accepts the new and changed tools of a server, or one of them, as they are now`

interface McpCommand {
  command: string
  names: string[]
  port: number
}

/** The minimum and maximum number of names that each command takes. */
const COMMANDS: Record<string, [number, number]> = {
  list: [0, 0],
  check: [0, 0],
  tools: [0, 1],
  login: [1, 1],
  accept: [1, 2],
}

/** @throws ConfigError for an unknown command */
function readArgs(args: string[]): McpCommand {
  try {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { port: { type: 'string' } } })
    const [command = '', ...names] = positionals
    const [min, max] = Object.hasOwn(COMMANDS, command) ? (COMMANDS[command] ?? [1, 0]) : [1, 0]
    const port = Number(values.port ?? 0)
    const isPort =
      Number.isInteger(port) && port >= 0 && port < 65_536 && (values.port === undefined || command === 'login')
    if (names.length >= min && names.length <= max && isPort) return { command, names, port }
  } catch {
    // Reported below.
  }
  throw new ConfigError(USAGE)
}

async function runAt(place: OperatorPlace, asked: McpCommand, stdin: CommandIo['stdin']): Promise<number> {
  const { command, names, port } = asked
  const [name, tool] = names
  if (command === 'check') return checkServers(place)
  if (command === 'tools') return withToolbox(place, (toolbox) => listTools(place, toolbox, name))
  if (command === 'login') return logInAt(place, name ?? '', port, stdin)
  if (command === 'accept')
    return withToolbox(place, (toolbox) => acceptTools(place, toolbox, { server: name ?? '', tool }))
  return listServers(place)
}

/** Opens the tools as a worker of the bot has them; everything is loaded only for them. */
async function withToolbox(
  { config, log, now, store }: OperatorPlace,
  work: (toolbox: McpToolbox) => Promise<number>,
): Promise<number> {
  const { createAgent } = await import('../question/agent/create-agent.ts')
  const { withoutAuto } = await import('../question/agent/choose-dialect.ts')
  const agent = await createAgent(
    { ...withoutAuto(config), ROLE: 'worker' },
    { log, net: await createNetwork(config), now: () => new Date(now()), mcpStore: store },
  )
  try {
    return agent.mcp ? await work(agent.mcp) : 1
  } finally {
    await agent.close()
  }
}

async function run({ args, readEnv, stdin, stderr, print: say }: CommandIo): Promise<number> {
  const asked = readArgs(args)
  const env = readEnv()
  const config = loadConfig(env)
  if (!config.MCP_CONFIG)
    throw new ConfigError('MCP_CONFIG is missing. Set it to a JSON file with your servers: {"mcpServers": {…}}.')
  const servers = loadMcpConfig(config.MCP_CONFIG, env)
  if (asked.command === 'login') checkLogin(config, servers, asked.names[0] ?? '')
  if (!config.REDIS_URL && ['login', 'accept'].includes(asked.command))
    throw new ConfigError(`REDIS_URL is missing. Without Redis, ${asked.command} cannot reach the bot.`)
  const log = createLog(config.LOG_LEVEL, stderr, secretsOf(config))
  const now = Date.now
  const { store, close } = await openMcpStore(config, { log, now })
  try {
    return await runAt({ config, servers, store, log, now, say }, asked, stdin)
  } finally {
    close()
  }
}

export default await mainCommand(import.meta, USAGE, run)
