import type { Tool } from '../agent/contracts/tool.ts'
import { noteWrites } from '../stores/audit/note-writes.ts'
import { answer, type AnswerDeps, type AnswerEvent } from './answer.ts'
import type { Release, RunWork } from './services.ts'

export interface AnsweringWork extends RunWork {
  /** Books the question's cost and frees its place; see admission.ts. */
  release(options?: Release): Promise<void>
}

/** The run shows nothing after these events, so its place among the team's runs is free. */
const ENDS = new Set(['answer', 'gave_up', 'waiting'])

/**
 * Answers an admitted question and yields the events to show. A write is in the audit list before it is made, and the
 * question's place is free before its end is shown.
 */
export async function* runQuestion(work: AnsweringWork, deps: AnswerDeps): AsyncGenerator<AnswerEvent> {
  const { question, run, signal, services } = work
  const grantedBy = async (tool: Tool) => deps.grants?.grantedBy(tool)
  await auditSaved(work, false, grantedBy)
  const events = answer(question, run, { ...deps, signal })
  // The usage of the last call is reported before the answer, and saved with it.
  const usage = [...run.saved.usage]
  for await (const event of services.telemetry.watch?.events(events, deps.agent.tools) ?? events) {
    if (event.type === 'usage') usage.push(event.usage)
    if (ENDS.has(event.type)) await work.release({ usage })
    // The loop waits, so that no call is made before it is noted.
    if ('step' in event) await auditSteps(work, [event], false, grantedBy)
    yield event
  }
}

type GrantedBy = (tool: Tool) => Promise<string | undefined>

/** Adds the writes among all saved steps of a run to the audit list. */
export async function auditSaved(work: RunWork, isOver: boolean, grantedBy: GrantedBy): Promise<void> {
  const steps = work.run.saved.steps.map((step, i) => ({ n: i + 1, step }))
  await auditSteps(work, steps, isOver, grantedBy)
}

type NumberedSteps = Parameters<typeof noteWrites>[0]

async function auditSteps(
  { question, run, settings, services }: RunWork,
  all: NumberedSteps,
  isOver: boolean,
  grantedBy: GrantedBy,
): Promise<void> {
  const steps = all.filter(({ step }) => step.kind === 'tool' && (step.begun ?? step.waiting) !== undefined)
  const { audit, log } = services
  if (steps.length > 0)
    await noteWrites(steps, { isOver, grantedBy, question, saved: run.saved, tools: settings.tools, audit, log })
}
