/** `npm run tool -- NAME INPUT`: calls one tool without a model and prints its observation. */
import { observationOf } from '../agent/call-tool.ts'
import { coerceInput } from '../agent/tool-input.ts'
import type { Tool } from '../agent/contracts/tool.ts'
import { settledWithin } from '../base/async.ts'
import { ConfigError, messageOf } from '../base/errors.ts'
import { createNetwork } from '../base/http/proxy.ts'
import { createLog } from '../base/log.ts'
import { loadConfig, readEnv, type Config } from '../config.ts'
import type { AgentParts } from '../question/agent/agent-parts.ts'
import { everyToolName, leftOutSentence, type BrokenToolFile } from '../toolbox/toolbox.ts'
import { asksHelp } from './command.ts'
import { commandContext, openTools } from './tool-context.ts'

const USAGE = `Usage: npm run tool -- NAME INPUT
  Calls one tool, built-in or from CUSTOM_TOOLS_DIR, and prints what the model would read. No model is called.
  A tool that writes does so without asking for approval.
  INPUT is text, or a JSON object for a tool with several fields. Without NAME, the tools are listed.

  npm run tool -- calculator '29^0.23'
  npm run tool -- weekday 2026-11-21`

/** Opens the tools. None of them is given a model. */
async function open(config: Config, leftOut: (one: BrokenToolFile) => void): Promise<AgentParts> {
  const sources = { log: createLog('silent'), net: await createNetwork(config), now: () => new Date() }
  return openTools({ ...config, INSTRUCTIONS_FILE: undefined }, { ...sources, leftOut })
}

/** Prefers the tools that are on. A built-in one that is off can be called too. */
async function openWith(name: string | undefined, config: Config): Promise<AgentParts> {
  const agent = await open(config, (one) => console.error(leftOutSentence(one)))
  if (name === undefined || agent.defaults.tools.some((tool) => tool.name === name)) return agent
  await agent.close()
  return open({ ...config, TOOLS: everyToolName(config) }, () => undefined)
}

/** @returns the exit code */
async function call(tool: Tool, text: string, agent: AgentParts, config: Config): Promise<number> {
  const input = coerceInput(tool, text)
  if (!input.ok) return failed(input.problem)
  const ms = config.TOOL_TIMEOUT_MS
  const context = commandContext(agent, AbortSignal.timeout(ms))
  const running = Promise.resolve().then(() => tool.run(input.value, context))
  if (!(await settledWithin(ms, [running]))) return failed(`${tool.name} did not finish within ${ms / 1000} s.`)
  const output = await running
  if (typeof output === 'object' && 'asks' in output) return failed(`${tool.name} asks: ${output.asks.message}`)
  const whole = typeof output === 'string' ? { text: output } : output
  const { text: said, sources = [] } = observationOf(whole, config.TOOL_OUTPUT_CHARS)
  console.log([said, ...sources.map(({ title, url }) => `Source: ${title} ${url}`)].join('\n'))
  return 0
}

function failed(sentence: string): number {
  console.error(sentence)
  return 1
}

async function main([name, ...words]: string[]): Promise<number> {
  if (name !== undefined && asksHelp([name])) {
    console.log(USAGE)
    return 0
  }
  const config = loadConfig(readEnv())
  const agent = await openWith(name, config)
  const { tools } = agent.defaults
  if (name === undefined) {
    for (const tool of tools) console.log(`${tool.name}: ${tool.description}`)
    return 0
  }
  const tool = tools.find((one) => one.name === name)
  if (tool) return call(tool, words.join(' '), agent, config)
  throw new ConfigError(`There is no tool ${name}. There are: ${tools.map((one) => one.name).join(', ')}.`)
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(messageOf(error))
  process.exitCode = 1
}
// A tool that ignored its signal may still be running.
process.stdout.write('', () => process.exit())
