/** Turns actions into observations: checks each input, asks for permission, calls the tool. */
import { callTool, failure, type StepCall } from './call-tool.ts'
import { coerceInput } from './tool-input.ts'
import { clip, REPEATED } from './observation.ts'
import { hasOtherRunSince, maxSame, sameActions } from './repeated-actions.ts'
import { reportUsage, record } from './run-progress.ts'
import type { PendingCall, RunState } from './run-state.ts'
import { afterWait, awaitingAnswer, awaitingApproval } from './suspend-step.ts'
import { isSafeToRepeat, isUnknownRepeat, unknownEffect, wasUsedBefore } from './unknown-effect.ts'
import type { AgentEvent, Observation, ToolStep } from './contracts/run-events.ts'
import type { PersonsAnswer, ToolAsks, ToolMemory, ToolQuestion } from './contracts/tool.ts'

/** A step without an observation; `n` is its number. */
interface Pending {
  n: number
  step: ToolStep
}

/** What happens next to a pending step: an observation without a call, a suspension, or the call of its tool. */
type Plan = { observation: Observation } | { suspended: ToolStep } | StepCall

/**
 * Runs every step without an observation in parallel, and yields the observations in the order of the steps. A tool
 * with effects is called only after the reader of the events has taken its `begun` event.
 */
export async function* actAndObserve(run: RunState): AsyncGenerator<AgentEvent> {
  const pending = run.progress.steps.flatMap((step, i): Pending[] =>
    step.kind === 'tool' && !step.observation ? [{ step, n: i + 1 }] : [],
  )
  const plans = await Promise.all(pending.map((one) => planOf(run, one)))
  const calls = plans.map((plan) => (isWrite(plan) ? undefined : startCall(run, plan)))
  try {
    for (const [i, plan] of plans.entries()) {
      if (!isWrite(plan)) continue
      yield beginCall(run, pending[i]!)
      run.signal.throwIfAborted()
      calls[i] = startCall(run, plan)
    }
    for (const [i, { n }] of pending.entries()) {
      const plan = plans[i]!
      const { result, ms } = (await calls[i])!
      yield record(run, outcomeOf(run, { n, plan, result, ms }))
    }
  } catch (error) {
    await Promise.allSettled(calls)
    throw error
  }
  yield* reportUsage(run)
}

type StepResult = Observation | ToolAsks | { suspended: ToolStep }

/**
 * Starts a planned call. The first failure ends the run. Other failures are caught here, because an unhandled rejection
 * would end the process.
 */
function startCall(run: RunState, plan: Plan): Promise<{ result: StepResult; ms: number }> {
  const startedAt = run.now().getTime()
  const work = async () => {
    const result = 'tool' in plan ? await callTool(run, plan) : 'observation' in plan ? plan.observation : plan
    return { result, ms: run.now().getTime() - startedAt }
  }
  const call = work()
  call.catch(() => undefined)
  return call
}

function isWrite(plan: Plan): plan is StepCall {
  return 'tool' in plan && plan.tool.effects === 'write'
}

function beginCall(run: RunState, { n, step }: Pending): AgentEvent {
  run.signal.throwIfAborted()
  return record(run, {
    type: 'begun',
    n,
    step: { ...(step.waiting ? afterWait(run, step, step.waiting) : step), begun: run.now().getTime() },
  })
}

/** The event for a finished call: an observation, or a step that waits for a person. */
function outcomeOf(
  run: RunState,
  { n, plan, result, ms }: { n: number; plan: Plan; result: StepResult; ms: number },
): AgentEvent {
  if ('suspended' in result) return { type: 'waiting', n, step: result.suspended }
  const step = stepAt(run, n)
  const answers = 'tool' in plan ? plan.answers : []
  const outcome = 'asks' in result ? afterQuestion(run, n, step, answers, result.asks) : result
  if ('kind' in outcome) return { type: 'waiting', n, step: outcome }
  const observation = step.dropped ? { ...outcome, note: droppedNote(run, step) } : outcome
  const observed = {
    ...(step.waiting ? afterWait(run, step, step.waiting) : step),
    ...(answers.length > 0 ? { answers: [...answers] } : {}),
    observation,
  }
  return { type: 'observation', n, step: observed, ms, ...changedMemory(run) }
}

/** The step as the events have reported it so far. */
function stepAt({ progress }: RunState, n: number): ToolStep {
  const step = progress.steps[n - 1]
  if (step?.kind !== 'tool') throw new Error(`Step ${n} uses no tool.`)
  return step
}

