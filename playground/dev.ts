/** `npm run dev`: the playground, with a bot that restarts when its code, a prompt or a tool changes. */
import { join, relative } from 'node:path'
import { watch } from 'chokidar'
import { asksHelp } from '../src/commands/command.ts'
import { loadConfig, readEnv } from '../src/config.ts'
import { messageOf } from '../src/base/errors.ts'
import { ROOT } from '../src/base/package-root.ts'
import { endOnSignal } from './base/end-on-signal.ts'
import { startOwnRedis, type OwnRedis } from './base/own-redis.ts'
import { ChildBots } from './bot/child-bots.ts'
import { tryInProcess } from './bot/child-process.ts'
import { createNotices } from './page-server/notices.ts'
import type { RunBot } from './bot/run-bot.ts'

/** The wait for further changes, in ms. Editors save in several steps, and several files at once. */
const CALM_MS = 150

/** The folders whose changes restart the bot. A change of the playground itself needs a new start. */
const WATCHED = ['src', 'tools', 'prompts', 'playground']

/** A shorter run lock: the next bot continues the run of one that died after ten seconds at most, not thirty. */
const QUICK = { WORKER_LOCK_MS: '5000' }

const USAGE = `Usage: npm run dev [-- --workspaces]

The playground (npm run playground -- --help), whose bot starts again when ${WATCHED.slice(0, 3).join(', ')} change. Ctrl+C ends it.`

const notices = createNotices((text) => console.log(text))

const runInChild: RunBot = async (parts) => {
  const bots = new ChildBots({ ...parts, notice: notices.tell })
  const stopping = new AbortController()
  await bots.renew()
  let timer: NodeJS.Timeout | undefined
  const watcher = watch(
    WATCHED.map((folder) => join(ROOT, folder)),
    { ignoreInitial: true, ignored: (path) => /(?:~|\.sw[a-z]|\.tmp)$|node_modules/.test(path) },
  )
  watcher.on('all', (_, path) => {
    const file = relative(ROOT, path)
    if (file.startsWith('playground'))
      return notices.tell(`${file} is part of the playground itself: restart npm run dev to see the change.`)
    clearTimeout(timer)
    timer = setTimeout(() => {
      notices.tell(`${file} has changed.`)
      void bots.renew()
    }, CALM_MS)
  })
  await new Promise<void>((resolve) => void watcher.once('ready', () => resolve()))
  return {
    tryPrompts: (request) => tryInProcess(request, { settings: parts.settings, signal: stopping.signal }),
    part: notices.part,
    renew: () => bots.renew(),
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      await watcher.close()
      await bots.stop()
    },
  }
}

/** Starts the Redis in which conversations and runs outlive a bot. Without one, prints what is lost, and goes on. */
async function startRedis(): Promise<OwnRedis | undefined> {
  try {
    return await startOwnRedis()
  } catch (error) {
    const lost = 'npm run dev goes on in memory too: EACH CHANGE MAKES THE BOT FORGET every conversation.'
    console.warn(`\n!!! ${messageOf(error)}\n!!! ${lost}\n`)
    return undefined
  }
}

async function main(args: string[]): Promise<void> {
  if (asksHelp(args)) return console.log(USAGE)
  // Loaded only now, because it is large: the usage is printed at once.
  const { startPlayground } = await import('./main.ts')
  const options = { runBot: runInChild, startRedis, workspaces: args.includes('--workspaces') }
  const env = { ...QUICK, ...readEnv() }
  const playground = await startPlayground(env, { ...options, modelPorts: loadConfig(env).LOCAL_MODEL_PORTS })
  const lines = [
    `Thinkaloud playground: ${playground.url}`,
    '',
    ...playground.notes,
    '',
    `Watching ${WATCHED.join(', ')}.`,
  ]
  console.log([...lines, 'Ctrl+C ends it.'].join('\n'))
  endOnSignal(playground.stop)
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(messageOf(error))
  process.exit(1)
})
