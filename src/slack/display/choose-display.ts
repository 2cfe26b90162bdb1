import { isDirect, isPrivate } from '../../stores/runs/types.ts'
import type { Settings } from '../../stores/settings/settings.ts'
import { Card, CARD } from './card.ts'
import { UntilForAsker } from './until-private.ts'
import { PrivateAnswer } from './private-answer.ts'
import { Replies } from './replies.ts'
import { StepStream } from './stream.ts'
import { STREAM } from './stream-message.ts'
import type { Display, ShownRun } from './types.ts'

/**
 * Chooses how to show a run. It continues a stream or a card of an earlier process, which would stay unfinished
 * otherwise. In a channel, a card replaces the stream unless the operator wants it, because only one person sees a
 * stream grow.
 */
export function chooseDisplay(shown: ShownRun, steps: Settings['steps']): Display {
  const { outbox } = shown
  if (isPrivate(outbox.question)) return new PrivateAnswer(outbox)
  const everyone = displayForAll(shown, steps)
  return isDirect(outbox.question) ? everyone : new UntilForAsker(everyone, outbox)
}

function displayForAll(shown: ShownRun, steps: Settings['steps']): Display {
  const { outbox, settings, now } = shown
  const { question, run, refusals } = outbox
  const replies = new Replies(outbox, now)
  const mayStream = (isDirect(question) || settings.streamInChannels) && !refusals.has('chat.startStream')
  const isStreamed = run.saved.posts[STREAM] !== undefined || (steps === 'stream' && mayStream)
  const isOnCard = steps === 'card' || steps === 'stream' || run.saved.posts[CARD] !== undefined
  const card = isOnCard ? new Card(outbox, now, replies) : replies
  const display = isStreamed ? new StepStream(shown, card) : card
  return steps === 'hidden' ? hideSteps(display) : display
}

/** `STEPS=hidden`: shows only the ending of a run, through `inner`. */
function hideSteps(inner: Display): Display {
  return {
    show: async () => false,
    finish: (...ending) => inner.finish(...ending),
    end: () => inner.end(),
  }
}
