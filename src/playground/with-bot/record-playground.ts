import { join } from 'node:path'
import type { Env } from '../../config.ts'
import type { ToolSeam } from '../../create-agent.ts'
import { ROOT } from '../../package-root.ts'
import type { Journal } from '../journal.ts'
import type { LocalSlack } from '../local-slack.ts'
import type { OnAct } from '../page-actions.ts'
import type { PagePart } from '../page-part.ts'
import { createRecorder } from '../recording/recorder.ts'
import { recordingPart } from '../recording/recording-part.ts'
import { REPLAYED_SETTINGS, replayWithBot } from './replay-bot.ts'
import { recordingSeam } from './tool-seams.ts'

/** Where a checkout has its recorded conversations. */
export const CONVERSATIONS = 'test/conversations'

/** What a playground is told of, so that it can be recorded. */
export interface PlaygroundRecording {
  onAct: OnAct
  toolSeam: ToolSeam
  part: PagePart
}

/** Records a playground from its beginning. `settings`: those of its bot. */
export function recordPlayground(
  slack: LocalSlack,
  { journal, settings, secrets }: { journal: Journal; settings: Env; secrets: string[] },
): PlaygroundRecording {
  const kept = Object.entries(settings).flatMap(([name, value]): [string, string][] =>
    value && REPLAYED_SETTINGS.test(name) ? [[name, value]] : [],
  )
  const recorder = createRecorder(slack, { journal, settings: Object.fromEntries(kept), secrets })
  const part = recordingPart(recorder, { folder: join(ROOT, CONVERSATIONS), replay: replayWithBot })
  return { onAct: recorder.onAct, toolSeam: recordingSeam(recorder), part }
}
