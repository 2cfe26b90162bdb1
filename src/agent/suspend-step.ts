/** Suspends a step until a person decides or answers. */
import { plainJson } from './canonical-json.ts'
import type { PendingCall, RunState } from './run-state.ts'
import type { AwaitedDecision, Observation, ToolStep, Waiting } from './contracts/run-events.ts'
import type { PersonsAnswer, ToolQuestion } from './contracts/tool.ts'

/** How often one call may wait for a person. A server that keeps asking is not called again. */
const MAX_ROUNDS = 10

/** Suspends the step until somebody allows its call. A step that already waits for that is returned unchanged. */
export function awaitingApproval(run: RunState, { step, tool, input, isRepeat }: PendingCall): ToolStep {
  if (step.waiting?.for?.kind === 'approval') return step
  const approval: AwaitedDecision = {
    kind: 'approval',
    input: plainJson(input),
    server: tool.server,
    ruleName: tool.ruleName,
    version: tool.version,
    title: tool.title,
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
  asks: ToolQuestion,
  answers: readonly PersonsAnswer[],
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
