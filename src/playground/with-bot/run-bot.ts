/** How the playground runs its bot: in this process, unless told otherwise. */
import { startBot } from '../../bot.ts'
import type { Config, Env } from '../../config.ts'
import type { RunTrace } from '../../run/run-trace.ts'
import type { Stores } from '../../stores.ts'
import type { PagePart } from '../page-part.ts'
import type { Recorder } from '../recording/recorder.ts'
import { recordingSeam } from './tool-seams.ts'
import { createTrier, type Trier } from './try-prompts.ts'

/** What a bot of the playground is given. */
export interface BotParts {
  settings: Env
  config: Config
  stores: Stores
  recorder: Recorder
  /** Where it tells the traces of its runs. */
  onTrace(trace: RunTrace): void
}

export interface RunningBot {
  tryPrompts: Trier['run']
  /** What the page has because of it. */
  part?: PagePart
  stop(): Promise<void>
}

export type RunBot = (parts: BotParts) => Promise<RunningBot>

export const runBotHere: RunBot = async ({ config, stores, recorder, onTrace }) => {
  const bot = await startBot(config, { stores, onTrace, toolSeam: recordingSeam(recorder) })
  return { tryPrompts: createTrier(config, stores).run, stop: () => bot.stop() }
}
