/**
 * Makes follow-ups standalone. It does so if there are earlier turns (at most `MAX_TURNS`, stores/history/types.ts),
 * unless the dialect's prompt contains them (`carriesHistory`, which understand.ts checks).
 */
import type { Model, ModelRequest, Usage } from '../agent/contracts/model.ts'
import { askOnce } from '../agent/ask-once.ts'
import { withoutThinking } from '../agent/parser/observation-cut.ts'
import { fenceObservation } from '../agent/observation.ts'
import { pastAnswer } from '../agent/prompt-size.ts'
import type { Turn } from '../stores/history/types.ts'
import type { Prompts } from '../base/prompts.ts'

/** A standalone question may be at most twice as long as the original, plus this many characters. */
const MORE_CHARS = 4000

interface CondenseDeps {
  model: Model
  prompts: Prompts
  signal: ModelRequest['signal']
  timeMs?: ModelRequest['timeMs']
  onUsage(usage: Usage): void
}

/**
 * Makes a follow-up understandable without its conversation. `nonce` marks people's words as data; see
 * `fenceObservation`. A thread without history costs no model call. If the model's output is empty, far too long or
 * repeats the prompt, the question stays as it was typed.
 */
export async function condense(
  question: string,
  { turns, said, nonce }: MarkedConversation,
  deps: CondenseDeps,
): Promise<string> {
  if (turns.length === 0) return question
  const { model, prompts, ...call } = deps
  const content = prompts['standalone-question']({ history: transcript({ turns, said, nonce }, prompts), question })
  const standalone = standaloneOf(await askOnce(model, content, call))
  return isTrusted(standalone, question) &&
    !standalone.includes(nonce) &&
    !repeatsPrompt(standalone, question, { turns, prompts })
    ? standalone
    : question
}

/**
 * The conversation as the prompt shows it, in the seed's form. Messages between the turns are in their place, marked as
 * data.
 */
function transcript({ turns, said, nonce }: MarkedConversation, prompts: Prompts): string {
  const data = (text = '') => (text ? [prompts['thread-messages']({ messages: fenceObservation(text, nonce) })] : [])
  const lines = turns.flatMap((turn) => [
    ...data(turn.said),
    `Q: ${turn.standalone || turn.question}\nA: ${pastAnswer(turn.answer)}`,
  ])
  return [...lines, ...data(said)].join('\n')
}

/** A thread's earlier questions with their answers, and people's messages since then (`said`). */
export interface Conversation {
  turns: Turn[]
  said: string
}

interface MarkedConversation extends Conversation {
  nonce: string
}

function standaloneOf(text: string): string {
  const unthought = withoutThinking(text).trim()
  const line = unthought.replace(/^(?:\*\*)?standalone question(?:\*\*)?\s*[:\uff1a]\s*(?:\*\*)?/i, '').trim()
  const quoted = /^"([^"]+)"$/.exec(line)
  return quoted?.[1] ?? line
}

/** Rejects empty output, and output that is far longer than the question. */
function isTrusted(standalone: string, question: string): boolean {
  return standalone !== '' && standalone.length <= question.length * 2 + MORE_CHARS
}

/** The labels of the prompt, and of the conversation in it. */
const LABEL = /^[ \t*_#>-]{0,9}(?:conversation|message|standalone question|q|a)[ \t*_]{0,9}[:\uff1a]/gim

/**
 * Weak models copy the prompt: a sentence of the template, its labels, or an earlier question with its answer. A text
 * that is also in the typed question is not a copy. Neither is an answer alone, because a follow-up may be about it
 * ("translate that").
 */
function repeatsPrompt(
  standalone: string,
  question: string,
  { turns, prompts }: { turns: Turn[]; prompts: Prompts },
): boolean {
  const [rewritten, original] = [folded(standalone), folded(question)]
  const labels = (text: string) => text.match(LABEL)?.length ?? 0
  const isRepeated = (text: string) => rewritten.includes(text) && !original.includes(text)
  const unlabelled = rewritten.replace(/(?<= )a: /g, '')
  const isCopied = ({ standalone, question, answer }: Turn) =>
    answer !== '' && unlabelled.includes(folded(`${standalone || question} ${answer}`))
  return (
    labels(standalone) > labels(question) ||
    sentencesIn(prompts['standalone-question']({ history: '', question: '' })).some(isRepeated) ||
    turns.some(isCopied)
  )
}

/** The sentences of a template that are too long to occur by chance. */
function sentencesIn(template: string): string[] {
  return folded(template)
    .split(/[.:,] /)
    .filter((sentence) => sentence.length > 25)
}

function folded(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase()
}
