/**
 * Shortens a prompt that does not fit into the model's window, part by part: older results by their middle, the thread
 * from its beginning, files, what is remembered, descriptions of tools that the run has not used, examples, older steps
 * and inputs of those tools. If even that is not enough, the newest results lose text before the last three do. The
 * question stays whole. The text of each part says what is missing.
 */
import { cutMiddle } from './observation.ts'
import { pastAnswer } from './prompt-size.ts'
import { inputText } from './tool-input.ts'
import type { Dialect, RunView } from './contracts/dialect.ts'
import type { FittedRequest, Message, ModelRequest } from './contracts/model.ts'
import type { Step, ToolStep, UnreadableStep } from './contracts/run-events.ts'
import type { Tool } from './contracts/tool.ts'

/** How much of each part is left, in characters. */
interface Cuts {
  /** The results of steps, by the steps' positions. */
  results: Map<number, number>
  said?: number
  files?: number
  remembered?: number
  /** The earlier questions that are left out, if the prompt has them. */
  questions: number
  tools?: number
  /** Tools that the run has not used have one line, without their inputs. */
  inputs?: true
  examples?: 'fewer' | 'none'
  /** The turns of the run whose steps are left out. */
  turns: Set<number>
}

/** A part that can be shortened. `cut` takes about `over` characters away, and returns false once nothing is left. */
interface PromptPart {
  name: string
  cut(view: RunView, cuts: Cuts, over: number): boolean
}

/** The least that is left, in characters. */
const MIN_RESULT = 200
const MIN_NEWEST = 500
const MIN_TEXT = 300
const MIN_DESCRIPTION = 80
/** A longer JSON schema of an input can be left out. */
const MAX_INPUT = 300

const PARTS: PromptPart[] = [
  { name: 'older results', cut: (view, cuts, over) => cutResults(olderSteps(view), { cuts, over, min: MIN_RESULT }) },
  { name: 'the thread', cut: cutThread },
  { name: 'files', cut: ({ filesText }, cuts, over) => cutText('files', filesText, { cuts, over }) },
  {
    name: 'what is remembered',
    cut: ({ remembered }, cuts, over) => cutText('remembered', remembered, { cuts, over }),
  },
  { name: 'descriptions of tools', cut: cutTools },
]
const NEWEST: PromptPart = {
  name: 'the newest result',
  cut: (view, cuts, over) => cutResults(newestSteps(view), { cuts, over, min: MIN_NEWEST }),
}
const LAST: PromptPart[] = [
  { name: 'examples', cut: cutExamples },
  { name: 'older steps', cut: cutSteps },
  { name: 'inputs of tools', cut: cutInputs },
]

type Count = Parameters<NonNullable<ModelRequest['fit']>>[1]

interface Goal {
  /** Tokens. */
  max: number
  count: Count
}

/** Shortens the prompt to `max` tokens, as far as it can be. */
export function fitPrompt(dialect: Dialect, given: RunView, goal: Goal): FittedRequest {
  const view = dialect.carriesHistory || given.aboutHistory ? given : { ...given, history: [] }
  const fitted = withoutParts(dialect, view, { ...goal, parts: [...PARTS, ...LAST] })
  return fitted.question === 0 ? fitted : withoutParts(dialect, view, { ...goal, parts: [...PARTS, NEWEST, ...LAST] })
}

interface Shortening extends Goal {
  /** In the order in which they lose text. */
  parts: PromptPart[]
}

