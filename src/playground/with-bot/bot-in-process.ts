import { startBot } from '../../bot.ts'
import { loadConfig, type Env } from '../../config.ts'
import type { RunTrace } from '../../run/run-trace.ts'
import type { RecordedTool } from '../recording/conversation-file.ts'
import type { Json } from '../types.ts'
import { remoteOver, type Port } from './remote.ts'
import { remoteStores } from './remote-stores.ts'
import { recordingSeam } from './tool-seams.ts'
import { createTrier, type TryRequest } from './try-prompts.ts'

/** What the parent says first. */
export interface BotOrders {
  settings: Env
  /** The stores that the parent keeps, of those that depend on settings. */
  parts: string[]
}

/** Starts the bot, and does what the parent asks until it asks to stop. */
export async function runBot({ settings, parts }: BotOrders): Promise<void> {
  let stop = async () => {}
  let tryPrompts = (_: TryRequest): Promise<unknown> => Promise.reject(new Error('The bot is starting.'))
  const remote = remoteOver(ownPort(), {
    stop: () => stop(),
    tryPrompts: (request: TryRequest) => tryPrompts(request),
  })
  const config = loadConfig(settings)
  const stores = remoteStores(remote, parts)
  const onTrace = (trace: RunTrace) => void remote.call('trace', trace).catch(() => undefined)
  const bot = await startBot(config, { stores, toolSeam: recordingSeam(toolsTold(remote)), onTrace })
  const trier = createTrier(config, stores)
  /** Tries that are under way: like runs, they are finished before the bot leaves. */
  const trying = new Set<Promise<unknown>>()
  tryPrompts = (request) => {
    const tried = trier.run(request).finally(() => trying.delete(tried))
    trying.add(tried)
    return tried
  }
  stop = async () => {
    await Promise.allSettled([bot.stop(), ...trying])
    setTimeout(() => process.exit(0), 100)
  }
  await remote.call('ready')
}

function toolsTold(remote: ReturnType<typeof remoteOver>) {
  let next = 1
  const tell = (method: string, ...args: unknown[]) => void remote.call(method, ...args).catch(() => undefined)
  return {
    onOffered: (tool: Json) => tell('tool.offered', tool),
    onTool: (begun: Pick<RecordedTool, 'tool' | 'input'>) => {
      const id = next++
      tell('tool.begun', id, begun)
      return (end: Pick<RecordedTool, 'output' | 'error'>) => tell('tool.ended', id, end)
    },
  }
}

function ownPort(): Port {
  return {
    send: (message) => void process.send?.(message),
    onMessage: (take) => void process.on('message', take),
  }
}
