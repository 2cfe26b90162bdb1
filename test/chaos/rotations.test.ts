import { expect, test } from 'vitest'
import { until } from '../../playground/base/until.ts'
import { rotatingApp } from '../harness/chaos/rotating-app.ts'
import { botUserOf, type Home } from '../harness/many-slacks.ts'

const HOMES: Home[] = Array.from({ length: 10 }, (_, n) => ({ id: `T0ROTATE${String(n).padStart(3, '0')}` }))
/** The memory that the allocator may keep, in MiB. A client for each token would take more. */
const NOISE_MB = 24

test('a thousand token rotations: memory and sockets stay flat, and each workspace is answered', async (t) => {
  const { slack, serve, install, answered } = await rotatingApp(t, HOMES)
  const bot = await serve()
  await install()
  const rotate = async (times: number) => {
    for (const goal = slack.state.refreshes + times; slack.state.refreshes < goal; slack.calls.length = 0) {
      const reaction = { type: 'reaction_added', user: 'U0ALICE0001', reaction: 'eyes', event_ts: '1.0' }
      const events = HOMES.map((home) => slack.event(home, { ...reaction, item_user: botUserOf(home.id), item: {} }))
      expect((await Promise.all(events)).every(({ status }) => status === 200)).toBe(true)
    }
  }
  await answered(1)
  // The heap of V8 must first grow to the size of this work.
  await rotate(2_000)
  const [memory, sockets] = [bot.nowMb(), bot.sockets()]
  await rotate(1_000)
  expect(bot.nowMb() - memory).toBeLessThan(NOISE_MB)
  expect(bot.sockets() - sockets).toBeLessThanOrEqual(2)
  await answered(2)
}, 120_000)

test('200 events at once when the token has 1 h 59 min left, in four processes: one refresh, and no answer waits for it', async (t) => {
  const home: Home = { id: 'T0STORM0001' }
  const { slack, serve, install } = await rotatingApp(t, [home])
  await serve()
  for (let n = 0; n < 3; n++) await serve('worker')
  slack.state.expiresIn = 2 * 3600 - 60
  await install()
  slack.state.expiresIn = 12 * 3600
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  slack.state.hold = (args) => (args['grant_type'] === 'refresh_token' ? held : undefined)
  const channels = Array.from({ length: 200 }, (_, n) => `C0STORM${String(n).padStart(4, '0')}`)
  const events = await Promise.all(channels.map((channel) => slack.mention(home, 'Who?', { channel })))
  expect(events.every(({ status }) => status === 200)).toBe(true)
  const answered = () => new Set(slack.posts().map(({ channel }) => channel)).size
  await until(() => answered() === channels.length, 'all answers')
  release()
  await until(() => slack.state.refreshes > 0, 'a refresh')
  await slack.mention(home, 'Who?', { channel: 'C0STORMLAST' })
  await until(() => answered() > channels.length, 'one more answer')
  expect(slack.state.refreshes).toBe(1)
}, 120_000)
