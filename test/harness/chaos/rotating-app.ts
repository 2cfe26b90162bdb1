import { expect } from 'vitest'
import { until } from '../../../playground/base/until.ts'
import { startRedis } from '../../bench/load/bench-redis.ts'
import { freePort, start, type Measured } from '../../bench/load/measured-process.ts'
import type { Ends } from '../ends.ts'
import { Browser, distributed } from '../many-bot.ts'
import { manySlacks, type Home, type ManySlacks } from '../many-slacks.ts'
import { finish, playModel } from '../played-model.ts'

/** The built distributed app on Redis, in workspaces whose tokens rotate. */
export interface RotatingApp {
  slack: ManySlacks
  /** Starts a process of the bot: one that Slack delivers to, or a worker. It ends with the test. */
  serve(role?: 'all' | 'worker'): Promise<Measured>
  /** Installs the app in each workspace as a browser does. */
  install(): Promise<void>
  /** Asks once in each workspace, in a new channel for each round, and waits for all answers. */
  answered(round: number): Promise<void>
}

export async function rotatingApp(t: Ends, homes: Home[]): Promise<RotatingApp> {
  const slack = await manySlacks(t, { rotates: true })
  const model = await playModel(t)
  model.on('', finish('Answered.'))
  const redis = await startRedis()
  t.onTestFinished(() => redis.stop())
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const settings = { OPENAI_BASE_URL: model.url, REDIS_URL: redis.url, PORT: String(port), LOG_LEVEL: 'silent' }
  const env = { ...(distributed(slack) as Record<string, string>), ...settings }
  slack.setTarget(url)
  // A token with less than two hours left is refreshed by an event, unless a refresh is in progress.
  slack.state.expiresIn = 5400
  return {
    slack,
    async serve(role = 'all') {
      const own: Record<string, string> = role === 'worker' ? { ROLE: role, PORT: String(await freePort()) } : {}
      const bot = await start(['node', 'dist/src/main.js'], { ...env, ...own })
      t.onTestFinished(() => bot.stop())
      return bot
    },
    async install() {
      for (const home of homes) {
        const browser = new Browser(url)
        const state = await browser.begin()
        expect((await browser.comeBack({ code: slack.agree(home), state })).status).toBe(200)
      }
    },
    async answered(round) {
      const channelOf = ({ id }: Home) => `C${round}${id.slice(1)}`
      await Promise.all(homes.map((home) => slack.mention(home, 'Who?', { channel: channelOf(home) })))
      for (const home of homes)
        await until(() => slack.posts().some(({ channel }) => channel === channelOf(home)), `an answer in ${home.id}`)
    },
  }
}
