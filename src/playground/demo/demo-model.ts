/**
 * The demo model: a handful of rules that read a prompt and write completions in the text dialect, so that the bot can be
 * tried without a key. It goes the whole way that a model goes (prompt, loop, tools); what it says comes from observations.
 */
import type { Message, Model, ModelEvent, ModelRequest } from '../../agent/types.ts'
import { followers, invoices } from './accounts.ts'
import { ages } from './ages.ts'
import { relations, throughSomebody } from './chains.ts'
import { standalone } from './follow-up.ts'
import { advance, answered, type Final, type Move, type Rule } from './plan.ts'
import { readPrompt, type Asked } from './read-prompt.ts'
import { sums } from './sums.ts'
import { definitions, onlyDemo, topics } from './topics.ts'
import { writeFile } from './write-file.ts'

/** The first rule that understands a question answers it. */
const RULES: Rule[] = [writeFile, invoices, followers, sums, ages, throughSomebody, relations, definitions, topics]

/** Longer questions are not read. */
const MOST_QUESTION = 1000

export interface DemoOptions {
  /** A pause between two pieces of a stream, so that a person sees it come; none by default. */
  paceMs?: number
  /** True answers with the value alone where there is one, for whoever compares it with another. */
  isBare?: boolean
}

export function demoModel(options: DemoOptions = {}): Model {
  return { name: 'demo', stream: (request) => streamDemo(request, options) }
}

/** The demo speaks this one dialect. */
export const DEMO_DIALECT = 'text'

/**
 * Writes a completion word by word. The usage is told even when the caller stops listening, as real endpoints bill
 * it.
 */
async function* streamDemo(
  request: ModelRequest,
  { paceMs = 0, isBare = false }: DemoOptions,
): AsyncGenerator<ModelEvent> {
  let written = ''
  try {
    for (const piece of complete(request.messages, isBare).match(/\S+\s*|\s+/g) ?? []) {
      if (paceMs > 0) await new Promise((resolve) => setTimeout(resolve, paceMs))
      if (request.signal.aborted) return
      written += piece
      yield { type: 'text', text: piece }
    }
  } finally {
    request.onUsage?.({
      model: 'demo',
      inputTokens: tokensOf(request.messages),
      outputTokens: Math.ceil(written.length / 4),
      estimated: true,
    })
  }
}

/** About four characters a token. */
function tokensOf(messages: Message[]): number {
  return Math.ceil(messages.reduce((sum, message) => sum + message.content.length, 0) / 4)
}

/** What the demo writes to a prompt. */
export function complete(messages: Message[], isBare = false): string {
  const prompt = readPrompt(messages)
  if (prompt.kind === 'standalone') return standalone(prompt.history, prompt.followUp)
  if (prompt.kind === 'foreign') return foreignWords(messages)
  const { asked } = prompt
  const next = asked.finalTurn ? finalAnswer(asked) : think(asked)
  return write('answer' in next && isBare ? { ...next, answer: valueOf(next.answer) } : next)
}

/** The value that an answer sets in bold, the last of several; an answer that is none but words stays. */
function valueOf(answer: string): string {
  return /^[^]*\*\*([^*\n]{1,200})\*\*/.exec(answer)?.[1] ?? answer
}

/** To a prompt in another dialect the demo says, in that dialect's way to answer, that it does not speak it. */
function foreignWords(messages: Message[]): string {
  const words = 'I am only the demo, and I speak only AGENT_DIALECT=text.'
  const whole = messages.map((message) => message.content).join('\n')
  if (whole.includes('Finish[')) return ` I do not speak this form.\nAction: Finish[${words}]`
  if (whole.includes('So the final answer is:')) return `So the final answer is: ${words}`
  if (/^AI: /m.test(whole)) return `Thought: Do I need to use a tool? No\nAI: ${words}`
  return whole.includes('Final Answer') ? ` I do not speak this form.\nFinal Answer: ${words}` : words
}

/** Tries the rules in order. A question that no rule understands gets an honest word rather than a guess. */
function think(asked: Asked): Move | Final {
  if (asked.question.length <= MOST_QUESTION) {
    for (const rule of RULES) {
      const plan = rule(asked)
      if (plan) return advance(plan, asked.observations)
    }
  }
  return answered(onlyDemo(asked), 'This is beyond my few rules.')
}

/** The final turn may use no tool: the answer is what was seen last. */
function finalAnswer(asked: Asked): Final {
  const seen = asked.observations.at(-1)
  return answered(seen ? `I had to stop here. The last thing that I saw: ${seen.slice(0, 300)}` : onlyDemo(asked))
}

/** In the text dialect, after the prompt's "Thought:". */
function write(next: Move | Final): string {
  if ('answer' in next) return ` ${next.thought}\nFinal Answer: ${next.answer}`
  return ` ${next.thought}\nAction: ${next.tool}\nAction Input: ${next.input}`
}
