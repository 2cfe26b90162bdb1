/**
 * The demo model: recordings and a few rules that write completions in the text dialect. Its answers come from
 * observations.
 */
import type { Message, Model, ModelEvent, ModelRequest } from '../../src/agent/contracts/model.ts'
import { questionsIn } from './english.ts'
import { searchWords } from './file-passage.ts'
import { standalone } from './follow-up.ts'
import type { PastTurn } from '../../src/agent/contracts/dialect.ts'
import { readPrompt, type ReadPrompt } from './read-prompt.ts'
import { tablePlan } from './table-questions.ts'
import { advance, calledByName, played, type DemoPlan, type Final, type Move } from './recordings.ts'

/**
 * `paceMs` is the pause between two pieces of a stream, so that a person sees it grow. `isBare` returns the value
 * alone, if there is one.
 */
type DemoOptions = { paceMs?: number; isBare?: boolean }

export function demoModel(options: DemoOptions = {}): Model {
  return { name: 'demo', stream: (request) => streamDemo(request, options) }
}

/** The only dialect that the demo writes. */
export const DEMO_DIALECT = 'text'
const DEMO = 'I am only the demo'

/** Writes a completion word by word. Reports the usage even if the caller stops reading, as real endpoints bill it. */
async function* streamDemo(request: ModelRequest, options: DemoOptions): AsyncGenerator<ModelEvent> {
  let written = ''
  try {
    for (const piece of complete(request.messages, options.isBare).match(/\S+\s*|\s+/g) ?? []) {
      if (options.paceMs) await new Promise((resolve) => setTimeout(resolve, options.paceMs))
      if (request.signal.aborted) return
      written += piece
      yield { type: 'text', text: piece }
    }
  } finally {
    const read = request.messages.map(({ content }) => content).join('')
    const tokens = (text: string) => Math.ceil(text.length / 4)
    request.onUsage?.({ model: 'demo', inputTokens: tokens(read), outputTokens: tokens(written), estimated: true })
  }
}

/** Returns the demo's completion of a prompt. */
export function complete(messages: Message[], isBare = false): string {
  const asked = readPrompt(messages)
  if (!asked) return ` I do not speak this form.\nFinal Answer: ${DEMO}, and I speak only AGENT_DIALECT=text.`
  if (asked.history) return standalone(asked.history, asked.question)
  const next = advance(thinkOf(asked), asked.observations)
  if ('tool' in next && !asked.isFinalTurn) return ` ${next.thought}\nAction: ${next.tool}\nAction Input: ${next.input}`
  const seen = asked.observations.at(-1)?.slice(0, 300)
  const stopped = { answer: `I had to stop here. The last thing that I saw: ${seen}`, isUnknown: false }
  const { answer, isUnknown } = !('tool' in next) ? next : seen ? stopped : help(asked)
  // The value is the last bold text of the answer.
  const value = isUnknown ? 'I do not know.' : (/^[^]*\*\*([^*\n]{1,200})\*\*/.exec(answer)?.[1] ?? answer)
  return ` ${isUnknown ? 'I cannot find out more.' : 'I now know the final answer'}\nFinal Answer: ${isBare ? value : answer}`
}

interface DemoTurn extends PastTurn, Final {
  isRead: boolean
}

/**
 * Answers each message in turn, the question and what was added: by the recording of the whole message, or each of its
 * questions. A later one may refer to an earlier answer.
 */
