/** Runs the playground's bot, in this process by default. */
import { startBot } from '../../src/bot.ts'
import { loadConfig, secretsOf, type Env } from '../../src/config.ts'
import { createLog } from '../../src/base/log.ts'
import type { ChosenModel } from '../../src/question/agent/agent-parts.ts'
import type { RunTrace } from '../../src/stores/runs/run-trace.ts'
import { createStores } from '../../src/question/stores/open-stores.ts'
import type { PagePart } from '../page-server/page-part.ts'
import type { Recorder } from '../recording/recorder.ts'
import { until } from '../base/until.ts'
import { recordingSeam } from './tool-seams.ts'
import { createTrier, type Trier } from './try-prompts.ts'

/** The parts of a bot in the playground. */
export interface BotParts {
  settings: Env
  recorder: Pick<Recorder, 'onTool' | 'onOffered'>
  /** Receives the traces of its runs. */
  onTrace(trace: RunTrace): void
  now(): Date
  /** Receives the port of each bot that starts. */
  onPort?: (port: number) => void
  /** The model in place of the settings', if one is chosen. */
  chosenModel?: () => ChosenModel | undefined
}

interface RunningBot {
  tryPrompts: Trier['run']
  /** Called after another model was chosen, by a bot that does not ask for it at each question. */
  renew?(): Promise<void>
  /** The part of the page that belongs to it. */
  part?: PagePart
  stop(): Promise<void>
}

export type RunBot = (parts: BotParts) => Promise<RunningBot>

export const runBotHere: RunBot = async ({ settings, recorder, onTrace, now, onPort, chosenModel }) => {
  const config = loadConfig(settings)
  const log = createLog(config.LOG_LEVEL, undefined, secretsOf(config))
  const stores = await createStores(config, { log, now: () => now().getTime() })
  const bot = await startBot(config, {
    stores,
    onTrace,
    toolSeam: recordingSeam(recorder),
    now,
    ...(chosenModel && { chosenModel }),
  })
  // With Redis, a bot listens a moment before it can store a question.
  await until(() => stores.queue.ready(), 'a bot that is ready')
  onPort?.(bot.port)
  return { tryPrompts: createTrier(config, stores).run, stop: () => bot.stop() }
}
