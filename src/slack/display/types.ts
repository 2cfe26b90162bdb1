import type { Connections } from '../../question/connections/connections.ts'
import type { Settings } from '../../stores/settings/settings.ts'
import type { ThreadStates } from '../../stores/threads/types.ts'
import type { Mentions } from '../client/mentions.ts'
import type { Outbox } from '../client/outbox.ts'
import type { AnswerView } from '../format/blocks.ts'
import type { CardStep } from '../format/work-card.ts'
import type { StreamRefusals } from './places-without-streams.ts'

/** A run as its displays need it. */
export interface ShownRun {
  outbox: Outbox
  mentions: Mentions
  settings: Settings
  threads: Pick<ThreadStates, 'load' | 'patch'>
  connections?: Connections | undefined
  /** Shared by all runs of the process. */
  streamsRefused: StreamRefusals
  /** Asks the run to stop, because a person stopped its stream. */
  stopRun(): void
  now(): Date
}

/** The current state of a step. */
export interface ShownStep extends CardStep {
  /** How a follow-up was understood; only with the first step. */
  understood?: string | undefined
}

/** The parts of an answer that are known when it begins. */
export type AnswerStart = Pick<AnswerView, 'sources' | 'question' | 'questionId' | 'understood' | 'allowedHosts'>

/** The ending of a run: its answer, or a note. `key` is the prefix of its post keys. */
export type Ending = Answer | Note

interface Answer {
  kind: 'answer'
  key: string
  view: AnswerView
}

/**
 * A sentence of the bot itself (mrkdwn). `again`: the id of a question that a button asks again; `done`: the run's
 * writes, a line each.
 */
interface Note {
  kind: 'note'
  key: string
  text: string
  again?: string | undefined
  done?: readonly string[] | undefined
}

/** A way to show a run in its thread. Calls come one at a time; another process may repeat one after a crash. */
export interface Display {
  /** Minimum time between two calls of `show`, in ms. Default: none. */
  readonly everyMs?: number
  /**
   * Shows the steps that are new or changed since the last call. The first call comes at the beginning, even without
   * steps. @returns whether a message was posted. @throws the error if a step cannot be shown; the run continues
   * without it
   */
  show(steps: ShownStep[]): Promise<boolean>
  /**
   * Shows more of the answer while the model writes it. Without a text, the shown text turned out not to be the answer.
   * Absent if the display shows only whole answers. `view`: what is known so far. Returns at once: text is buffered for
   * the next call.
   */
  showAnswer?(text: string | undefined, view: AnswerStart): void
  /**
   * Shows the ending of the run, and marks the `unfinished` steps as not finished. These include steps that were not
   * shown yet because of `everyMs`. @throws the error if the ending cannot be shown
   */
  finish(ending: Ending, unfinished: ShownStep[]): Promise<void>
  /** Closes whatever is still open after any end of the run. Never rejects. */
  end(): Promise<void>
  /** Stops because another process continues. Resolves once no call is pending. Never rejects. */
  leave?(): Promise<void>
}
