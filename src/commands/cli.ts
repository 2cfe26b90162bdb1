/**
 * `npm run cli`: the same agent in a terminal, without Slack. From a pipe it answers each line. `--json` prints only
 * the events, as JSON lines.
 */
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { createAgent } from '../question/agent/create-agent.ts'
import { mainCommand, type CommandIo } from './command.ts'
import { ChatSession } from './cli/conversation.ts'
import { givenFiles } from './cli/given-files.ts'
import { JsonLines, TerminalOutput, type Output } from './cli/output.ts'
import { loadConfig } from '../config.ts'
import { loadDemo } from './cli/demo.ts'
import { ConfigError, messageOf } from '../base/errors.ts'
import { createLog } from '../base/log.ts'
import { checkBudgetPrices } from '../model/prices.ts'
import { createNetwork } from '../base/http/proxy.ts'
import { leftOutSentence, type BrokenToolFile } from '../toolbox/toolbox.ts'
import { createValues, MCP_ROOM } from '../stores/values/value-store.ts'
import { memoryKv } from '../stores/kv/memory-kv.ts'

const HELP = `Talk to the agent in a terminal, or line by line from a pipe. Needs no Slack settings. Without a model, the demo answers.

  npm run cli
  npm run cli -- --file sales.csv                   about a file, or several
  echo question | npm run --silent cli -- --json    prints only the events, as JSON lines

Inside, /help lists the commands.`

async function run(io: CommandIo): Promise<number> {
  const { json, file = [] } = parseOptions(io.args)
  const env = io.readEnv()
  const output = json ? new JsonLines(io.stdout) : new TerminalOutput(io.stdout, !env.NO_COLOR)
  const configured = loadConfig(env)
  const isDemo = !configured.OPENAI_API_KEY && !configured.OPENAI_BASE_URL
  // The demo speaks only one dialect.
  const config = isDemo ? { ...configured, AGENT_DIALECT: 'text' as const } : configured
  const leftOut = (one: BrokenToolFile) => io.complain(leftOutSentence(one))
  const model = isDemo ? (await loadDemo()).demoModel() : undefined
  if (!isDemo) checkBudgetPrices(config, createLog('silent'), ['RUN_MAX_USD'])
  const net = await createNetwork(config)
  // The knowledge about servers, including pins, ends with the conversation.
  const mcpStore = config.MCP_CONFIG ? createValues(memoryKv({ now: Date.now }), { room: MCP_ROOM }) : undefined
  const now = () => new Date()
  const agent = await createAgent(config, { log: createLog('silent'), net, now, model, leftOut, mcpStore })
  const { toolOutputChars: maxChars } = agent.defaults.limits
  const loadFiles = await givenFiles(file, { maxChars, now: Date.now })
  const conversation = new ChatSession(agent, output, { saysFigures: config.FIGURES === 'on', loadFiles })
  await conversation.prepare()
  for (const { server, tool, why } of agent.mcp?.off() ?? [])
    io.complain(tool === '' ? why : `${tool} of ${server} ${why}.`)
  output.note(`Model: ${agent.defaults.model.name}. Tools: ${conversation.toolNames()}. Type /help for the commands.`)
  if (isDemo)
    output.note(
      'No model is set (OPENAI_API_KEY or OPENAI_BASE_URL), so this is the demo: recorded answers and a few rules.',
    )
  await converse(conversation, output, io)
  await agent.close()
  return 0
}

/** @throws ConfigError for an unknown option */
function parseOptions(args: string[]): { json?: boolean; file?: string[] } {
  try {
    return parseArgs({ args, options: { json: { type: 'boolean' }, file: { type: 'string', multiple: true } } }).values
  } catch (error) {
    throw new ConfigError(`${messageOf(error).split('. ')[0]}. The options are --file, --json and --help.`)
  }
}

async function converse(conversation: ChatSession, output: Output, { stdin, stdout }: CommandIo): Promise<void> {
  const isTerminal = Boolean(stdin.isTTY && stdout.isTTY)
  const lines = createInterface({
    input: stdin,
    ...(isTerminal ? { output: stdout, prompt: 'How can I help? ' } : {}),
  })
  // Ctrl-C ends the current question; without one, the conversation.
  const interrupt = () => (conversation.interrupt() ? output.note('Stopped.') : lines.close())
  lines.on('SIGINT', interrupt)
  process.on('SIGINT', interrupt)
  if (isTerminal) lines.prompt()
  for await (const line of lines) {
    if (line.trim() !== '') await conversation.take(line.trim())
    if (isTerminal) lines.prompt()
  }
  process.off('SIGINT', interrupt)
}

export default await mainCommand(import.meta, HELP, (io) =>
  run(io).catch((error: unknown) => {
    throw error instanceof ConfigError ? error : new Error(`Could not start: ${messageOf(error)}`, { cause: error })
  }),
)
