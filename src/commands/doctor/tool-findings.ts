/** Tries the tools that are on, with one harmless call each, and lists the tools of the MCP servers. */
import { DIALECTS } from '../../agent/dialects/index.ts'
import type { Tool, ToolContext } from '../../agent/contracts/tool.ts'
import type { Config, Env } from '../../config.ts'
import type { AgentParts } from '../../question/agent/agent-parts.ts'
import { isTimeUp, messageOf, ToolError } from '../../base/errors.ts'
import { loadMcpConfig } from '../../mcp/config/mcp-config.ts'
import { openMcpStore } from '../command-redis.ts'
import { inspectServers, currentUnmatchedRules, type InspectedServer } from '../mcp/operator.ts'
import { leftOutSentence, type BrokenToolFile } from '../../toolbox/toolbox.ts'
import { toolEntry } from '../../../tools/index.ts'
import { commandContext, openTools } from '../tool-context.ts'
import { tableFinding } from './table-finding.ts'
import { findingsAbout, type CheckServices, type Finding } from './finding.ts'

const tools = findingsAbout('tools')
const mcp = findingsAbout('MCP')

export async function toolFindings(config: Config, { log, net, now }: CheckServices): Promise<Finding[]> {
  const leftOut: BrokenToolFile[] = []
  const sources = { log, net, now: () => new Date(now()), leftOut: (one: BrokenToolFile) => void leftOut.push(one) }
  // `needFinding` reports what the configured dialect lacks.
  const agent = await openTools(config, sources).catch((error: unknown) => error)
  if (!isAgent(agent)) return [tools.fault('TOOLS', messageOf(agent))]
  try {
    const { tools: on } = agent.defaults
    const used = await Promise.all(on.map((tool) => useOf(tool, agent, config)))
    const broken = leftOut.map((one) => tools.fault('custom tools', leftOutSentence(one)))
    return [...used, await tableFinding(config, now), ...broken, ...needFinding(config, on)]
  } finally {
    await agent.close()
  }
}

function isAgent(made: unknown): made is AgentParts {
  return typeof made === 'object' && made !== null && 'defaults' in made
}

/** The longest wait for a tool; a run may wait longer. Milliseconds. */
const USE_MS = 30_000

const AWAY = 'Check the network (HTTPS_PROXY, the tool’s address), or remove the tool from TOOLS.'

async function useOf(tool: Tool, agent: AgentParts, config: Config): Promise<Finding> {
  const given = toolEntry(tool.name)?.sample
  const sample = tool.parse(given)
  // A front may have no network access to the services: workers call them.
  if (!given || !sample.ok || config.ROLE === 'front') return tools.ok(tool.name, 'On. Not tried.')
  const ms = Math.min(config.TOOL_TIMEOUT_MS, USE_MS)
  const signal = AbortSignal.timeout(ms)
  const context = commandContext(agent, signal)
  try {
    const text = outputText(await tool.run(sample.value, context))
    return tool.name === 'wikipedia' ? await wikiFinding(tool, text, context) : tools.ok(tool.name, WORKS)
  } catch (error) {
    const isLate = isTimeUp(signal)
    const said = isLate ? `It did not answer within ${ms / 1000} s.` : messageOf(error)
    const isAway = isLate || (error instanceof ToolError && error.isDown)
    return tools.fault(tool.name, isAway ? `${said} ${AWAY}` : said)
  }
}

const WORKS = 'On, and it answers.'

/**
 * A wiki without a page "Wikipedia" is tried with a page that it has, which shows whether it returns texts.
 * @throws ToolError
 */
async function wikiFinding(tool: Tool, text: string, context: ToolContext): Promise<Finding> {
  if (!text.startsWith('Could not find')) return tools.ok(tool.name, WORKS)
  const title = /Similar: \[(['"])(.+?)\1[,\]]/.exec(text)?.[2]
  const sample = tool.parse({ query: title ?? 'Main Page' })
  const read = sample.ok ? outputText(await tool.run(sample.value, context)) : text
  return read.startsWith('Could not find')
    ? tools.note(tool.name, 'On, and it answers, but no page was found to test reading one.')
    : tools.ok(tool.name, WORKS)
}

function outputText(output: Awaited<ReturnType<Tool['run']>>): string {
  if (typeof output === 'string') return output
  return 'text' in output ? output.text : ''
}

/** Returns a fault for each tool that the configured dialect needs and that is off. */
function needFinding({ AGENT_DIALECT: set }: Config, on: Tool[]): Finding[] {
  const needs: readonly string[] = set === 'auto' ? [] : DIALECTS[set].needs
  const lacking = needs.filter((name) => !on.some((tool) => tool.name === name))
  return lacking.map((name) => tools.fault(name, `AGENT_DIALECT=${set} needs it. Add it to TOOLS.`))
}

/**
 * Checks each server of MCP_CONFIG: whether it is up, and with how many tools. The login is read from the bot's own
 * store.
 */
export async function mcpFindings(config: Config, env: Env, services: CheckServices): Promise<Finding[]> {
  const { log, now } = services
  if (!config.MCP_CONFIG) return ruleFindings(config, [], services)
  if (config.ROLE === 'front')
    return [mcp.ok('MCP_CONFIG', 'Not needed: with ROLE=front, the workers call the servers.')]
  try {
    const servers = loadMcpConfig(config.MCP_CONFIG, env)
    const { store, close } = await openMcpStore(config, { log, now })
    const inspected = await inspectServers({ config, servers, store, log, now, say() {} }).finally(close)
    const rules = await ruleFindings(config, inspected, services)
    return [...inspected.map((one) => serverFinding(one, config)), ...rules]
  } catch (error) {
    return [mcp.fault('MCP_CONFIG', messageOf(error))]
  }
}

/** Reports rules that match no tool, because they have no effect. */
async function ruleFindings(
  config: Config,
  inspected: InspectedServer[],
  { log, now }: CheckServices,
): Promise<Finding[]> {
  if (inspected.length === 0 && config.APPROVERS.every(({ name }) => name === undefined)) return []
  const unmatched = await currentUnmatchedRules({ config, log, now }, inspected)
  return unmatched.map(({ setting, rule }) =>
    mcp.fault(setting, `The rule ${rule} matches no tool. Correct the name, or remove the rule.`),
  )
}

function serverFinding({ name, state, words }: InspectedServer, { REDIS_URL, SECRETS_KEY }: Config): Finding {
  if (state === 'up') return mcp.ok(name, `Connected, with ${words}.`)
  if (state === 'down') return mcp.fault(name, `${words} Check its entry in MCP_CONFIG, and whether it runs.`)
  const lacking = Object.entries({ REDIS_URL, SECRETS_KEY }).flatMap(([setting, value]) => (value ? [] : [setting]))
  const first = lacking.length > 0 ? `Set ${lacking.join(' and ')}, then` : 'Log in:'
  return mcp.fault(name, `${words} ${first} npm run mcp -- login ${name}.`)
}