function* thinkOf(asked: ReadPrompt): DemoPlan {
  const turns: DemoTurn[] = []
  const messages = [asked.question, ...(asked.added ?? [])]
  for (const message of messages) yield* answerMessage({ ...asked, question: message }, turns)
  if (!turns.some(({ isRead }) => isRead)) return help(asked)
  const isUnknown = turns.at(-1)?.isUnknown ?? true
  // Something else that works is offered where nothing was answered, unless the answer itself names something.
  const more = turns.every((turn) => turn.isUnknown && !/ Similar: \[/.test(turn.answer)) ? offers(asked, 3) : ''
  const answers = [...turns.map(({ answer }) => answer), ...(more === '' ? [] : [`You can ask me:\n\n${more}`])]
  return { answer: answers.join('\n\n'), isUnknown }
}

/** Returns what the demo can do with the tools of the prompt, a line each. */
function offers({ tools }: ReadPrompt, max: number): string {
  const can = CAN.flatMap(([tool, what]) => (tools?.some((name) => tool.test(name)) ? [`- ${what}`] : []))
  return can.slice(0, max).join('\n')
}

/** Adds the answers to one message to `turns`. */
function* answerMessage(asked: ReadPrompt, turns: DemoTurn[]): Generator<Move, void, string> {
  const isFirst = turns.length === 0
  const isTalk = [GREETING, THANKS, ABILITIES].some((one) => one.test(asked.question))
  if (asked.question.length > 1000 || isTalk) return
  const whole = tablePlan(asked, () => played(asked, true)) ?? played(asked, true)
  if (whole) return void turns.push({ ...(yield* whole), question: asked.question, isRead: true })
  for (const part of questionsIn(asked.question)) {
    const question = standalone(turns, part)
    const known = recalled(asked, question)
    if (known) {
      turns.push({ ...known, question, isRead: true })
      continue
    }
    const plan = played({ ...asked, question }) ?? calledByName({ ...asked, question })
    // A text beside the question may be a greeting.
    if (!plan && isFirst && !part.endsWith('?')) continue
    const end = plan ? yield* plan : { answer: `“${part}” is beyond me: ${DEMO}.`, isUnknown: true }
    turns.push({ ...end, question, isRead: plan !== undefined })
  }
}

/** Answers a question with the remembered fact that has most of its words, at least half of them. */
function recalled({ remembered = [] }: ReadPrompt, question: string): Final | undefined {
  const stem = (word: string) => word.replace(/s$/, '')
  const stemsOf = (text: string) =>
    searchWords(text.toLowerCase())
      .split(' ')
      .filter((word) => /\p{L}{3}/u.test(word))
      .map(stem)
  const words = stemsOf(question)
  if (!question.endsWith('?') || words.length === 0) return undefined
  const scored = remembered.map((fact) => {
    // Before it stand its author and the day.
    const has = stemsOf(fact.replace(/^.{0,200}?\d{4}-\d\d-\d\d: /, ''))
    return { fact, score: words.filter((word) => has.includes(word)).length }
  })
  // Later facts count more.
  const best = scored.toReversed().toSorted((a, b) => b.score - a.score)[0]
  if (!best || best.score * 2 < words.length) return undefined
  return { answer: `I was asked to remember this: ${best.fact}`, isUnknown: false }
}

/** The demo's abilities, by the tools that they need. */
const CAN: [RegExp, string][] = [
  [/^search_file$/, 'Search the attached file: “Summarise the file”'],
  [/__add$/, 'Take notes: “Note down: buy milk”, then “What notes do we have?”'],
  [/^calculator$/, 'Do sums: “What is 15% of 240?”'],
  [/^wikipedia$/, 'Look people and things up: “Who was Ada Lovelace?”'],
  [/^workspace_search$/, 'Search Slack: “What did we decide about the launch?”'],
  [/__write_file$|^make_file$/, 'Make a file: “Write "Buy milk" into list.txt”'],
]
const GREETING =
  /^(?:[\s,.!:]*(?:hi|hey|hello|good (?:morning|afternoon|day|evening)|there|everyone|thinkaloud))+[\s,.!:]*$/i
const THANKS =
  /^(?:[\s,.!:]*(?:ok(?:ay)?|great|perfect|cool|nice|many|thanks|thank you|thx|cheers|a lot|so much|very much|thinkaloud))+[\s,.!:]*$/i
const ABILITIES =
  /^(?:so |hi,? |hello,? )*(?:what (?:can|do) (?:you|i) (?:do|help(?: (?:me|us))? with|ask(?: you)?)|how can you help(?: me| us)?|what are you (?:good )?for|help)\b/i

/** Answers everything that needs no tool: a greeting, thanks, and questions about its abilities. */
function help(asked: ReadPrompt): Final {
  const { question } = asked
  const list = (max: number) => offers(asked, max)
  if (THANKS.test(question)) return { answer: 'You’re welcome! Reply here to ask on.', isUnknown: false }
  if (GREETING.test(question))
    return { answer: `Hello! Ask me something, for example:\n\n${list(4)}`, isUnknown: false }
  const real = 'For real answers, set OPENAI_API_KEY or OPENAI_BASE_URL.'
  if (ABILITIES.test(question))
    return { answer: `I can:\n\n${list(CAN.length)}\n\nHere a demo answers: a few rules. ${real}`, isUnknown: false }
  const start = `I can’t answer that: ${DEMO}, a few rules without a language model.`
  return { answer: `${start}${list(3) !== '' ? ` You can ask me:\n\n${list(3)}` : ''}\n\n${real}`, isUnknown: true }
}
