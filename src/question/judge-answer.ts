/** Collects the facts shown below an answer, from the run's record and never from the model. */
import type { AgentEvent, Step } from '../agent/contracts/run-events.ts'
import type { Tool } from '../agent/contracts/tool.ts'
import type { AgentDeps } from '../agent/run-state.ts'
import type { Conversation } from '../stores/history/types.ts'
import { doneCalls } from '../stores/audit/note-writes.ts'
import type { Grants } from './heard-signals.ts'
import type { DoneCall, Question, SavedRun } from '../stores/runs/types.ts'
import { mayHaveChanged, UNKEPT } from './change-lines.ts'
import { isProposal } from '../agent/proposal-names.ts'
import { foldText, occurrences, termsOf, type Term } from '../files/search-terms.ts'
import { claimsKept, mayClaimWrite } from './claim-words.ts'
import { judgeFigures, type FoundFigure } from './check-figures/judge-figures.ts'
import { REMEMBERED, readTexts } from './check-figures/read-texts.ts'

export type FinalEvent = Extract<AgentEvent, { type: 'answer' | 'gave_up' }>

/**
 * `done`: the run's writes, after those of earlier tries. `figures`: the sources of the answer's figures. `used`: how
 * many remembered texts it uses. They come before the answer.
 */
export type JudgedEvent =
  { type: 'done'; calls: DoneCall[] } | { type: 'figures'; figures: FoundFigure[] } | { type: 'used'; count: number }

/** `done` is absent if no tool could write; `figures` if nothing was read or the answer has none. */
type JudgedAnswer = Pick<NonNullable<SavedRun['answer']>, 'done' | 'figures' | 'used'>

/** What a run has read. */
interface ReadRun extends Conversation {
  question: Pick<Question, 'text' | 'at'>
  steps: readonly Step[]
  saved: Pick<SavedRun, 'said'>
  agent: Pick<AgentDeps, 'now'>
  filesText: string
  /** The remembered texts, a line for each. */
  remembered: string
}

interface AnsweredRun extends ReadRun {
  question: Question
  saved: Pick<SavedRun, 'decisions' | 'said'>
  agent: Pick<AgentDeps, 'tools' | 'now'>
  grants?: Grants | undefined
}

export async function judgeAnswer(event: FinalEvent, run: AnsweredRun): Promise<JudgedAnswer> {
  const { agent, grants, steps, saved } = run
  const grantedBy = grants && ((tool: Tool) => grants.grantedBy(tool))
  const own = await doneCalls(steps, { saved, tools: agent.tools, isOver: true, grantedBy })
  const before = run.question.doneBefore ?? []
  const calls = before.length > 0 ? [...before, ...(own ?? [])] : own
  const { text } = run.question
  const done = event.type === 'answer' ? contradicting(event.text, text, calls, steps) : calls
  const used = usedTexts(event.text, { question: text, remembered: run.remembered })
  const figures = event.type === 'answer' ? figuresOf(event, run) : undefined
  return {
    ...(done && (done.length > 0 || event.type === 'answer') ? { done } : {}),
    ...(used > 0 ? { used } : {}),
    ...(figures?.length ? { figures } : {}),
  }
}

/**
 * Returns the writes to list below the answer: none if nothing was written and the answer does not sound like it. An
 * answer that promises or claims what only a card can do is contradicted, unless the run has opened one.
 */
function contradicting(
  answer: string,
  question: string,
  calls: DoneCall[] | undefined,
  steps: readonly Step[],
): DoneCall[] | undefined {
  const hasCard = steps.some((step) => step.kind === 'tool' && isProposal(step.action.tool) && step.observation?.ok)
  const isKept = hasCard || calls?.some(mayHaveChanged) === true
  if (!isKept && claimsKept(answer)) return [...(calls ?? []), UNKEPT]
  return calls && (calls.length > 0 || mayClaimWrite(answer, question)) ? calls : undefined
}

/** Counts the remembered texts, a line each, from which the answer has words that the question has not. */
function usedTexts(answer: string, { question, remembered }: { question: string; remembered: string }): number {
  if (remembered === '') return 0
  const [said, asked] = [foldText(answer.slice(0, MAX_ANSWER)), foldText(question)]
  const isNew = (term: Term) => occurrences(said, term) > 0 && occurrences(asked, term) === 0 && !COMMON.has(term.text)
  return remembered.split('\n').filter((line) => termsOf(line.replace(WHO_AND_WHEN, '')).some(isNew)).length
}

const MAX_ANSWER = 20_000
/** The author and the day before a remembered text. */
const WHO_AND_WHEN = /^.{0,100}?\d{4}-\d\d-\d\d[^:]{0,20}:/
/** Common words, which prove nothing. */
const COMMON = new Set(
  'a,an,the,and,or,of,in,on,at,to,for,is,are,was,be,it,we,our,us,you,i,my,me,not,no,this,that,with,by,as,from,has,have,do,der,die,das,und,ist,wir,le,la,les,de,el,y,que,e,o,een,het,en'.split(
    ',',
  ),
)

/** Returns the numbers and dates of an answer that no source of the run yields. */
export function doubtfulFigures(text: string, run: ReadRun): string[] {
  const figures = figuresOf({ type: 'answer', text, sources: [] }, run) ?? []
  return figures.filter((figure) => figure.in.length === 0 && NUMERIC.test(figure.text)).map((figure) => figure.text)
}

/** Numbers, amounts, dates and times; no quotations, addresses or file names. */
const NUMERIC = /^(?=[^]*\d)(?![^]*(?:["“”«»@]|:\/\/|\.\p{L}{2}))/u

function figuresOf({ text, sources }: Extract<FinalEvent, { type: 'answer' }>, run: ReadRun) {
  const question = run.question.text
  const read = readTexts({ ...run, question, sources, tables: run.saved.said?.tables ?? [] })
  const figures =
    read && judgeFigures(text, { question, read, today: run.agent.now(), askedAt: new Date(run.question.at) })
  // Remembered items are given with every question, so they count as a source only if a figure is from them.
  const hasRead = read?.some(({ place }) => !GIVEN.test(place))
  return hasRead || figures?.some((figure) => figure.in.some((place) => place.startsWith(REMEMBERED)))
    ? figures
    : undefined
}

/** The names of the sources that every run is given. */
const GIVEN = new RegExp(`^(?:the question|earlier in|${REMEMBERED})`)

export function* judgedEvents({ done, figures, used }: JudgedAnswer): Generator<JudgedEvent> {
  if (done) yield { type: 'done', calls: done }
  if (figures?.length) yield { type: 'figures', figures }
  if (used) yield { type: 'used', count: used }
}
