/** The writes of an ended run: for people, and for the next attempt. */
import type { Task } from '../agent/run-state.ts'
import type { Step } from '../agent/contracts/run-events.ts'
import type { Tool } from '../agent/contracts/tool.ts'
import { doneCalls } from '../stores/audit/note-writes.ts'
import type { DoneCall, Question, SavedRun } from '../stores/runs/types.ts'
import { changeLines, mayHaveChanged } from './change-lines.ts'

interface EndedRun {
  question: Pick<Question, 'doneBefore'>
  steps: readonly Step[]
  answer?: SavedRun['answer']
  decisions?: SavedRun['decisions']
}

/** Returns the writes of a run, and of earlier tries of its question, that took effect or may have. */
export async function changesOf(
  { question, steps, answer, decisions = {} }: EndedRun,
  tools: readonly Tool[],
  grantedBy?: (tool: Tool) => Promise<string | undefined>,
): Promise<DoneCall[]> {
  // An answer's list has those of earlier tries.
  if (answer?.done) return answer.done.filter(mayHaveChanged)
  const own = await doneCalls(steps, { saved: { decisions }, tools, isOver: true, grantedBy })
  return [...(question.doneBefore ?? []), ...(own ?? [])].filter(mayHaveChanged)
}

/**
 * Returns a question that is asked again, with what was done for it before. `isForAsker`: only the asker may see what
 * that was, and the new run starts in public.
 */
export function withDoneBefore(question: Question, changes: readonly DoneCall[], isForAsker: boolean): Question {
  if (changes.length === 0) return question
  const hidden = isForAsker ? { what: '' } : {}
  const doneBefore = changes.map(({ by: _, ...call }) => ({ ...call, ...hidden, earlier: true as const }))
  return { ...question, doneBefore }
}

/** Returns what the agent has to know of earlier tries. */
export function doneBeforeOf({ doneBefore }: Pick<Question, 'doneBefore'>): Task['doneBefore'] {
  if (!doneBefore) return undefined
  const lines = changeLines(doneBefore, (user) => user).join('\n')
  return { lines, tools: [...new Set(doneBefore.map(({ tool }) => tool))] }
}
