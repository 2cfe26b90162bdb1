/** `npm run cli`: the same agent in a terminal, as seeds 002 (its colours) and 003 (its loop) have it. Needs no Slack. */
import { createInterface } from 'node:readline/promises'
import { createAgent } from './agent-parts.ts'
import type { AnswerDeps, AnswerEvent } from './answer.ts'
import { answer } from './answer.ts'
import { inputText } from './agent/input.ts'
import { loadConfig, readEnv } from './config.ts'
import { messageOf, ModelError } from './errors.ts'
import { embeddedHistory } from './history/embedded.ts'
import { createLog } from './log.ts'
import { demoModel } from './model/demo.ts'
import { createNet } from './net.ts'
import { embeddedRun } from './run/embedded.ts'
import { freshRun } from './run/saved.ts'
import type { Question } from './run/types.ts'

const paint = (code: number) => (text: string) => (process.stdout.isTTY ? `\u001b[${code}m${text}\u001b[0m` : text)
const blue = paint(34)
const green = paint(32)
const red = paint(31)

async function main(): Promise<void> {
  const config = loadConfig(readEnv())
  const isDemo = !config.OPENAI_API_KEY && !config.OPENAI_BASE_URL
  const agent = await createAgent(config, { log: createLog('silent'), net: createNet(config), ...(isDemo ? { model: demoModel() } : {}) })
  const deps = { ...agent.answer, history: embeddedHistory({ maxTurns: config.HISTORY_MAX_TURNS, ttlMs: 86_400_000 }) }
  console.log(`Model: ${agent.answer.agent.model.name}. Tools: ${agent.answer.agent.tools.map((t) => t.name).join(', ')}. An empty line ends it.`)
  if (isDemo) console.log('No model is set (OPENAI_API_KEY or OPENAI_BASE_URL): this is the rule-based demo.')
  const terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: 'How can I help? ' })
  terminal.prompt()
  for await (const line of terminal) {
    if (line.trim() === '') break
    await ask(line.trim(), deps)
    terminal.prompt()
  }
  terminal.close()
  await agent.close()
}

let asked = 0

async function ask(text: string, deps: AnswerDeps): Promise<void> {
  const id = `cli-${++asked}`
  const question: Question = { id, team: 'cli', channel: 'cli', thread: 'cli', user: 'you', text, surface: 'dm', at: Date.now() }
  const run = embeddedRun(freshRun(Date.now()), () => true)
  try {
    for await (const event of answer(question, run, { ...deps, signal: new AbortController().signal })) show(event)
  } catch (error) {
    console.log(red(error instanceof ModelError ? error.hint : messageOf(error)))
  }
}

function show(event: AnswerEvent): void {
  if (event.type === 'understood') console.log(blue(`Understood as: ${event.question}`))
  if (event.type === 'thought' && event.text) console.log(blue(`Thought: ${event.text}`))
  if (event.type === 'action') console.log(blue(`Tool: ${event.action.tool}\nInput: ${inputText(event.action.input)}`))
  if (event.type === 'observation') console.log(event.observation.ok ? blue(`Observation: ${event.observation.text}\n`) : red(`Observation: ${event.observation.text}\n`))
  if (event.type === 'answer') console.log(green(event.text))
  if (event.type === 'gave_up') console.log(red(event.text))
}

main().catch((error: unknown) => {
  console.error(red(messageOf(error)))
  process.exit(1)
})
