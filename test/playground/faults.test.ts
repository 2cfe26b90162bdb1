/**
 * Faults and rates that a test requests from the local Slack take effect. Otherwise tests of faults would prove
 * nothing.
 */
import { expect, test } from 'vitest'
import { GENERAL, type LocalSlack } from '../../playground/slack/slack.ts'
import { localSlack } from '../harness/local-slack.ts'

const RANDOM = 'C0RANDOM001'

const post = (local: LocalSlack, channel = GENERAL) =>
  fetch(`${local.apiUrl}chat.postMessage`, {
    method: 'POST',
    headers: { authorization: `Bearer ${local.botToken}` },
    body: new URLSearchParams({ channel, text: 'hi' }),
  })

async function statuses(local: LocalSlack, count: number) {
  const all = []
  for (let i = 0; i < count; i++) all.push((await post(local)).status)
  return all
}

test('a channel accepts a burst, then about one post per second, without delaying other channels', async () => {
  let clock = 1_790_000_000_000
  const strict = await localSlack({ now: () => clock, strictRate: true, echo: false })
  expect(await statuses(strict, 7)).toEqual([200, 200, 200, 200, 200, 429, 429])
  const limited = await post(strict)
  expect(limited.headers.get('retry-after')).toBe('1')
  expect(await limited.json()).toEqual({ ok: false, error: 'ratelimited' })
  expect((await post(strict, RANDOM)).status).toBe(200)
  clock += 1000
  expect((await post(strict)).status).toBe(200)
  expect(strict.messages(GENERAL)).toHaveLength(6)
})

test('a fault affects the named calls, as often as set', async () => {
  const faulty = await localSlack({ echo: false })
  faulty.fault({ method: 'chat.*', retryAfter: 2 })
  faulty.fault({ method: 'chat.postMessage', channel: RANDOM, error: 'is_archived', times: 2 })
  faulty.fault({ method: 'users.info', status: 503 })
  const first = await post(faulty)
  expect([first.status, first.headers.get('retry-after')]).toEqual([429, '2'])
  expect((await post(faulty)).status).toBe(200)
  expect(await (await post(faulty, RANDOM)).json()).toEqual({ ok: false, error: 'is_archived' })
  expect((await fetch(`${faulty.apiUrl}users.info`)).status).toBe(503)
  faulty.clearFaults()
  expect(await (await post(faulty, RANDOM)).json()).toMatchObject({ ok: true })
})

test.each([
  ['before the post took effect', { dropBefore: true }, 0],
  ['after it', { dropAfter: true, delayMs: 5 }, 1],
])('a connection can be cut %s', async (_, fault, posted) => {
  const faulty = await localSlack({ echo: false })
  faulty.fault(fault)
  await expect(post(faulty)).rejects.toThrow()
  expect(faulty.messages(GENERAL)).toHaveLength(posted)
})

test('an answer can be held although the call took effect, and a fault can choose its calls', async () => {
  const faulty = await localSlack({ echo: false })
  let letGo = () => {}
  const hold = new Promise<void>((resolve) => (letGo = resolve))
  faulty.fault({ hold, where: ({ channel }) => channel === GENERAL })
  let isAnswered = false
  const held = post(faulty).then((response) => ((isAnswered = true), response.status))
  expect((await post(faulty, RANDOM)).status).toBe(200)
  await faulty.until(() => faulty.messages(GENERAL).length === 1, 'the effect')
  expect(isAnswered).toBe(false)
  letGo()
  expect(await held).toBe(200)
})

test('a fault with a probability is repeatable by its seed', async () => {
  const run = async () => {
    const faulty = await localSlack({ echo: false })
    faulty.fault({ probability: 0.5, seed: 7, status: 500 })
    return statuses(faulty, 12)
  }
  const first = await run()
  expect(await run()).toEqual(first)
  expect(new Set(first)).toEqual(new Set([200, 500]))
})
