import type { Model, ModelRequest, Usage } from './agent/types.ts'
import { ask } from './agent/ask.ts'
import { cutMiddle } from './agent/observation.ts'
import type { Turn } from './history/types.ts'
import type { Prompts } from './prompts.ts'

/** Longer answers lose their middle in the prompt; what a follow-up points at stands at the start or the end. */
const ANSWER_CHARS = 1500
/** By so much more than twice the typed question may its standalone form be longer. */
const MORE_CHARS = 4000

/**
 * Makes a follow-up understandable without its conversation (the standalone-question prompt of seed 003, "merge.txt").
 * A thread without history costs no model call. What the model returns empty or labelled is not trusted: the question stays.
 */
export async function condense(
  question: string,
  turns: Turn[],
  deps: Pick<ModelRequest, 'signal' | 'timeMs'> & { model: Model; prompts: Prompts; onUsage(usage: Usage): void },
): Promise<string> {
  if (turns.length === 0) return question
  const { model, prompts, ...call } = deps
  const content = prompts['standalone-question']({ history: transcript(turns), question })
  return trusted(standaloneOf(await ask(model, content, call)), question)
}

/** The conversation as the prompt shows it, in the seed's form. */
function transcript(turns: Turn[]): string {
  return turns
    .map((turn) => `Q: ${turn.standalone || turn.question}\nA: ${cutMiddle(turn.answer, ANSWER_CHARS)}`)
    .join('\n')
}

function standaloneOf(text: string): string {
  const unthought = text.replace(/^[\s\S]*<\/think>/, '').trim()
  const line = unthought.replace(/^(?:\*\*)?standalone question(?:\*\*)?\s*[:\uff1a]\s*(?:\*\*)?/i, '').trim()
  const quoted = /^"([^"]+)"$/.exec(line)
  return quoted?.[1] ?? line
}

/** Nothing, or far more than a question needs, was no rewriting: the question stays as it was typed, whole. */
function trusted(standalone: string, question: string): string {
  const isSound = standalone !== '' && standalone.length <= question.length * 2 + MORE_CHARS
  return isSound ? standalone : question
}
