/** Suspended steps, and calls whose effect is unknown. */
import { canonicalJson, plainJson } from './canonical-json.ts'
import type { PendingCall, RunState } from './run-state.ts'
import { coerceInput } from './tool-input.ts'
import type { AwaitedDecision, Observation, ToolStep, Waiting } from './contracts/run-events.ts'
import type { PersonsAnswer, Tool, ToolQuestion } from './contracts/tool.ts'

/** How often one call may wait for a person. A server that keeps asking is not called again. */
const MAX_ROUNDS = 10

/** Suspends the step until somebody allows its call. A step that already waits for that is returned unchanged. */
export function awaitingApproval(run: RunState, { step, tool, input, isRepeat }: PendingCall): ToolStep {
  if (step.waiting?.for?.kind === 'approval') return step
  const approval: AwaitedDecision = {
    kind: 'approval',
    input: plainJson(input),
    ...(tool.server === undefined ? {} : { server: tool.server }),
    ...(tool.ruleName === undefined ? {} : { ruleName: tool.ruleName }),
    ...(tool.version === undefined ? {} : { version: tool.version }),
    ...(tool.title === undefined ? {} : { title: tool.title }),
    ...(tool.asAsker ? { asAsker: true as const } : {}),
    says: tool.description,
    ...(isRepeat ? { isRepeat: true as const } : {}),
  }
  return nextRound(run, step, approval)
}

/**
 * Suspends the step until the asker answers its tool. `answers` are the earlier answers. The call has ended without
 * taking effect. Returns an observation if the tool has asked too often.
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

function nextRound(run: RunState, step: ToolStep, awaited: AwaitedDecision): ToolStep {
  const { waiting: before } = step
  const round = before ? { round: (before.round ?? 1) + 1, from: before.from ?? before.since } : {}
  return { ...step, waiting: { since: run.now().getTime(), ...round, for: awaited } }
}

/** Marks the wait of a resumed step as over. It ended when this process took the run up. */
export function afterWait({ startedAt }: RunState, step: ToolStep, waiting: Waiting): ToolStep {
  return waiting.until === undefined ? { ...step, waiting: { ...waiting, until: startedAt } } : step
}

/** Returns whether a call may be repeated after a crash. */
export function isSafeToRepeat(tool: Tool | undefined): boolean {
  return tool?.effects === 'read' || tool?.idempotent === true
}

/** The observation for a call whose effect is unknown. `why` is a clause. */
export function unknownEffect(tool: string, why: string): Observation {
  const text =
    `It is not known whether ${tool} took effect: ${why}. ` +
    'Look with another tool whether it did, or ask the person before you do it again.'
  return { ok: false, unknown: true, text }
}

/** Returns whether the run made the same call before, in any notation, and its effect is unknown. */
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
