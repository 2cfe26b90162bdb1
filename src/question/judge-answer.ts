/** Collects the facts shown below an answer, from the run's record and never from the model. */
import type { AgentEvent, Step } from '../agent/contracts/run-events.ts'
import type { Tool } from '../agent/contracts/tool.ts'
import type { AgentDeps } from '../agent/run-state.ts'
import type { Conversation } from '../stores/history/types.ts'
import { doneCalls } from '../stores/audit/note-writes.ts'
import type { Grants } from '../stores/runs/run-control.ts'
import type { DoneCall, Question, SavedRun } from '../stores/runs/types.ts'
import { judgeFigures, type FoundFigure } from './check-figures/judge-figures.ts'
import { REMEMBERED, readTexts } from './check-figures/read-texts.ts'

export type FinalEvent = Extract<AgentEvent, { type: 'answer' | 'gave_up' }>

/** `done`: the run's writes, after those of earlier tries. `figures`: the sources of the answer's figures. Both come before the answer. */
export type JudgedEvent = { type: 'done'; calls: DoneCall[] } | { type: 'figures'; figures: FoundFigure[] }

/** Absent: no tool could write; nothing was read, or the answer has no figures. */
type JudgedAnswer = Pick<NonNullable<SavedRun['answer']>, 'done' | 'figures'>

interface AnsweredRun extends Conversation {
  question: Question
  steps: readonly Step[]
  saved: Pick<SavedRun, 'decisions' | 'said'>
  agent: Pick<AgentDeps, 'tools' | 'now'>
  grants?: Grants | undefined
  filesText: string
  /** The remembered texts, a line for each. */
  remembered: string
}

export async function judgeAnswer(event: FinalEvent, run: AnsweredRun): Promise<JudgedAnswer> {
  const { agent, grants, steps, saved } = run
  const grantedBy = grants && ((tool: Tool) => grants.grantedBy(tool))
  const own = await doneCalls(steps, { saved, tools: agent.tools, isOver: true, grantedBy })
  const before = run.question.doneBefore ?? []
  const done = before.length > 0 ? [...before, ...(own ?? [])] : own
  const figures = event.type === 'answer' ? figuresOf(event, run) : undefined
  return { ...(done ? { done } : {}), ...(figures?.length ? { figures } : {}) }
}

function figuresOf({ text, sources }: Extract<FinalEvent, { type: 'answer' }>, run: AnsweredRun) {
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

export function* judgedEvents({ done, figures }: JudgedAnswer): Generator<JudgedEvent> {
  if (done) yield { type: 'done', calls: done }
  if (figures?.length) yield { type: 'figures', figures }
}
