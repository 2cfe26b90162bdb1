import { randomInt } from 'node:crypto'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { z } from 'zod'
import { zodInput } from '../../../src/agent/tool-input.ts'
import { runAgent } from '../../../src/agent/agent.ts'
import { textDialect } from '../../../src/agent/dialects/text.ts'
import type { Message, Model } from '../../../src/agent/contracts/model.ts'
import type { Tool } from '../../../src/agent/contracts/tool.ts'
import { loadPrompts } from '../../../src/base/prompts.ts'
import { FOUND, QUESTION, TOOLS, TURNS, zeroShot } from './bench-scene.ts'

/** The tokens of LangChain's own prompt for the three calls, measured once (issue 3). */
const LANGCHAIN_MEASURED = 734

export interface PromptTokens {
  ours: number
  langchain: number
  ratio: number
  ratioToMeasured: number
}

/** Returns the o200k tokens of the prompts of all three calls, ours and LangChain's with the same tools and steps. */
export async function promptTokens(): Promise<PromptTokens> {
  const ours = sum((await ourPrompts()).map((messages) => sum(messages.map(({ content }) => countTokens(content)))))
  const langchain = sum(TURNS.map((_, n) => countTokens(zeroShot(QUESTION, scratchpad(n)))))
  return { ours, langchain, ratio: ours / langchain, ratioToMeasured: ours / LANGCHAIN_MEASURED }
}

async function ourPrompts(): Promise<Message[][]> {
  const prompts: Message[][] = []
  const model: Model = {
    name: 'bench',
    async *stream({ messages }) {
      prompts.push(messages)
      yield { type: 'text', text: TURNS[prompts.length - 1] ?? '' }
    },
  }
  const limits = { maxSteps: 8, timeoutMs: 120_000, toolTimeoutMs: 15_000, toolOutputChars: 4000 }
  const outside = () => Promise.reject(new Error('nothing is fetched here'))
  const agent = {
    model,
    dialect: textDialect(loadPrompts()),
    tools: tools(),
    limits,
    fetch: outside,
    now: () => new Date(),
    newNonce: () => String(randomInt(100_000, 1_000_000)),
  }
  const run = runAgent({ question: QUESTION, signal: new AbortController().signal }, agent)
  for (let next = await run.next(); !next.done; next = await run.next());
  return prompts
}

const FIELDS = { search: 'query', calculator: 'expression' }
const OBSERVATIONS = { search: FOUND, calculator: '12.222222222222221' }

function tools(): Tool[] {
  return TOOLS.map(({ name, description }) => {
    const input = zodInput(z.object({ [FIELDS[name]]: z.string() }))
    return { name, description, ...input, effects: 'read', run: async () => OBSERVATIONS[name] }
  })
}

function scratchpad(turns: number): string {
  const observations = Object.values(OBSERVATIONS)
  return TURNS.slice(0, turns)
    .map((said, i) => `${said}Observation: ${observations[i]}\nThought:`)
    .join('')
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
