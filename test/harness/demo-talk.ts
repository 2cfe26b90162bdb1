import { afterAll, beforeAll } from 'vitest'
import type { Message } from '../../src/agent/contracts/model.ts'
import { answer } from '../../src/question/answer.ts'
import { loadConfig } from '../../src/config.ts'
import type { AgentParts } from '../../src/question/agent/agent-parts.ts'
import { createAgent } from '../../src/question/agent/create-agent.ts'
import { createHistory } from '../../src/stores/history/history-store.ts'
import { memoryKv } from '../../src/stores/kv/memory-kv.ts'
import { createLog } from '../../src/base/log.ts'
import { demoModel } from '../../playground/demo/demo-model.ts'
import { startWiki, type Wiki } from '../../playground/wiki/wiki.ts'
import { createNetwork } from '../../src/base/http/proxy.ts'
import { embeddedRun } from '../../src/stores/runs/memory-run.ts'
import { freshRun } from '../../src/stores/runs/types.ts'

/** The demo's work on one question. */
export interface DemoTurn {
  used: { tool: string; input: unknown }[]
  answer: string
}

/**
 * Runs the demo with the real loop, the real tools and the shipped wiki pages, while the tests of a file or a
 * `describe` run. `talk` has a conversation in one thread, and returns a turn for each question.
 */
export function demoOnWiki(): { wiki(): Wiki; talk(...questions: string[]): Promise<DemoTurn[]> } {
  let wiki: Wiki
  let agent: AgentParts
  beforeAll(async () => {
    wiki = await startWiki()
    const config = loadConfig({ WIKIPEDIA_API_URL: wiki.url })
    const net = await createNetwork(config)
    agent = await createAgent(config, { log: createLog('silent'), net, now: () => new Date(), model: demoModel() })
  })
  afterAll(async () => {
    await agent.close()
    await wiki.close()
  })
  return { wiki: () => wiki, talk: (...questions) => conversation(agent, questions) }
}

async function conversation(agent: AgentParts, questions: string[]): Promise<DemoTurn[]> {
  const history = createHistory(memoryKv({ now: Date.now }), { log: createLog('silent'), ttlMs: 60_000 })
  const turns: DemoTurn[] = []
  for (const [n, text] of questions.entries()) {
    const place = {
      id: `q${n}`,
      team: 'T',
      channel: 'C',
      thread: 't',
      user: 'U',
      surface: 'dm' as const,
      kind: 'asked' as const,
    }
    const run = embeddedRun(freshRun(Date.now()), () => true)
    const turn: DemoTurn = { used: [], answer: '' }
    const { defaults, prompts, condenseModel } = agent
    const deps = { agent: defaults, prompts, condenseModel, history, signal: new AbortController().signal }
    for await (const event of answer({ ...place, text, at: Date.now() }, run, deps)) {
      if (event.type === 'action') turn.used.push(event.step.action)
      if (event.type === 'answer') turn.answer = event.text
    }
    turns.push(turn)
  }
  return turns
}

/** Returns a prompt of the text dialect, with these tools and observations. */
export function demoPrompt(
  question: string,
  options: { tools?: string[]; observations?: string[]; end?: string } = {},
): Message[] {
  const { tools = ['calculator', 'wikipedia', 'wikipedia_lookup'], observations = [], end = 'Thought:' } = options
  const steps = observations.map((text) => `Thought: t\nAction: a\nAction Input: i\nObservation: <k7>${text}</k7>\n`)
  const frame = `Today is 2026-11-21.\n\nUse this format:\n\nQuestion: the question\nAction: one of [${tools.join(', ')}]\nAction Input: the input\n`
  return [
    { role: 'system', content: frame },
    { role: 'user', content: `Question: ${question}\n${steps.join('')}${end}` },
  ]
}

/** Returns the tool and the input of a completion. */
export function actionIn(completion: string): string[] | undefined {
  return /Action: (.*)\nAction Input: ([^]*)$/.exec(completion)?.slice(1)
}

/** Returns the final answer in a completion. */
export function finalIn(completion: string): string | undefined {
  return /Final Answer: ([^]*)$/.exec(completion)?.[1]
}
