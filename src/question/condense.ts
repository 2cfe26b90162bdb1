/**
 * Makes follow-ups standalone. It does so if there are earlier turns (at most `MAX_TURNS`, stores/history/types.ts),
 * unless the dialect's prompt contains them (`carriesHistory`).
 */
import type { AgentDeps } from '../agent/agent.ts'
import type { Message, Model, ModelRequest, Usage } from '../agent/contracts/model.ts'
import type { AgentEvent } from '../agent/contracts/run-events.ts'
import { readReply } from '../agent/ask-once.ts'
import { withoutThinking } from '../agent/parser/observation-cut.ts'
import { leftOutNote, newestPart } from '../agent/fit-prompt.ts'
import { cutMiddle, fenceObservation } from '../agent/observation.ts'
import { pastAnswer } from '../agent/prompt-size.ts'
import { tooSlow } from '../base/errors.ts'
import { isTooLong } from '../model/failures.ts'
import type { Prompts } from '../base/prompts.ts'
import type { Conversation, Turn } from '../stores/history/types.ts'
import type { HeardSignals } from './heard-signals.ts'
import type { Question, Run } from '../stores/runs/types.ts'
import { isAboutConversation } from './about-conversation.ts'
import { saveQuietly, unsavedUsage } from './save-run-parts.ts'

type UsageEvent = Extract<AgentEvent, { type: 'usage' }>

interface FollowUpDeps extends Conversation {
  agent: AgentDeps
  prompts: Prompts
  condenseModel: Model
  heard: HeardSignals
  signal: AbortSignal
}

/**
 * Yields the usage of the call, and returns the standalone form. A question that is not a follow-up, or is about the
 * conversation itself, is returned as it was typed. Saves the form, so that a run that continues in another process
 * uses the same.
 */
export async function* condenseFollowUp(
  question: Question,
  run: Run,
  deps: FollowUpDeps,
): AsyncGenerator<UsageEvent, string> {
  if (run.saved.standalone !== undefined) return run.saved.standalone
  if (deps.agent.dialect.carriesHistory || deps.turns.length === 0 || isAboutConversation(question.text))
    return question.text
  const used: Usage[] = []
  const unsaved = () => unsavedUsage(run, [...run.saved.usage, ...used])
  const from = deps.agent.now().getTime()
  try {
    const standalone = await condenseInTime(question.text, deps, (usage) => used.push(usage))
    await run.save({ part: 'standalone', value: standalone }, ...unsaved())
    return standalone
  } catch (error) {
    await saveQuietly(run, unsaved())
    // The agent, which runs next, reports that the run was stopped.
    if (deps.heard.stopAsked().aborted && !deps.signal.aborted) return question.text
    throw error
  } finally {
    for (const usage of used) yield { type: 'usage', usage, ms: deps.agent.now().getTime() - from }
  }
}

/** Condensing gets at most half of the run's time, so that a silent model does not keep people waiting. */
async function condenseInTime(text: string, deps: FollowUpDeps, onUsage: (usage: Usage) => void): Promise<string> {
  const timeMs = deps.agent.limits.timeoutMs / 2
  const time = AbortSignal.timeout(timeMs)
  const signal = AbortSignal.any([deps.signal, time, deps.heard.stopAsked()])
  const { prompts, condenseModel: model, turns, said } = deps
  const nonce = deps.agent.newNonce()
  try {
    return await condense(text, { turns, said, nonce }, { prompts, model, signal, timeMs, onUsage })
  } catch (error) {
    if (!time.aborted || deps.signal.aborted) throw error
    throw tooSlow('the model did not condense in time', error)
  }
}

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
 * `fenceObservation`. A thread without history costs no model call. If the prompt does not fit into the
 * model's window, or the output is empty, far too long or repeats the prompt, the question stays as it was typed.
 */
