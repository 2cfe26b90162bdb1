/**
 * The bot of `npm run dev`: an ordinary bot, with its settings in its environment, that ends on SIGTERM. It reports its
 * runs to its parent.
 */
import { readEnv } from '../../src/config.ts'
import type { RunTrace } from '../../src/stores/runs/run-trace.ts'
import type { ObservedTool } from '../recording/heard.ts'
import type { Json } from '../slack/types.ts'
import { runBotHere } from './run-bot.ts'

/** One of these. `port`: the bot is ready. `offered`: a tool's declaration. */
export interface BotReport {
  port?: number
  trace?: RunTrace
  tool?: ObservedTool
  offered?: Json
}

const report = (one: BotReport) => void process.send?.(one)

// The parent is gone.
process.on('disconnect', () => process.exit(0))
// Ctrl+C reaches the parent too, which then ends this process.
process.on('SIGINT', () => undefined)

const bot = await runBotHere({
  settings: readEnv(''),
  recorder: { onTool: (tool) => report({ tool }), onOffered: (offered) => report({ offered }) },
  onTrace: (trace) => report({ trace }),
  onPort: (port) => report({ port }),
  now: () => new Date(),
})
process.on('SIGTERM', () => void bot.stop().finally(() => process.exit(0)))
