/** Checks how many tokens the model takes at once, and how fast it reads and writes, by one long prompt. */
import type { Message, Model, Usage } from '../../agent/contracts/model.ts'
import type { Config } from '../../config.ts'
import { isTimeUp } from '../../base/errors.ts'
import { operatorSentence } from '../../model/failure-for-operator.ts'
import { ListedWindows } from '../../model/model-list.ts'
import { promptCounter } from '../../model/tokens.ts'
import { findingsAbout, type CheckServices, type Finding } from './finding.ts'

const { ok, note } = findingsAbout('model')

/** How long the prompt may take, in milliseconds: a small computer reads 60 tokens a second. */
const LONG_MS = 150_000
/**
 * The length of the prompt in tokens: above the smallest usual window, or only for the speed if the window is known.
 */
const LONG = 7_000
const FOR_SPEED = 1_200
/** A larger listed window is often what the model could take, not what its server gives. */
const MAX_BELIEVED = 32_768
/** The share of a known window that the prompt may take. */
const OF_WINDOW = 0.7

export async function windowFindings(model: Model, config: Config, services: CheckServices): Promise<Finding[]> {
  const { net, now } = services
  const { OPENAI_CONTEXT_TOKENS: given, OPENAI_BASE_URL: address, OPENAI_STREAM: isStreamed } = config
  const listed = given === undefined ? await new ListedWindows({ config, net, now }).of(model.name) : undefined
  const window = given ?? listed
  const isSure = address === undefined || (listed !== undefined && listed <= MAX_BELIEVED)
  const tokens = Math.min(isSure ? FOR_SPEED : LONG, (window ?? Infinity) * OF_WINDOW)
  const messages = await promptOf(tokens, now())
  const sent = (await promptCounter())({ messages })
  const signal = AbortSignal.timeout(LONG_MS)
  try {
    // What comes in one piece says only how long all of it took.
    const short = isStreamed ? undefined : await readingOf(model, await promptOf(0, now()), signal, now)
    const read = await readingOf(model, messages, signal, now)
    return [...windowFinding(read, sent, window, config), ...speedFindings(withRest(read, short), config)]
  } catch (error) {
    return [isTimeUp(signal) ? tooSlowFinding(sent) : note('window', operatorSentence(error))]
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
  return { usage, firstMs: (firstAt ?? end) - from, restMs: end - (firstAt ?? end) }
}

/** Divides the time of an answer that came in one piece by that of a short prompt, which is hardly read. */
function withRest(read: LongAnswer, short: LongAnswer | undefined): LongAnswer {
  if (!short?.usage || !read.usage) return read
  const writing = (short.firstMs / Math.max(1, short.usage.outputTokens)) * read.usage.outputTokens
  return { ...read, firstMs: Math.max(1, read.firstMs - writing), restMs: writing }
}

/**
 * OpenAI itself says nothing, and refuses what is too long. `sent`: the prompt's tokens, by our estimate; `window`:
 * what the settings or the endpoint's list say.
 */
function windowFinding({ usage }: LongAnswer, sent: number, window: number | undefined, config: Config): Finding[] {
  const { OPENAI_CONTEXT_TOKENS: given, OPENAI_BASE_URL: address } = config
  const told =
    window === undefined
      ? ''
      : `, although ${given === undefined ? 'it lists' : 'OPENAI_CONTEXT_TOKENS says'} ${number(window)}`
  if (usage?.sentTokens !== undefined)
    return [
      note(
        'window',
        `It read only ${number(usage.inputTokens)} of about ${number(usage.sentTokens)} tokens, without an error${told}: long ` +
          'prompts lose their beginning. Give it a larger window (Ollama: OLLAMA_CONTEXT_LENGTH=16384), or set ' +
          `OPENAI_CONTEXT_TOKENS=${usage.inputTokens}.`,
      ),
    ]
  const about = `a prompt of about ${number(sent)} tokens`
  if (usage?.leftOut && window !== undefined)
    return [note('window', `It refused ${about}${told}. Set OPENAI_CONTEXT_TOKENS to what it takes.`)]
  if (window !== undefined) return [ok('window', knownWindow(window, config))]
  if (address === undefined) return []
  if (usage?.leftOut) return [ok('window', `It refused ${about}. The bot shortens what is too long.`)]
  return [
    ok(
      'window',
      !usage || usage.estimated
        ? `It answered ${about}. It reports no usage, so the bot cannot tell whether it read all of it.`
        : `It read ${about} whole.`,
    ),
  ]
}

function knownWindow(window: number, { OPENAI_CONTEXT_TOKENS: given }: Config): string {
  const takes = `Its window is ${number(window)} tokens, according to ${given === undefined ? 'the endpoint' : 'OPENAI_CONTEXT_TOKENS'}.`
  return window < LONG ? `${takes} Long conversations are shortened; a larger window would keep more of them.` : takes
}

/** A usual question, in tokens: the first prompt, what each of three steps adds, and what is written. */
const QUESTION = { prompt: 2_500, steps: 3, stepRead: 500, stepWritten: 80, answer: 150 }
/** Faster is not told apart, in tokens a second. */
const MAX_RATE = 20_000

function speedFindings({ usage, firstMs, restMs }: LongAnswer, { AGENT_TIMEOUT_MS: timeout }: Config): Finding[] {
  if (!usage) return []
  const reads = rateOf(usage.inputTokens - (usage.cachedTokens ?? 0), firstMs)
  const writes = rateOf(usage.outputTokens, restMs)
  const seconds = questionSeconds(reads, writes)
  const says =
    `It reads about ${number(reads)} tokens a second and writes ${number(writes)}: ` +
    `a question of three steps takes about ${number(Math.max(1, seconds))} s.`
  if (seconds * 1000 < timeout * 0.8) return [ok('speed', says)]
  return [
    note('speed', `${says} AGENT_TIMEOUT_MS allows ${number(timeout / 1000)} s: raise it, or choose a smaller model.`),
  ]
}

/** Of an endpoint that was still reading, only the most that it reads is known. */
function tooSlowFinding(sent: number): Finding {
  const reads = rateOf(sent, LONG_MS)
  return note(
    'speed',
    `It did not answer a prompt of about ${number(sent)} tokens within ${LONG_MS / 1000} s: it reads at most ` +
      `${number(reads)} tokens a second, and a question of three steps takes more than ` +
      `${number(questionSeconds(reads, MAX_RATE))} s. Choose a smaller model, or a faster computer.`,
  )
}

function questionSeconds(reads: number, writes: number): number {
  const { prompt, steps, stepRead, stepWritten, answer } = QUESTION
  return (prompt + steps * stepRead) / reads + (steps * stepWritten + answer) / writes
}

function rateOf(tokens: number, ms: number): number {
  return Math.min(MAX_RATE, Math.max(0.1, (tokens * 1000) / Math.max(1, ms)))
}

function number(value: number): string {
  return Number(value.toPrecision(value < 100 ? 2 : 15)).toLocaleString('en-US', {
    maximumFractionDigits: value < 10 ? 1 : 0,
  })
}
