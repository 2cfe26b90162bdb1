/**
 * The bot of `npm run dev`: an ordinary bot in a process that can be replaced. It reports its state and its runs to its
 * parent, and tries prompts for it. Everything else comes from its settings.
 */
import type { Env } from '../../src/config.ts'
import { messageOf } from '../../src/base/errors.ts'
import type { RunTrace } from '../../src/stores/runs/run-trace.ts'
import type { Recorder } from '../recording/recorder.ts'
import type { Json } from '../slack/types.ts'
import { sentenceOf } from './fault-sentence.ts'
import type { RunningBot } from './run-bot.ts'
import type { Tried, TryRequest } from './try-prompts.ts'

/** A message from the parent. */
export type ToBot =
  { type: 'start'; settings: Env } | { type: 'try'; id: number; request: TryRequest } | { type: 'leave' }

/** A message from the bot. `leaving`: it takes no more work, and ends once it has finished or handed over its runs. */
export type FromBot =
  | { type: 'ready'; port: number }
  | { type: 'leaving' }
  | { type: 'failed'; why: string }
  | { type: 'tried'; id: number; tried?: Tried; error?: string }
  | { type: 'trace'; trace: RunTrace }
  | { type: 'toolOffered'; tool: Json }
  | { type: 'toolBegun'; id: number; begun: Parameters<Recorder['onTool']>[0] }
  | { type: 'toolEnded'; id: number; end: Parameters<ReturnType<Recorder['onTool']>>[0] }

/** Sends a message to the parent. Ignores that the parent is gone: `disconnect` reports that. */
const tell = (message: FromBot, then?: () => void) => void process.send?.(message, undefined, undefined, then)

let bot: Promise<RunningBot> | undefined
const tries = new Set<Promise<void>>()

process.on('message', (message: ToBot) => {
  if (message.type === 'start') bot = start(message.settings)
  else if (message.type === 'try') tries.add(tryPrompts(message.id, message.request))
  else void leave()
})
// The parent is gone.
process.on('disconnect', () => process.exit(0))
// Ctrl+C reaches the parent too, which then ends this process.
process.on('SIGINT', () => undefined)

function start(settings: Env): Promise<RunningBot> {
  let tools = 0
  // Loaded now, so that an error in any file is reported.
  const started = import('./run-bot.ts').then(({ runBotHere }) =>
    runBotHere({
      settings,
      recorder: {
        onOffered: (tool) => tell({ type: 'toolOffered', tool }),
        onTool(begun) {
          const id = ++tools
          tell({ type: 'toolBegun', id, begun })
          return (end) => tell({ type: 'toolEnded', id, end })
        },
      },
      onTrace: (trace) => tell({ type: 'trace', trace }),
      now: () => new Date(),
    }),
  )
  started.then(
    ({ port = 0 }) => tell({ type: 'ready', port }),
    (error: unknown) => tell({ type: 'failed', why: sentenceOf(error) }, () => process.exit(1)),
  )
  return started
}

async function tryPrompts(id: number, request: TryRequest): Promise<void> {
  try {
    if (!bot) throw new Error('The bot is not started.')
    tell({ type: 'tried', id, tried: await (await bot).tryPrompts(request) })
  } catch (error) {
    tell({ type: 'tried', id, error: messageOf(error) })
  }
}

async function leave(): Promise<void> {
  const started = await bot
  await Promise.all(tries)
  const stopped = started?.stop()
  tell({ type: 'leaving' })
  await stopped
  process.exit(0)
}
