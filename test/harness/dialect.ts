import { z } from 'zod'
import { DIALECTS } from '../../src/agent/dialects/index.ts'
import type { DialectName } from '../../src/config.ts'
import type { Completion, Dialect, ParsedTurn, RunView } from '../../src/agent/contracts/dialect.ts'
import type { ToolStep } from '../../src/agent/contracts/run-events.ts'
import type { Tool } from '../../src/agent/contracts/tool.ts'
import { loadPrompts } from '../../src/base/prompts.ts'
import { zodInput } from '../../src/agent/tool-input.ts'

/** The nonce of every run here. */
const NONCE = 'f00d42'

const prompts = loadPrompts()

/** Creates a dialect as the bot does, from the real prompts. */
export function dialect(name: DialectName, examples = 'Question: an example\nThought: …\nAction: Finish[x]'): Dialect {
  return DIALECTS[name].create({ prompts, examples })
}

export function tool(name: string): Tool {
  return {
    name,
    description: `What ${name} does.`,
    ...zodInput(z.object({ query: z.string() })),
    effects: 'read',
    run: async () => '',
  }
}

export const WIKI = [tool('wikipedia'), tool('wikipedia_lookup')]

/** Returns a run at its first turn, with the given changes. */
export function view(more: Partial<RunView> = {}): RunView {
  return { question: 'Who?', tools: WIKI, steps: [], today: '2026-11-21', nonce: NONCE, history: [], ...more }
}

/** Returns the finished step `n`. */
export function step(n: number, more: Partial<ToolStep> = {}): ToolStep {
  const action = { tool: 'wikipedia', input: `entity ${n}`, callId: `c${n}` }
  return {
    kind: 'tool',
    turn: n,
    thought: `I think ${n}.`,
    action,
    observation: { ok: true, text: `page ${n}` },
    ...more,
  }
}

/** Returns the whole prompt as one text. */
export function prompt(name: DialectName, more: Partial<RunView> = {}): string {
  return dialect(name)
    .render(view(more))
    .messages.map((message) => [message.role, message.content, JSON.stringify(message.toolCalls ?? '')].join(': '))
    .join('\n')
}

/** Returns a dialect's reading of a completion. */
export function read(name: DialectName, completion: string | Completion, tools = WIKI): ParsedTurn {
  return dialect(name).read(typeof completion === 'string' ? { text: completion } : completion, tools)
}
