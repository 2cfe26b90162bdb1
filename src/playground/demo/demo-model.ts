/**
 * The demo model: recordings and a few rules that read a prompt and write completions in the text dialect, so that the bot can be
 * tried without a key. It goes the whole way that a model goes (prompt, loop, tools); what it says comes from observations.
 */
import type { Message, Model, ModelEvent, ModelRequest } from '../../agent/types.ts'
import { questionsIn, plainly, simply } from './english.ts'
import { standalone } from './follow-up.ts'
import { facts } from './pages.ts'
import { advance, answered, unknown, type Final, type Plan } from './plan.ts'
import { readPrompt, type Asked, type PastTurn } from './read-prompt.ts'
import { played } from './recordings.ts'
import { sums } from './sums.ts'

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

/** Writes a completion word by word. The usage is told even when the caller stops listening, as real endpoints bill it. */
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
    const characters = request.messages.reduce((sum, message) => sum + message.content.length, 0)
    const [inputTokens, outputTokens] = [Math.ceil(characters / 4), Math.ceil(written.length / 4)]
    request.onUsage?.({ model: 'demo', inputTokens, outputTokens, estimated: true })
  }
}

/** What the demo writes to a prompt. */
export function complete(messages: Message[], isBare = false): string {
  const prompt = readPrompt(messages)
  if (prompt.kind === 'standalone') return understood(prompt)
  if (prompt.kind === 'foreign') return foreignWords(messages)
  const { asked } = prompt
  const next = asked.finalTurn ? finalAnswer(asked) : advance(thinkOf(asked), asked.observations)
  if ('tool' in next) return ` ${next.thought}\nAction: ${next.tool}\nAction Input: ${next.input}`
  return ` ${next.thought}\nFinal Answer: ${isBare ? valueOf(next) : next.answer}`
}

/** The value that an answer sets in bold, the last of several; an answer that is none but words stays. */
function valueOf({ answer, isUnknown }: Final): string {
  return isUnknown ? 'I do not know.' : (/^[^]*\*\*([^*\n]{1,200})\*\*/.exec(answer)?.[1] ?? answer)
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

/** A recording of the whole question, else each of its questions in turn; a later one may speak of an earlier one's answer. */
function* thinkOf(asked: Asked): Plan {
  const isReadable = asked.question.length <= MOST_QUESTION
  const whole = isReadable && played({ ...asked, question: plainly(asked.question) }, true)
  if (whole) return yield* whole
  const [history, ends]: [PastTurn[], Final[]] = [[], []]
  for (const part of isReadable ? questionsIn(asked.question) : []) {
    const question = standalone(history, part)
    const plan = planFor(asked, question)
    // Beside a question, what is none may be a greeting.
    if (!plan && !part.endsWith('?')) continue
    const end = plan ? yield* plan : unknown(`“${part}” is beyond me: ${DEMO}.`)
    ends.push(end)
    history.push({ question, answer: end.answer })
  }
  const last = ends.at(-1)
  if (!last || ends.every(({ answer }) => answer.endsWith(`is beyond me: ${DEMO}.`))) return help(asked)
  return { ...last, answer: ends.map(({ answer }) => answer).join('\n\n') }
}

function planFor(asked: Asked, text: string): Plan | undefined {
  const one = { ...asked, question: simply(text) }
  return sums(one) ?? played(one) ?? facts(one)
}

/** The final turn may use no tool: the answer is what was seen last. */
function finalAnswer(asked: Asked): Final {
  const seen = asked.observations.at(-1)
  return seen ? answered(`I had to stop here. The last thing that I saw: ${seen.slice(0, 300)}`) : help(asked)
}

/** What the demo can do, by the tools that it takes. */
const CAN: [RegExp, string][] = [
  [/^calculator$/, 'sums (“What is 29 to the power 0.23, and half of it?”)'],
  [
    /^(?:wikipedia|search)$/,
    'who or what something is, and plain facts about it (“Who was Ada Lovelace?”, “How old was she?”)',
  ],
  [/^github_user$/, 'the followers of a GitHub user'],
  [/^GetInvoice$/, 'totals and differences of invoices'],
  [/__write_file$|^make_file$/, 'a file (“Write "Buy milk" into list.txt”)'],
  [/^notes__add$/, 'notes (“Note down: buy milk”, “What notes are there?”)'],
]
const DEMO = 'I am only the demo'
/** A step's prompt shows nothing of the thread: that the help was said there already goes into the standalone question. */
const AGAIN = ' (in short)'

/** What the demo says of itself where its rules end: once a thread at length. */
function help({ question, tools }: Asked): Final {
  if (question.endsWith(AGAIN)) return unknown(`That is beyond me, too: ${DEMO}.`)
  const can = CAN.flatMap(([tool, what]) => (tools.some((name) => tool.test(name)) ? [what] : []))
  const list = can.length > 0 ? ` I can do ${can.join('; ')}.` : ''
  return unknown(
    `${DEMO}: recordings and a few rules in place of a language model.${list} Set OPENAI_API_KEY or OPENAI_BASE_URL for real answers.`,
  )
}

/** A follow-up with what has to be known of its thread. What the help told tells the tools too. */
function understood({ history, followUp }: { history: PastTurn[]; followUp: string }): string {
  const text = standalone(history, followUp)
  const helped = history.find(({ answer }) => answer.includes(`${DEMO}:`))?.answer
  const tools = 'calculator wikipedia github_user GetInvoice Total Diff make_file notes__add notes__list'.split(' ')
  const asked = { question: '', tools, today: '', observations: [], finalTurn: false }
  const isKnown = helped === undefined || questionsIn(text).some((part) => planFor(asked, part))
  return isKnown ? text : `${text}${AGAIN}`
}