export async function condense(
  question: string,
  { turns, said, nonce }: MarkedConversation,
  deps: CondenseDeps,
): Promise<string> {
  if (turns.length === 0) return question
  const { model, prompts, ...call } = deps
  const worked = workedFollowUps(prompts)
  const promptOf = (kept: Conversation, leftOut = 0): Message[] => {
    const history = transcript({ ...kept, nonce }, prompts)
    const note = leftOut > 0 ? `${leftOutNote(leftOut, 'question')}\n` : ''
    return [...worked, { role: 'user', content: prompts['standalone-question']({ history: note + history, question }) }]
  }
  const fit = shorterConversation(question, { turns, said }, promptOf)
  const standalone = standaloneOf(await replyTo(model, { ...call, fit, messages: promptOf({ turns, said }) }))
  return isTrusted(standalone, question) &&
    !standalone.includes(nonce) &&
    !repeatsPrompt(standalone, question, turns, prompts, worked)
    ? standalone
    : question
}

/** What is too long to be condensed may be short enough to be answered. If not, the agent says so. */
async function replyTo(model: Model, request: ModelRequest): Promise<string> {
  try {
    return (await readReply(model, request)).text
  } catch (error) {
    if (isTooLong(error)) return ''
    throw error
  }
}

/** Leaves out the oldest turns until the prompt fits, then shortens the newest one and people's messages. */
function shorterConversation(
  asked: string,
  { turns, said }: Conversation,
  promptOf: (kept: Conversation, leftOut?: number) => Message[],
): NonNullable<ModelRequest['fit']> {
  return (max, count) => {
    let messages = promptOf({ turns, said })
    const isLong = () => count({ messages }) > max
    for (let left = 1; left < turns.length && isLong(); left += 1)
      messages = promptOf({ turns: turns.slice(left), said }, left)
    for (let chars = MAX_PART; chars >= MIN_PART && isLong(); chars /= 2)
      messages = promptOf(
        { turns: turns.slice(-1).map((turn) => shortened(turn, chars)), said: newestPart(said, chars) },
        turns.length - 1,
      )
    return {
      messages,
      question: isLong() ? count({ messages: [{ role: 'user', content: asked }] }) : 0,
      leftOut: ['the thread'],
    }
  }
}

/** The most and the least that is left of people's messages, and of the newest turn's parts. Characters. */
const MAX_PART = 4_000
const MIN_PART = 200

function shortened(turn: Turn, chars: number): Turn {
  const { question, standalone, answer, said } = turn
  const parts = {
    question: cutMiddle(question, chars),
    standalone: cutMiddle(standalone, chars),
    answer: cutMiddle(answer, chars),
  }
  return { ...turn, ...parts, ...(said === undefined ? {} : { said: newestPart(said, chars) }) }
}

/** The worked follow-ups as messages: what is asked, up to its label, then the standalone question on one line. */
function workedFollowUps(prompts: Prompts): Message[] {
  const parts = prompts['standalone-turns']({}).split(/(?<=^Standalone question:)\n(.+)\n*/m)
  return parts
    .filter((part) => part !== '')
    .map((content, i) => ({ role: i % 2 === 0 ? ('user' as const) : ('assistant' as const), content }))
}

/**
 * The conversation as the prompt shows it, in the form of "langchain-mini". Messages between the turns are in their
 * place, marked as data.
 */
function transcript({ turns, said, nonce }: MarkedConversation, prompts: Prompts): string {
  const data = (text = '') => (text ? [prompts['thread-messages']({ messages: fenceObservation(text, nonce) })] : [])
  const lines = turns.flatMap((turn) => [
    ...data(turn.said),
    `Q: ${turn.standalone || turn.question}\nA: ${pastAnswer(turn.answer)}`,
  ])
  return [...lines, ...data(said)].join('\n')
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
  turns: Turn[],
  prompts: Prompts,
  worked: Message[],
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
    turns.some(isCopied) ||
    worked.some(({ role, content }) => role === 'assistant' && isRepeated(folded(content)))
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
