import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { until } from '../../playground/base/until.ts'
import { freePort, start, type Measured } from '../bench/load/measured-process.ts'
import { Browser, distributed } from '../harness/many-bot.ts'
import { manySlacks, type Home } from '../harness/many-slacks.ts'
import { finish, playModel } from '../harness/played-model.ts'
import { startRedis } from '../bench/load/bench-redis.ts'

const HOMES: Home[] = Array.from({ length: 50 }, (_, n) => ({ id: `T0CHAOS${String(n).padStart(4, '0')}` }))
/** As long as a process that died can hold the lock of a refresh. */
const LOCK_MS = 60_000

test('a process dies between Slack’s answer to a refresh and the store, fifty times: all are answered, each installer is told once', async (t) => {
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
  const serve = async (): Promise<Measured> => {
    const bot = await start(['node', 'dist/src/main.js'], env)
    t.onTestFinished(() => bot.stop())
    return bot
  }
  const first = await serve()
  // Less than two hours are left, so each token is to be refreshed at once.
  slack.state.expiresIn = 5400
  for (const home of HOMES) {
    const browser = new Browser(url)
    const state = await browser.begin()
    expect((await browser.comeBack({ code: slack.agree(home), state })).status).toBe(200)
  }
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  slack.state.holdAnswer = (args) => (args['grant_type'] === 'refresh_token' ? held : undefined)
  const answered = async (round: number) => {
    await Promise.all(HOMES.map((home) => slack.mention(home, 'Who?', { channel: `C${round}${home.id.slice(1)}` })))
    for (const { id } of HOMES)
      await until(
        () => slack.posts().some(({ channel }) => channel === `C${round}${id.slice(1)}`),
        `an answer in ${id}`,
      )
  }
  await answered(1)
  await until(() => slack.state.refreshes === HOMES.length, 'fifty refreshes')
  await first.kill()
  release()
  await serve()
  await wait(LOCK_MS)
  await answered(2)
  const told = () => slack.posts().filter(({ text }) => text.includes('/slack/install'))
  await until(() => told().length >= HOMES.length, 'a word to each installer')
  await answered(3)
  expect(
    told()
      .map(({ home }) => home)
      .sort(),
  ).toEqual(HOMES.map(({ id }) => id))
  expect(new Set(told().map(({ channel }) => channel))).toEqual(new Set(['U0INSTALLER']))
}, 240_000)
