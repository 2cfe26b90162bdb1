/** Steps that wait for a person, and calls of which nobody knows whether they took effect. */
import { canonicalJson, plainJson } from './canonical-json.ts'
import type { PendingCall, RunState } from './run-state.ts'
import { coerceInput } from './tool-input.ts'
import type { Awaited, Observation, PersonsAnswer, Tool, ToolQuestion, ToolStep, Waiting } from './types.ts'

/** As often may one call wait for a person: a server that asks and asks is not called again. */
const MAX_ROUNDS = 10

/** The step as it waits for somebody to allow its call. One that waits for that already stays as it is, with what was shown. */
export function awaitingApproval(run: RunState, { step, tool, input, isRepeat }: PendingCall): ToolStep {
  const { waiting } = step
  if (waiting?.for?.kind === 'approval') return step
  const approval: Awaited = {
    kind: 'approval',
    input: plainJson(input),
    ...(tool.server === undefined ? {} : { server: tool.server }),
    ...(tool.ruleName === undefined ? {} : { ruleName: tool.ruleName }),
    ...(tool.version === undefined ? {} : { version: tool.version }),
    says: tool.description,
    ...(isRepeat ? { isRepeat: true as const } : {}),
  }
  return nextRound(run, step, approval)
}

/**
 * The step as it waits for the asker's answer to what its tool asks; `answers` are those before. Its call has ended, without
 * taking effect. An observation where the tool has asked too often.
 */
export function awaitingAnswer(
  run: RunState,
  { begun: _, ...step }: ToolStep,
  { asks, answers }: { asks: ToolQuestion; answers: readonly PersonsAnswer[] },
): ToolStep | Observation {
  if ((step.waiting?.round ?? 1) >= MAX_ROUNDS)
    return { ok: false, text: `${step.action.tool} asked the person too often: it was not called again.` }
  const tool = run.tools.find(({ name }) => name === step.action.tool)
  const version = tool?.version === undefined ? {} : { version: tool.version }
  const question = { ...asks, ...version, kind: 'question' as const, state: plainJson(asks.state) }
  const all = answers.length > 0 ? { answers: [...answers] } : {}
  return nextRound(run, { ...step, ...all }, question)
}

function nextRound(run: RunState, step: ToolStep, awaited: Awaited): ToolStep {
  const { waiting: before } = step
  const round = before ? { round: (before.round ?? 1) + 1, from: before.from ?? before.since } : {}
  return { ...step, waiting: { since: run.now().getTime(), ...round, for: awaited } }
}

/** A step that has waited, once the run goes on with it: this process took the run up when its wait was over. */
export function afterWait({ startedAt }: RunState, step: ToolStep, waiting: Waiting): ToolStep {
  return waiting.until === undefined ? { ...step, waiting: { ...waiting, until: startedAt } } : step
}

/** Whether a call may be made again after a crash. */
export function isSafeTwice(tool: Tool | undefined): boolean {
  return tool?.effects === 'read' || tool?.idempotent === true
}

/** What is observed of a call of which it is not known whether it took effect. `why`: a clause. */
export function notKnown(tool: string, why: string): Observation {
  const text =
    `It is not known whether ${tool} took effect: ${why}. ` +
    'Look with another tool whether it did, or ask the person before you do it again.'
  return { ok: false, unknown: true, text }
}

/** Whether the same call was made before in the run and it is not known whether it took effect; however its input was written. */
export function isUnknownRepeat(
  { progress }: RunState,
  { step, tool, input }: { step: ToolStep; tool: Tool; input: unknown },
): boolean {
  const key = canonicalJson(input)
  return progress.steps.some((other) => {
    if (other.kind !== 'tool' || other === step || other.action.tool !== tool.name) return false
    if (!other.observation?.unknown) return false
    const before = coerceInput(tool, other.action.input)
    return before.ok && canonicalJson(before.value) === key
  })
}
