import { expect, test } from 'vitest'
import { rotatingApp } from '../harness/chaos/rotating-app.ts'
import { botUserOf, type Home } from '../harness/many-slacks.ts'

const HOMES: Home[] = Array.from({ length: 10 }, (_, n) => ({ id: `T0ROTATE${String(n).padStart(3, '0')}` }))
/** What the allocator may keep of garbage, in MiB. A client that is kept for each token takes more. */
const NOISE_MB = 24

test('over a thousand rotations memory and sockets are flat, and everybody is answered', async (t) => {
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
  // V8 takes its time until its heap has the size that this work needs.
  await rotate(2_000)
  const [memory, sockets] = [bot.nowMb(), bot.sockets()]
  await rotate(1_000)
  expect(bot.nowMb() - memory).toBeLessThan(NOISE_MB)
  expect(bot.sockets() - sockets).toBeLessThanOrEqual(2)
  await answered(2)
}, 120_000)
