/**
 * Shortens a prompt that does not fit into the model's window, part by part: older results by their middle, the thread
 * from its beginning, files, descriptions of tools that the run has not used, and at last the newest results. The
 * question stays whole. The text of each part says what is missing.
 */
import { cutMiddle } from './observation.ts'
import type { Dialect, RunView } from './contracts/dialect.ts'
import type { FittedRequest, Message, ModelRequest } from './contracts/model.ts'
import type { Step } from './contracts/run-events.ts'
import type { Tool } from './contracts/tool.ts'

/** How much of each part is left, in characters. */
interface Cuts {
  /** The results of steps, by the steps' positions. */
  results: Map<number, number>
  said?: number
  files?: number
  /** The earlier turns that are left out, of dialects whose prompt has them. */
  turns: number
  tools?: number
}

/** A part that can be shortened. `cut` takes about `over` characters away, and returns false once nothing is left. */
interface PromptPart {
  name: string
  cut(view: RunView, cuts: Cuts, over: number): boolean
}

/** The least that is left, in characters. */
const MIN_RESULT = 200
const MIN_NEWEST = 500
const MIN_FILES = 300
const MIN_DESCRIPTION = 80

const PARTS: PromptPart[] = [
  { name: 'older results', cut: (view, cuts, over) => cutResults(olderSteps(view), { cuts, over, min: MIN_RESULT }) },
  { name: 'the thread', cut: cutThread },
  { name: 'files', cut: cutFiles },
  { name: 'descriptions of tools', cut: cutTools },
  {
    name: 'the newest result',
    cut: (view, cuts, over) => cutResults(newestSteps(view), { cuts, over, min: MIN_NEWEST }),
  },
]

type Count = Parameters<NonNullable<ModelRequest['fit']>>[1]

/** A shorter prompt, and the names of the parts that lost text. */
interface FittedPrompt extends FittedRequest {
  leftOut: string[]
}

/** Shortens the prompt to `max` tokens, as far as it can be. */
export function fitPrompt(dialect: Dialect, view: RunView, max: number, count: Count): FittedPrompt {
  const cuts: Cuts = { results: new Map(), turns: 0 }
  const leftOut: string[] = []
  let rendered = dialect.render(view)
  for (const part of PARTS) {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const size = count(rendered)
      if (size <= max) return { ...rendered, question: 0, leftOut }
      const over = Math.ceil(((size - max) * charsIn(rendered.messages)) / size) + MARK_CHARS
      if (!part.cut(view, cuts, over)) break
      if (leftOut.at(-1) !== part.name) leftOut.push(part.name)
      rendered = dialect.render(shortened(view, cuts))
    }
  }
  const question = count(rendered) - count(dialect.render(shortened({ ...view, question: '' }, cuts)))
  return { ...rendered, question, leftOut }
}

/** The tries for one part: an estimate in characters is not exact. */
const MAX_TRIES = 6
/** The note in place of what is missing. */
const MARK_CHARS = 60

function charsIn(messages: readonly Message[]): number {
  return messages.reduce((sum, { content }) => sum + content.length, 0)
}

/** The view with its parts cut. All cuts are made in the whole parts, so that a note counts all that is missing. */
function shortened(view: RunView, cuts: Cuts): RunView {
  const { said = '', filesText = '', history } = view
  const left = `(${cuts.turns} earlier ${cuts.turns === 1 ? 'question is' : 'questions are'} left out)`
  return {
    ...view,
    steps: view.steps.map((step, i) => withResult(step, cuts.results.get(i))),
    said: cuts.said === undefined ? view.said : newestPart(said, cuts.said),
    filesText: cuts.files === undefined ? view.filesText : cutMiddle(filesText, cuts.files),
    history: cuts.turns === 0 ? history : [{ question: left, answer: '…' }, ...history.slice(cuts.turns)],
    tools: cuts.tools === undefined ? view.tools : view.tools.map((tool) => briefly(tool, view, cuts.tools ?? 0)),
  }
}

function withResult(step: Step, max: number | undefined): Step {
  if (max === undefined || step.kind === 'message' || !step.observation) return step
  const observation = { ...step.observation, text: cutMiddle(step.observation.text, max) }
  return step.kind === 'tool' ? { ...step, observation } : { ...step, observation }
}

interface PlacedStep {
  at: number
  text: string
}

function withResults({ steps }: RunView, isWanted: (step: Step) => boolean): PlacedStep[] {
  return steps.flatMap((step, at) =>
    step.kind !== 'message' && step.observation && isWanted(step) ? [{ at, text: step.observation.text }] : [],
  )
}

function newestTurn({ steps }: RunView): number {
  return steps.findLast((step) => step.kind !== 'message')?.turn ?? 0
}

function olderSteps(view: RunView): PlacedStep[] {
  const newest = newestTurn(view)
  return withResults(view, ({ turn }) => turn < newest)
}

function newestSteps(view: RunView): PlacedStep[] {
  const newest = newestTurn(view)
  return withResults(view, ({ turn }) => turn === newest)
}

/** The oldest result is cut first, so that most of the prompt stays as the endpoint's cache has it. */
function cutResults(steps: PlacedStep[], { cuts, over, min }: { cuts: Cuts; over: number; min: number }): boolean {
  let left = over
  for (const { at, text } of steps) {
    const has = cuts.results.get(at) ?? text.length
    const room = has - min
    // The note takes the place of what it says is missing.
    if (left <= 0 || room <= MARK_CHARS) continue
    const taken = Math.min(room, left)
    cuts.results.set(at, has - taken)
    left -= taken
  }
  return left < over
}

/** The oldest messages are left out first, then the oldest turns. */
function cutThread({ said = '', history }: RunView, cuts: Cuts, over: number): boolean {
  const has = cuts.said ?? said.length
  if (has > 0) {
    cuts.said = Math.max(0, has - over)
    return true
  }
  if (cuts.turns >= history.length) return false
  cuts.turns += 1
  return true
}

function cutFiles({ filesText = '' }: RunView, cuts: Cuts, over: number): boolean {
  const has = cuts.files ?? filesText.length
  if (has <= MIN_FILES + MARK_CHARS) return false
  cuts.files = Math.max(MIN_FILES, has - over)
  return true
}

/** Only once, for all tools at a time: what is left of them has to be readable. */
function cutTools({ tools }: RunView, cuts: Cuts): boolean {
  if (cuts.tools !== undefined || !tools.some(({ description }) => description.length > MIN_DESCRIPTION)) return false
  cuts.tools = MIN_DESCRIPTION
  return true
}

function briefly(tool: Tool, { steps }: RunView, max: number): Tool {
  const isUsed = steps.some((step) => step.kind === 'tool' && step.action.tool === tool.name)
  if (isUsed || tool.description.length <= max) return tool
  return { ...tool, description: `${tool.description.slice(0, max).trimEnd()} …` }
}

/** The end of people's messages, from a whole line on if there is one. */
function newestPart(said: string, max: number): string {
  const from = said.length - max
  const line = said.indexOf('\n', from)
  const start = line >= 0 && line - from < max / 2 ? line + 1 : from
  const note = `(${start} characters of earlier messages are left out)`
  return max <= 0 ? note : `${note}\n${said.slice(start)}`
}
