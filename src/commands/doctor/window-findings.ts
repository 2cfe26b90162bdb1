/** Checks how many tokens the model takes at once, and how fast it reads and writes, by one long prompt. */
import type { Message, Model, Usage } from '../../agent/contracts/model.ts'
import type { Config } from '../../config.ts'
import { isTimeUp } from '../../base/errors.ts'
import type { Network } from '../../base/http/proxy.ts'
import { operatorSentence } from '../../model/failure-for-operator.ts'
import { ListedWindows } from '../../model/model-list.ts'
import { promptCounter } from '../../model/tokens.ts'
import { findingsAbout, type Finding } from './finding.ts'

const { ok, note } = findingsAbout('model')

/** How long the prompt may take, in milliseconds: a small computer reads 60 tokens a second. */
const LONG_MS = 150_000
/**
 * The length of the prompt in tokens: above the smallest usual window, or only for the speed if the window is known.
 */
const LONG = 7_000
const FOR_SPEED = 1_200

export async function windowFindings(model: Model, config: Config, net: Network, now: () => number) {
  const window = config.OPENAI_CONTEXT_TOKENS ?? (await new ListedWindows({ config, net, now }).of(model.name))
  const isKnown = window !== undefined || config.OPENAI_BASE_URL === undefined
  const messages = await promptOf(Math.min(isKnown ? FOR_SPEED : LONG, (window ?? Infinity) / 2), now())
  const signal = AbortSignal.timeout(LONG_MS)
  try {
    const read = await readingOf(model, messages, signal, now)
    const whole = window === undefined ? cutFinding(read, isKnown) : ok('window', knownWindow(window, config))
    return [...(whole ? [whole] : []), ...(config.OPENAI_STREAM ? speedFindings(read, config) : [])]
  } catch (error) {
    if (!isTimeUp(signal)) return [note('window', operatorSentence(error))]
    const seconds = LONG_MS / 1000
    return [
      note(
        'speed',
        `It did not answer a long prompt within ${seconds} s. Choose a smaller model, or a faster computer.`,
      ),
    ]
  }
}

/** The time is at the beginning, so that nothing of it is in the server's cache. */
async function promptOf(tokens: number, now: number): Promise<Message[]> {
  const count = await promptCounter()
  const line = 'The harbour office opens at nine and closes at five, and on Sundays it stays closed. '
  const perLine = count({ messages: [{ role: 'user', content: line.repeat(10) }] }) / 10
  const lines = Math.ceil(tokens / perLine)
  return [
    { role: 'system', content: `This is check ${now}. Answer in one line.` },
    { role: 'user', content: `${line.repeat(lines)}\n\nCount from 1 to 20, with commas.` },
  ]
}

interface LongAnswer {
  usage: Usage | undefined
  /** Tokens that were sent, by our estimate. */
  sent: number
  /** Milliseconds to the first word, and from there to the end. */
  firstMs: number
  restMs: number
}

async function readingOf(
  model: Model,
  messages: Message[],
  signal: AbortSignal,
  now: () => number,
): Promise<LongAnswer> {
  let usage: Usage | undefined
  let firstAt: number | undefined
  const from = now()
  const call = { messages, signal, timeMs: LONG_MS, onUsage: (one: Usage) => void (usage = one) }
  for await (const event of model.stream(call))
    if (event.type === 'text' || event.type === 'reasoning') firstAt ??= now()
  const end = now()
  const sent = (await promptCounter())({ messages })
  return { usage, sent, firstMs: (firstAt ?? end) - from, restMs: end - (firstAt ?? end) }
}

function knownWindow(window: number, { OPENAI_CONTEXT_TOKENS: given }: Config): string {
  const takes = `Its window is ${number(window)} tokens, according to ${given === undefined ? 'the endpoint' : 'OPENAI_CONTEXT_TOKENS'}.`
  return window < LONG ? `${takes} Long conversations are shortened; a larger window would keep more of them.` : takes
}

/** OpenAI itself says nothing, and refuses what is too long. */
function cutFinding({ usage, sent }: LongAnswer, isKnown: boolean): Finding | undefined {
  if (isKnown) return undefined
  const about = `a prompt of about ${number(sent)} tokens`
  if (!usage || usage.estimated)
    return ok('window', `It answered ${about}. It reports no usage, so the bot cannot tell whether it read all of it.`)
  const { inputTokens, sentTokens } = usage
  if (sentTokens !== undefined)
    return note(
      'window',
      `It read only ${number(inputTokens)} of about ${number(sentTokens)} tokens, without an error: long prompts lose ` +
        `their beginning. Give it a larger window (Ollama: OLLAMA_CONTEXT_LENGTH=16384), or set ` +
        `OPENAI_CONTEXT_TOKENS=${inputTokens}.`,
    )
  return inputTokens < sent / 2
    ? ok('window', `It refused ${about}. The bot shortens what is too long.`)
    : ok('window', `It read ${about} whole.`)
}

/** A usual question, in tokens: the first prompt, what each of three steps adds, and what is written. */
const QUESTION = { prompt: 2_500, steps: 3, stepRead: 500, stepWritten: 80, answer: 150 }
/** Faster is not told apart, in tokens a second. */
const MAX_RATE = 20_000

function speedFindings({ usage, firstMs, restMs }: LongAnswer, { AGENT_TIMEOUT_MS: timeout }: Config): Finding[] {
  if (!usage) return []
  const reads = rateOf(usage.inputTokens, firstMs)
  const writes = rateOf(usage.outputTokens, restMs)
  const { prompt, steps, stepRead, stepWritten, answer } = QUESTION
  const seconds = (prompt + steps * stepRead) / reads + (steps * stepWritten + answer) / writes
  const says =
    `It reads about ${number(reads)} tokens a second and writes ${number(writes)}: ` +
    `a question of three steps takes about ${number(Math.max(1, seconds))} s.`
  if (seconds * 1000 < timeout * 0.8) return [ok('speed', says)]
  return [
    note('speed', `${says} AGENT_TIMEOUT_MS allows ${number(timeout / 1000)} s: raise it, or choose a smaller model.`),
  ]
}

function rateOf(tokens: number, ms: number): number {
  return Math.min(MAX_RATE, Math.max(0.1, (tokens * 1000) / Math.max(1, ms)))
}

function number(value: number): string {
  return Number(value.toPrecision(value < 100 ? 2 : 15)).toLocaleString('en-US', {
    maximumFractionDigits: value < 10 ? 1 : 0,
  })
}
