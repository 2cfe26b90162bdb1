import { join } from 'node:path'
import type { Env } from '../../src/config.ts'
import { ROOT } from '../../src/base/package-root.ts'
import type { Journal } from '../journal/journal.ts'
import type { LocalSlack } from '../slack/local-slack.ts'
import type { OnAct } from '../page-server/page-actions.ts'
import type { PagePart } from '../page-server/page-part.ts'
import { createRecorder, type Recorder } from '../recording/recorder.ts'
import { recordingPart } from '../recording/recording-part.ts'
import { REPLAYED_SETTINGS, replayWithBot } from './replay-bot.ts'

/** The folder of recorded conversations in a checkout. */
const CONVERSATIONS = 'test/conversations'

/** The hooks that record a playground. */
export interface PlaygroundRecording {
  onAct: OnAct
  recorder: Recorder
  part: PagePart
}

interface RecordingSources {
  journal: Journal
  /** The settings of its bot. */
  settings: Env
  /** The folder for saved conversations; the checkout's unless given. */
  folder?: string | undefined
}

/** Records a playground from its start. */
export function recordPlayground(
  slack: LocalSlack,
  { journal, settings, folder = join(ROOT, CONVERSATIONS) }: RecordingSources,
): PlaygroundRecording {
  const kept = Object.entries(settings).flatMap(([name, value]): [string, string][] =>
    value && REPLAYED_SETTINGS.test(name) ? [[name, value]] : [],
  )
  const recorder = createRecorder(slack, { journal, settings: Object.fromEntries(kept) })
  const part = recordingPart(recorder, { folder, replay: replayWithBot })
  return { onAct: recorder.onAct, recorder, part }
}
