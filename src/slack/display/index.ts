import type { Log } from '../../log.ts'
import type { Outbox } from '../outbox.ts'
import { hideSteps } from './hidden.ts'
import { Replies } from './replies.ts'
import { STREAM, StepStream } from './step-stream.ts'
import type { Display } from './types.ts'

/** Chooses how a run is shown. A stream that an earlier process opened is gone on with, so that it does not stay open. */
export function createDisplay(steps: 'replies' | 'stream' | 'hidden', parts: { outbox: Outbox; log: Log }): Display {
  const replies = new Replies(parts)
  const isStreamed = steps === 'stream' || parts.outbox.run.saved.posts[STREAM] !== undefined
  const shown = isStreamed ? new StepStream({ ...parts, fallback: replies }) : replies
  return steps === 'hidden' ? hideSteps(shown) : shown
}
