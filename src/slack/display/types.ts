import type { ToolStep, UnreadableStep } from '../../agent/types.ts'
import type { AnswerView } from '../format/blocks.ts'

/** A step as it stands now. `n` counts from 1. */
export interface ShownStep {
  n: number
  step: ToolStep | UnreadableStep
  /** How a follow-up was understood; with the first step. */
  understood?: string | undefined
}

/** What is known of an answer when it begins. */
export type AnswerStart = Pick<AnswerView, 'sources' | 'question' | 'questionId' | 'understood' | 'allowedHosts'>

/** What a run ends with: its answer, or a sentence of the bot's own (mrkdwn). `key` begins the keys of its posts. */
export type Ending = { key: string; unfinished: ShownStep[] } & (
  { kind: 'answer'; view: AnswerView } | { kind: 'note'; text: string }
)

/** One way to show a run in its thread. One call at a time; a call may come again after a crash, in another process. */
export interface Display {
  /** At least so long is between two calls of `show`, in ms; nothing where it is absent. */
  readonly everyMs?: number
  /**
   * Shows steps, or what has changed of them: all that came up since the last call. The first call comes at the beginning, also
   * without any step. @returns whether a message was posted. @throws what kept a step from being shown; the run goes on without it
   */
  show(steps: ShownStep[]): Promise<boolean>
  /**
   * Shows more of the answer while the model writes it; without a text, what was shown is no answer after all. Absent where an
   * answer is shown whole. `view`: what is known of it by now. Takes no time: what is told piles up for the next call.
   */
  showAnswer?(text: string | undefined, view: AnswerStart): void
  /**
   * Shows what the run ends with, and of the `unfinished` steps that they did not end; among these are steps that were not shown yet
   * because of `everyMs`. @throws what kept the ending from being shown
   */
  finish(ending: Ending): Promise<void>
  /** Closes what may still be open, after whatever ended the run. Never rejects. */
  end(): Promise<void>
  /** Does nothing more, because another process goes on. Resolves when no call is under way any more; never rejects. */
  leave?(): Promise<void>
}
