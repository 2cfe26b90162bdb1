import type { Config } from '../../config.ts'
import type { Log } from '../../base/log.ts'
import { isDirect, isPrivate } from '../../stores/runs/types.ts'
import type { Outbox } from '../client/outbox.ts'
import { Card, CARD } from './card.ts'
import { UntilForAsker } from './until-private.ts'
import { PrivateAnswer } from './private-answer.ts'
import { Replies } from './replies.ts'
import { StepStream } from './step-stream.ts'
import { STREAM } from './stream-message.ts'
import type { StreamRefusals } from './places-without-streams.ts'
import type { Display } from './types.ts'

interface DisplayChoice {
  outbox: Outbox
  /** The setting `STEPS`. */
  steps: Config['STEPS']
  /** The setting `STEPS_STREAM_CHANNELS`: whether to stream in channels, where only one person sees a stream grow. */
  streamInChannels: boolean
  /** Shared by all runs of the process. */
  streamsRefused: StreamRefusals
  /** Replaces ids with names. */
  forPeople(text: string): string
  /** Asks the run to stop, because a person stopped its stream. */
  stopRun(): void
  log: Log
  signal: AbortSignal
  now(): Date
}

/**
 * Chooses how to show a run. It continues a stream or a card of an earlier process, which would stay unfinished
 * otherwise. In a channel, a card replaces the stream unless the operator wants it, because only one person sees a
 * stream grow.
 */
export function chooseDisplay(options: DisplayChoice): Display {
  const { outbox } = options
  if (isPrivate(outbox.question)) return new PrivateAnswer(outbox)
  const everyone = displayForAll(options)
  return isDirect(outbox.question) ? everyone : new UntilForAsker(everyone, options)
}

function displayForAll(options: DisplayChoice): Display {
  const { steps, streamInChannels, outbox } = options
  const { question, run, refusals } = outbox
  const replies = new Replies(options)
  const mayStream = (isDirect(question) || streamInChannels) && !refusals.has('chat.startStream')
  const isStreamed = run.saved.posts[STREAM] !== undefined || (steps === 'stream' && mayStream)
  const isOnCard = steps === 'card' || steps === 'stream' || run.saved.posts[CARD] !== undefined
  const card = isOnCard ? new Card({ ...options, answer: replies }) : replies
  const shown = isStreamed ? new StepStream({ ...options, fallback: card }) : card
  return steps === 'hidden' ? hideSteps(shown) : shown
}

/** `STEPS=hidden`: shows only the ending of a run, through `inner`. */
function hideSteps(inner: Display): Display {
  return {
    show: async () => false,
    finish: (ending) => inner.finish(ending),
    end: () => inner.end(),
  }
}
