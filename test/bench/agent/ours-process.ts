/** Thinkaloud's agent as the bot runs it: the built loop, dialect, model adapter and calculator. */
import { randomInt } from 'node:crypto'
import { z } from 'zod'
import type * as AgentModule from '../../../src/agent/agent.ts'
import type * as DialectsModule from '../../../src/agent/dialects/index.ts'
import type { Tool } from '../../../src/agent/contracts/tool.ts'
import type * as ConfigModule from '../../../src/config.ts'
import type * as LogModule from '../../../src/base/log.ts'
import type * as ModelsModule from '../../../src/model/choose-model.ts'
import type * as PromptsModule from '../../../src/base/prompts.ts'
import type * as ProxyModule from '../../../src/base/http/proxy.ts'
import type * as CalculatorModule from '../../../tools/calculator.ts'
import { ANSWER, FOUND, LONG_ANSWER, QUESTION, TOOLS } from './bench-scene.ts'
import { serveRounds } from './side.ts'
import { zodInput } from '../../../src/agent/tool-input.ts'

const [, , baseURL = '', dist = '', mode = ''] = process.argv
const built = <Module>(path: string) => import(`${dist}/${path}.js`) as Promise<Module>
const { runAgent } = await built<typeof AgentModule>('src/agent/agent')
const { DIALECTS } = await built<typeof DialectsModule>('src/agent/dialects/index')
const { loadConfig } = await built<typeof ConfigModule>('src/config')
const { createLog } = await built<typeof LogModule>('src/base/log')
const { createModels } = await built<typeof ModelsModule>('src/model/choose-model')
const { createNetwork } = await built<typeof ProxyModule>('src/base/http/proxy')
const { loadPrompts } = await built<typeof PromptsModule>('src/base/prompts')
const { calculator } = await built<typeof CalculatorModule>('tools/calculator')

const search: Tool<{ query: string }> = {
  ...TOOLS[0],
  ...zodInput(z.object({ query: z.string() })),
  effects: 'read',
  run: async () => FOUND,
}
const config = loadConfig({
  OPENAI_API_KEY: 'bench',
  OPENAI_BASE_URL: baseURL,
  OPENAI_MODEL: 'bench',
  OPENAI_STREAM: String(mode === 'streamed'),
})
const agent = {
  model: createModels({ config, log: createLog('silent'), net: await createNetwork({}), now: Date.now }).model,
  dialect: DIALECTS.text.create({ prompts: loadPrompts(), examples: '' }),
  tools: [search, { ...calculator(), description: TOOLS[1].description }] as Tool[],
  limits: { maxSteps: 8, timeoutMs: 120_000, toolTimeoutMs: 15_000, toolOutputChars: 4000 },
  fetch: () => Promise.reject(new Error('nothing is fetched here')),
  now: () => new Date(),
  newNonce: () => String(randomInt(100_000, 1_000_000)),
}

async function ask(): Promise<string> {
  let answer = ''
  for await (const event of runAgent({ question: QUESTION, signal: new AbortController().signal }, agent)) {
    if (event.type === 'answer') answer = event.text
  }
  return answer
}

serveRounds(ask, mode === 'streamed' ? LONG_ANSWER : ANSWER)
