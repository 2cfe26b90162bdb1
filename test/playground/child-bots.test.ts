import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { startPlayground, type Playground } from '../../playground/main.ts'
import { createChildBots, type ChildBots, type ChildBotsOptions } from '../../playground/bot/child-bots.ts'
import { nodeArgs } from '../harness/compiled-sources.ts'
import { standStill } from '../harness/stand-still.ts'

/** It starts in half the time. The other test starts the source, as `npm run dev` does. */
const [JAVASCRIPT = ''] = nodeArgs('playground/bot/bot-process.ts')

/** The bots that this process has forked. */
function ownBots(): number[] {
  const all = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  return all
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...args]) => Number(parent) === process.pid && args.join(' ').includes('bot-process.'))
    .map(([pid]) => Number(pid))
}

test('a bot that is gone while it is asked something ends nothing but itself', async (t) => {
  const faults: unknown[] = []
  const note = (error: unknown) => void faults.push(error)
  process.on('uncaughtException', note)
  t.onTestFinished(() => void process.off('uncaughtException', note))
  const notices: string[] = []
  const { bots, playground } = await startedBots((text) => void notices.push(text), { workspaces: true })
  t.onTestFinished(playground.stop)
  const [pid] = ownBots()
  process.kill(pid!, 'SIGKILL')
  // It is gone, and nothing has told this process of it.
  standStill(500)
  const tried = bots.tryPrompts({ name: 'text', text: '', question: 'none' })
  await expect(tried).rejects.toThrow('The bot has ended.')
  await expect
    .poll(() => notices.filter((line) => line.includes('The bot is ready.')).length, { timeout: 60_000 })
    .toBe(2)
  expect(notices.join()).toContain('it restarts, and without Redis what ran is lost.')
  // Slack delivers to the next one.
  expect((await fetch(`${playground.gateway?.botUrl()}/healthz`)).status).toBe(200)
  expect(faults).toEqual([])
}, 180_000)

test('a start may take a minute, and a bot that is ready lives on', async (t) => {
  const [notices, minutesOver]: [string[], (() => void)[]] = [[], []]
  const after = (_: number, act: () => void) => void minutesOver.push(act)
  const { bots, playground } = await startedBots((text) => void notices.push(text), { after, entry: JAVASCRIPT })
  t.onTestFinished(playground.stop)
  const [pid] = ownBots()
  minutesOver[0]?.()
  const renewed = bots.renew()
  minutesOver[1]?.()
  await renewed
  expect(notices).toEqual([
    'The bot is ready.',
    'The bot did not start in time. The bot from before this edit keeps running.',
  ])
  await expect.poll(ownBots).toEqual([pid])
}, 180_000)

async function startedBots(
  notice: (text: string) => void,
  { after, entry, workspaces = false }: Pick<ChildBotsOptions, 'after' | 'entry'> & { workspaces?: boolean } = {},
): Promise<{ bots: ChildBots; playground: Playground }> {
  let started: ChildBots | undefined
  const playground = await startPlayground(
    { PLAYGROUND_PORT: '0' },
    {
      workspaces,
      async runBot(parts) {
        const bots = createChildBots({ ...parts, notice, ...(entry && { entry }), ...(after && { after }) })
        await bots.renew()
        started = bots
        return { tryPrompts: (request) => bots.tryPrompts(request), stop: () => bots.stop() }
      },
    },
  )
  if (!started) throw new Error('There are no bots.')
  return { bots: started, playground }
}
