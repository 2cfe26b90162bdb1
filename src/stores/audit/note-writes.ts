/** Which steps of a run are writes, and what the audit list says of each. Loaded where a run has one. */
import { coerceInput } from '../../agent/tool-input.ts'
import type { Step, Tool, ToolStep } from '../../agent/types.ts'
import { messageOf } from '../../base/errors.ts'
import type { StoreLog } from '../../base/store-log.ts'
import { callKey } from '../runs/call-key.ts'
import { waitKey, type Decision, type Question, type SavedRun } from '../runs/types.ts'
import type { AuditEntry, AuditLog, Decided, WriteOutcome } from './types.ts'

/** A step of a run and its number, from 1. */
export interface NumberedStep {
  n: number
  step: Step
}

export interface WritesOf {
  question: Question
  saved: Pick<SavedRun, 'decisions'>
  /** The run's tools, as far as they are still there. */
  tools: readonly Tool[]
  /** The run has ended: a call without an observation gets none any more. */
  isOver: boolean
  audit: AuditLog
  log: StoreLog
  /** Who has allowed a tool in the run's thread from then on. */
  grantedBy?: ((tool: Tool) => Promise<string | undefined>) | undefined
}

/**
 * Notes those of the steps that are writes. It may be told of a step again at any time: what an earlier process had no time
 * to note is noted then.
 * @throws what keeps the list from storing it, so that a write which cannot be noted is not made; not once the run is over,
 * as all that can be missing then is how a write ended.
 */
export async function noteWrites(steps: readonly NumberedStep[], of: WritesOf): Promise<void> {
  try {
    for (const { n, step } of steps) {
      const entry = step.kind === 'tool' ? await entryOf(n, step, of) : undefined
      if (entry) await of.audit.note(entry)
    }
  } catch (error) {
    if (!of.isOver) throw error
    of.log.warn({ question: of.question.id, error: messageOf(error) }, 'how a write ended could not be noted')
  }
}

async function entryOf(n: number, step: ToolStep, of: WritesOf): Promise<AuditEntry | undefined> {
  const tool = of.tools.find(({ name }) => name === step.action.tool)
  const decision = decisionAbout(n, step, of.saved)
  const outcome = isWrite(step, { tool, decision }) ? outcomeOf(step, of.isOver) : undefined
  if (!outcome) return undefined
  const { id, team, channel, thread, user, at } = of.question
  const asked = approvalOf(step)
  const server = tool?.server ?? asked?.server
  return {
    ...{ run: id, step: n, team, channel, thread, askedBy: user, tool: step.action.tool, outcome },
    ...(await decidedOf(decision, tool, of)),
    ...(server === undefined ? {} : { server }),
    argumentsHash: callKey(step.action.tool, sentInput(step, tool)),
    at: step.begun ?? step.waiting?.since ?? at,
  }
}

/**
 * A call that was begun is a write. So is one that a person was asked about and that was not made, unless its tool only reads:
 * of a tool that is not there any more that is not known.
 */
function isWrite(
  { begun, waiting }: ToolStep,
  { tool, decision }: { tool: Tool | undefined; decision: Decision | undefined },
): boolean {
  if (begun !== undefined || tool?.effects === 'read') return begun !== undefined
  return decision !== undefined || (waiting !== undefined && (waiting.for?.kind !== 'question' || tool !== undefined))
}

/**
 * Undefined for a call that is neither made nor refused, as it waits for a person, or whose run was stopped while it did. One
 * whose tool asked the asker something has had no effect.
 */
function outcomeOf({ begun, waiting, observation }: ToolStep, isOver: boolean): WriteOutcome | undefined {
  const isUnanswered = isOver && waiting?.for?.kind === 'question'
  if (begun === undefined) return observation || isUnanswered ? 'not_run' : undefined
  if (!observation) return isOver ? 'unknown' : 'begun'
  // What was too slow may have taken effect all the same.
  if (observation.unknown || observation.down) return 'unknown'
  return observation.ok ? 'done' : 'failed'
}

/** What a person decided about the call, or that nobody did in time; not what was answered to the tool's own questions. */
function decisionAbout(n: number, { waiting }: ToolStep, { decisions }: WritesOf['saved']): Decision | undefined {
  const rounds = Array.from({ length: waiting?.round ?? 1 }, (_, i) => decisions[waitKey(n, { round: i + 1 })])
  const decided = rounds.findLast((one) => one?.outcome === 'allowed' || one?.outcome === 'denied')
  return decided ?? rounds.findLast((one) => one?.outcome === 'expired')
}

async function decidedOf(
  decision: Decision | undefined,
  tool: Tool | undefined,
  { grantedBy }: WritesOf,
): Promise<{ how: Decided; decidedBy?: string }> {
  if (decision?.outcome === 'allowed') return { how: decision.always ? 'always' : 'once', decidedBy: decision.by }
  if (decision?.outcome === 'denied') return { how: 'denied', decidedBy: decision.by }
  if (decision) return { how: 'expired' }
  const by = tool?.needsApproval ? await grantedBy?.(tool) : undefined
  return by === undefined ? { how: 'config' } : { how: 'always', decidedBy: by }
}

/** Of a call that was made, what the tool got; of one that was not, what the person was shown. */
function sentInput(step: ToolStep, tool: Tool | undefined): unknown {
  const asked = approvalOf(step)
  if (asked && step.begun === undefined) return asked.input
  const input = tool && coerceInput(tool, step.action.input)
  return input?.ok ? input.value : (asked?.input ?? step.action.input)
}

function approvalOf({ waiting }: ToolStep) {
  return waiting?.for?.kind === 'approval' ? waiting.for : undefined
}