function withoutParts(dialect: Dialect, view: RunView, { parts, max, count }: Shortening): FittedRequest {
  const cuts: Cuts = { results: new Map(), questions: 0, turns: new Set() }
  const leftOut: string[] = []
  let rendered = dialect.render(view)
  for (const part of parts) {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const size = count(rendered)
      if (size <= max) return { ...rendered, question: 0, leftOut }
      const over = Math.ceil(((size - max) * charsIn(rendered.messages)) / size) + MARK_CHARS
      if (!part.cut(view, cuts, over)) break
      rendered = dialect.render(shortened(view, cuts))
      if (leftOut.at(-1) !== part.name && count(rendered) < size) leftOut.push(part.name)
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
  const { said = '', filesText = '', remembered = '', history } = view
  const left = leftOutNote(cuts.questions, 'question')
  return {
    ...view,
    steps: withoutTurns(
      view.steps.map((step, i) => withResult(step, cuts.results.get(i))),
      cuts.turns,
    ),
    said: cuts.said === undefined ? view.said : newestPart(said, cuts.said),
    filesText: cuts.files === undefined ? view.filesText : cutMiddle(filesText, cuts.files),
    remembered: cuts.remembered === undefined ? view.remembered : cutMiddle(remembered, cuts.remembered),
    history: cuts.questions === 0 ? history : [{ question: left, answer: '…' }, ...history.slice(cuts.questions)],
    tools: cuts.tools === undefined ? view.tools : view.tools.map((tool) => briefly(tool, view, cuts)),
    examples: cuts.examples,
  }
}

export function leftOutNote(count: number, what: string): string {
  return `(${count} earlier ${count === 1 ? `${what} is` : `${what}s are`} left out)`
}

function withResult(step: Step, max: number | undefined): Step {
  return max === undefined ? step : withText(step, (text) => cutMiddle(text, max))
}

function withText(step: Step, change: (text: string) => string): Step {
  if (step.kind === 'message' || !step.observation) return step
  const observation = { ...step.observation, text: change(step.observation.text) }
  return step.kind === 'tool' ? { ...step, observation } : { ...step, observation }
}

/** What people added stays. The first result that stays says how many steps are missing. */
function withoutTurns(steps: Step[], turns: ReadonlySet<number>): Step[] {
  if (turns.size === 0) return steps
  const kept = steps.filter((step) => step.kind === 'message' || !turns.has(step.turn))
  const first = kept.findIndex((step) => step.kind !== 'message' && step.observation)
  const note = leftOutNote(steps.length - kept.length, 'step')
  return kept.map((step, i) => (i === first ? withText(step, (text) => `${note}\n${text}`) : step))
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

/** The oldest messages are left out first, then the oldest questions. */
function cutThread({ said = '', history }: RunView, cuts: Cuts, over: number): boolean {
  const has = cuts.said ?? said.length
  if (has > 0) {
    cuts.said = Math.max(0, has - over)
    return true
  }
  if (cuts.questions >= history.length) return false
  for (let left = over; left > 0 && cuts.questions < history.length; cuts.questions += 1) {
    const { question, answer } = history[cuts.questions]!
    left -= question.length + pastAnswer(answer).length
  }
  return true
}

function cutText(
  name: 'files' | 'remembered',
  text: string | undefined,
  { cuts, over }: { cuts: Cuts; over: number },
): boolean {
  const has = cuts[name] ?? text?.length ?? 0
  if (has <= MIN_TEXT + MARK_CHARS) return false
  cuts[name] = Math.max(MIN_TEXT, has - over)
  return true
}

function cutExamples(_view: RunView, cuts: Cuts): boolean {
  if (cuts.examples === 'none') return false
  cuts.examples = cuts.examples === undefined ? 'fewer' : 'none'
  return true
}

/** Whole turns, the oldest first: a result without its call would be worth nothing. */
function cutSteps(view: RunView, cuts: Cuts, over: number): boolean {
  const newest = newestTurn(view)
  const sizes = new Map<number, number>()
  for (const [at, step] of view.steps.entries())
    if (step.kind !== 'message') sizes.set(step.turn, (sizes.get(step.turn) ?? 0) + charsOf(step, cuts.results.get(at)))
  let left = over
  for (const [turn, chars] of sizes) {
    if (left <= 0 || turn >= newest || cuts.turns.has(turn)) continue
    cuts.turns.add(turn)
    left -= chars
  }
  return left < over
}

function charsOf(step: ToolStep | UnreadableStep, result = step.observation?.text.length ?? 0): number {
  const written = step.kind === 'tool' ? step.thought + inputText(step.action.input) : step.text
  return written.length + result
}

/** Only once, for all tools at a time: what is left of them has to be readable. */
function cutTools({ tools }: RunView, cuts: Cuts): boolean {
  if (cuts.tools !== undefined || !tools.some(({ description }) => description.length > MIN_DESCRIPTION)) return false
  cuts.tools = MIN_DESCRIPTION
  return true
}

/** A wrong call is told what the tool takes, and a tool in use is described whole again. */
function cutInputs(view: RunView, cuts: Cuts): boolean {
  if (cuts.inputs || !view.tools.some((tool) => !isUsed(tool, view) && hasLongInput(tool))) return false
  cuts.tools = MIN_DESCRIPTION
  cuts.inputs = true
  return true
}

function isUsed({ name }: Tool, { steps }: RunView): boolean {
  return steps.some((step) => step.kind === 'tool' && step.action.tool === name)
}

function hasLongInput({ brief, parameters }: Tool): boolean {
  return brief === undefined && JSON.stringify(parameters).length > MAX_INPUT
}

function briefly(tool: Tool, view: RunView, { tools: max = 0, inputs }: Cuts): Tool {
  if (isUsed(tool, view)) return tool
  const { description } = tool
  const short = description.length <= max ? description : `${description.slice(0, max).trimEnd()} …`
  if (inputs && hasLongInput(tool)) return { ...tool, brief: short }
  return short === description ? tool : { ...tool, description: short }
}

/** The end of people's messages, from a whole line on if there is one. */
export function newestPart(said: string, max: number): string {
  if (said.length <= max) return said
  const from = said.length - max
  const line = said.indexOf('\n', from)
  const start = line >= 0 && line - from < max / 2 ? line + 1 : from
  const note = `(${start} characters of earlier messages are left out)`
  return max <= 0 ? note : `${note}\n${said.slice(start)}`
}
