import { expect, test } from 'vitest'
import { until } from '../../playground/base/until.ts'
import { freePort, start } from '../bench/load/measured-process.ts'
import { startRedis } from '../bench/load/bench-redis.ts'
import { Browser, distributed } from '../harness/many-bot.ts'
import { botUserOf, manySlacks, type Home } from '../harness/many-slacks.ts'
import { finish, playModel } from '../harness/played-model.ts'

const HOMES: Home[] = Array.from({ length: 10 }, (_, n) => ({ id: `T0ROTATE${String(n).padStart(3, '0')}` }))
/** What the allocator may keep of garbage, in MiB. A client that is kept for each token takes more. */
const NOISE_MB = 24

test('over a thousand rotations memory and sockets are flat, and everybody is answered', async (t) => {
  const slack = await manySlacks(t, { rotates: true })
  const model = await playModel(t)
  model.on('', finish('Answered.'))
  const redis = await startRedis()
  t.onTestFinished(() => redis.stop())
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const settings = { OPENAI_BASE_URL: model.url, REDIS_URL: redis.url, PORT: String(port), LOG_LEVEL: 'silent' }
  const bot = await start(['node', 'dist/src/main.js'], {
    ...(distributed(slack) as Record<string, string>),
    ...settings,
  })
  t.onTestFinished(() => bot.stop())
  slack.setTarget(url)
  // Less than two hours are left of each token, so an event refreshes it once more, unless that is under way.
  slack.state.expiresIn = 5400
  for (const home of HOMES) {
    const browser = new Browser(url)
    const state = await browser.begin()
    expect((await browser.comeBack({ code: slack.agree(home), state })).status).toBe(200)
  }
  const rotate = async (times: number) => {
    for (const goal = slack.state.refreshes + times; slack.state.refreshes < goal; slack.calls.length = 0) {
      const reaction = { type: 'reaction_added', user: 'U0ALICE0001', reaction: 'eyes', event_ts: '1.0' }
      const events = HOMES.map((home) => slack.event(home, { ...reaction, item_user: botUserOf(home.id), item: {} }))
      expect((await Promise.all(events)).every(({ status }) => status === 200)).toBe(true)
    }
  }
  const answered = async (round: number) => {
    await Promise.all(HOMES.map((home) => slack.mention(home, 'Who?', { channel: `C${round}${home.id.slice(1)}` })))
    const isAnswered = ({ id }: Home) => slack.posts().some(({ channel }) => channel === `C${round}${id.slice(1)}`)
    await until(() => HOMES.every(isAnswered), 'ten answers')
  }
  await answered(1)
  // V8 takes its time until its heap has the size that this work needs.
  await rotate(2_000)
  const [memory, sockets] = [bot.nowMb(), bot.sockets()]
  await rotate(1_000)
  expect(bot.nowMb() - memory).toBeLessThan(NOISE_MB)
  expect(bot.sockets() - sockets).toBeLessThanOrEqual(2)
  await answered(2)
}, 120_000)
