import type { Config } from '../../config.ts'
import type { Log } from '../../base/log.ts'
import { isDirect, isPrivate } from '../../stores/runs/types.ts'
import type { Outbox } from '../client/outbox.ts'
import { Card, CARD } from './card.ts'
import { hideSteps } from './hidden.ts'
import { PrivateAnswer } from './private-answer.ts'
import { Replies } from './replies.ts'
import { StepStream, type StepStreamOptions } from './step-stream.ts'
import { endStream } from './stream-ending.ts'
import { STREAM } from './stream-message.ts'
import type { StreamRefusals } from './stream-refusals.ts'
import type { Display } from './types.ts'

export interface DisplayChoice {
  outbox: Outbox
  /** How the steps are shown: the setting `STEPS`. */
  steps: Config['STEPS']
  /** Whether a stream may be opened in a channel, where one person alone sees it grow: `STEPS_STREAM_CHANNELS`. */
  streamInChannels: boolean
  /** Shared by all runs of the process. */
  streamsRefused: StreamRefusals
  /** A text with names in place of ids. */
  named(text: string): string
  /** Asks the run to stop: a person has stopped what it was showing. */
  stopRun(): void
  log: Log
  signal: AbortSignal
  now(): Date
}

/**
 * Chooses how a run is shown. A stream or a card that an earlier process began is gone on with, so that it does not stay as it is.
 * In a channel one person alone sees a stream grow: there it is a card, unless the operator wants it.
 */
export function chooseDisplay(options: DisplayChoice): Display {
  const { steps, streamInChannels, outbox } = options
  const { question, run, refusals } = outbox
  if (isPrivate(question)) return new PrivateAnswer(outbox)
  const replies = new Replies(options)
  const mayStream = (isDirect(question) || streamInChannels) && !refusals.has('chat.startStream')
  const isStreamed = run.saved.posts[STREAM] !== undefined || (steps === 'stream' && mayStream)
  if (steps === 'replies' && !isStreamed && run.saved.posts[CARD] === undefined) return replies
  const isOnCard = steps === 'card' || steps === 'stream' || run.saved.posts[CARD] !== undefined
  const card = isOnCard ? new Card({ ...options, answer: replies }) : replies
  const shown = isStreamed ? streamFor(options, card) : card
  return steps === 'hidden' ? hideSteps(shown) : shown
}

function streamFor(options: DisplayChoice, fallback: Display): StepStream {
  const { outbox, signal, streamsRefused: refused } = options
  const end: StepStreamOptions['end'] = (key, view, stream) => endStream(key, view, { ...stream, outbox, signal })
  return new StepStream({ ...options, refused, end, fallback })
}