/** The step suspended for the asker's answer, or an observation if nobody can be asked. */
function afterQuestion(
  run: RunState,
  n: number,
  step: ToolStep,
  answers: readonly PersonsAnswer[],
  asks: ToolQuestion,
): ToolStep | Observation {
  const outcome = awaitingAnswer(run, step, asks, answers)
  const isAsked = 'kind' in outcome && run.answered?.(n, outcome) !== undefined
  return 'kind' in outcome && !isAsked ? nobodyAnswers(step, asks) : outcome
}

function nobodyAnswers({ action }: ToolStep, { message, forAsker }: ToolQuestion): Observation {
  const observation = failure(`${action.tool} asks: ${clip(message)} Nobody can be asked here.`)
  return forAsker ? { ...observation, forAsker } : observation
}

/** Tells the model, once per turn, that it asked for more calls than allowed. */
function droppedNote({ progress }: RunState, { turn, dropped = 0 }: ToolStep): string {
  const made = progress.steps.filter((step) => step.kind === 'tool' && step.turn === turn).length
  return `Only the first ${made} of ${made + dropped} calls were run. Ask again for the others if they are still needed.`
}

/** A copy of the tools' memory, if it differs from what the events have reported. */
function changedMemory({ memory, progress }: RunState): { memory?: ToolMemory } {
  const text = JSON.stringify(memory)
  if (text === JSON.stringify(progress.memory)) return {}
  const copy: ToolMemory = JSON.parse(text)
  return { memory: copy }
}

/**
 * Decides what happens to one action. A model's failure and a person's refusal become observations and never throw. A
 * call that was begun and is not safe to repeat is not made again.
 */
async function planOf(run: RunState, { n, step }: Pending): Promise<Plan> {
  const { action } = step
  const tool = run.tools.find((t) => t.name === action.tool)
  if (step.begun !== undefined && !isSafeToRepeat(tool)) return { observation: unknownEffect(clip(action.tool), ENDED) }
  if (!tool) return { observation: failure(noSuchTool(run, action.tool)) }
  // A call that a person was asked about is not treated as a repetition: the person decides.
  const earlier = run.limits.breakLoops === false || step.waiting ? undefined : repeatedResult(run, step)
  if (earlier) return { observation: earlier }
  const input = coerceInput(tool, action.input)
  if (!input.ok) return { observation: failure(input.problem) }
  const answers = answersTo(run, { n, step })
  if (!Array.isArray(answers)) return answers
  return planPermitted(run, { n, step, tool, input: input.value }, answers)
}

const ENDED = 'the process that made the call ended before the tool answered'

function noSuchTool({ tools }: RunState, name: string): string {
  const names = tools.map((t) => t.name).join(', ')
  return `There is no tool "${clip(name)}". The tools are: ${names}. If none of them helps, answer without one.`
}

/** All answers of the asker to the step's tool, or the plan for a step whose question has no answer. */
function answersTo(run: RunState, { n, step }: Pending): PersonsAnswer[] | Exclude<Plan, StepCall> {
  const { answers = [], waiting } = step
  if (waiting?.for?.kind !== 'question') return answers
  const answer = run.answered?.(n, step)
  if (answer === 'wait') return { suspended: step }
  if (!answer) return { observation: nobodyAnswers(step, waiting.for) }
  return [...answers, { state: waiting.for.state, ...answer }]
}

/** The plan for a call with a valid input: the call, a suspension until a person decides, or the refusal. */
async function planPermitted(
  run: RunState,
  { n, step, tool, input }: Omit<PendingCall, 'isRepeat'>,
  answers: PersonsAnswer[],
): Promise<Plan> {
  const isRepeat = tool.effects === 'write' && (isUnknownRepeat(run, step, tool, input) || wasUsedBefore(run, tool))
  const call = { n, step, tool, input, isRepeat }
  const permission = (await run.mayRun?.(call)) ?? 'yes'
  if (permission === 'yes') return { n, tool, input, answers }
  if (permission !== 'wait') return { observation: failure(permission.no) }
  return { suspended: awaitingApproval(run, { ...call, step: answers.length > 0 ? { ...step, answers } : step }) }
}

/** The earlier result of the same call, if nothing else has run since: it would return the same again. */
function repeatedResult(run: RunState, step: ToolStep): Observation | undefined {
  const earlier = sameActions(run, step.action).filter((s) => s !== step && s.observation && !s.observation.unknown)
  const last = earlier.at(-1)
  if (!last || hasOtherRunSince(run.progress.steps, last)) return undefined
  const isLast = earlier.length + 1 >= maxSame(run, step.action)
  const again = isLast ? '' : REPEATED.after
  const result = earlier.find(({ observation }) => !observation?.hint)?.observation ?? last.observation!
  const { passing, forAsker } = result
  const text = `${REPEATED.before}${result.text}${again}`
  return { ok: true, text, hint: true, passing, forAsker }
}
