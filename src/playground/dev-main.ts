/** `npm run dev`: the playground with a bot that is started anew when its code, a prompt or a tool changes. */
import { join, relative } from 'node:path'
import { watch } from 'chokidar'
import { readEnv } from '../config.ts'
import { messageOf } from '../errors.ts'
import { ROOT } from '../package-root.ts'
import { endOnSignal } from './end-on-signal.ts'
import { startPlayground } from './playground-main.ts'
import { startChildBots } from './with-bot/child-bots.ts'
import { createNotices } from './notices.ts'
import type { RunBot } from './with-bot/run-bot.ts'

/** Editors save in several steps, and several files at once. */
const CALM_MS = 150

/** What the bot is made of. What the playground itself is made of needs a new start. */
const WATCHED = ['src', 'tools', 'prompts']
const PLAYGROUND = /^src[/\\]playground[/\\]/

const notices = createNotices((text) => console.log(text))

const runInChild: RunBot = async ({ settings, stores, recorder, onTrace }) => {
  const bots = await startChildBots({ settings, stores, recorder, onTrace, notice: notices.tell })
  await bots.renew()
  let timer: NodeJS.Timeout | undefined
  const watcher = watch(
    WATCHED.map((folder) => join(ROOT, folder)),
    { ignoreInitial: true, ignored: (path) => /(?:~|\.sw[a-z]|\.tmp)$|node_modules/.test(path) },
  )
  watcher.on('all', (_, path) => {
    const file = relative(ROOT, path)
    if (PLAYGROUND.test(file)) return notices.tell(`${file} is the playground's own: start npm run dev anew for it.`)
    clearTimeout(timer)
    timer = setTimeout(() => {
      notices.tell(`${file} has changed.`)
      void bots.renew()
    }, CALM_MS)
  })
  await new Promise<void>((resolve) => void watcher.once('ready', () => resolve()))
  return {
    tryPrompts: (request) => bots.tryPrompts(request),
    part: notices.part,
    async stop() {
      clearTimeout(timer)
      await watcher.close()
      await bots.stop()
    },
  }
}

async function main(): Promise<void> {
  const playground = await startPlayground(readEnv(), { runBot: runInChild })
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

main().catch((error: unknown) => {
  console.error(messageOf(error))
  process.exit(1)
})
