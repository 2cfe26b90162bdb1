import { expect, test } from 'vitest'
import { randomFor } from '../harness/chaos/seeded-random.ts'
import { askAll } from '../harness/chaos/people.ts'
import { callName, playedTurn } from '../harness/chaos/script.ts'
import { openScene } from '../harness/chaos/scene.ts'
import { expectRecovery } from '../harness/chaos/expect-recovery.ts'
import type { PlayedRequest, Turn, TurnParts } from '../harness/played-model.ts'

const PEOPLE = { threads: 16, questions: 3, startMs: 4_000, pauseMs: 2_000 }

test('Slack limits every tenth call and cuts off another tenth: each question is answered once', async (t) => {
  const scene = await openScene(t)
  await Promise.all([scene.start('front'), scene.start('worker'), scene.start('worker')])
  const random = randomFor('Slack’s faults')
  scene.slack.fault({ retryAfter: 1, probability: 0.1, seed: random.between(1, 1_000_000) })
  scene.slack.fault({ dropBefore: true, probability: 0.05, seed: random.between(1, 1_000_000) })
  scene.slack.fault({ dropAfter: true, probability: 0.05, seed: random.between(1, 1_000_000) })
  await askAll(scene, PEOPLE)
  await scene.slack.until(() => scene.isAtRest(), 'the end of all work', 60_000)
  const limited = scene.slack.calls.filter(({ error }) => error === 'ratelimited')
  expect(limited.length).toBeGreaterThan(scene.slack.calls.length / 30)
  await expectRecovery(scene)
})

/** A fault of a model call, and the part of the answer that is sent before it. */
const MODEL_FAULTS: ((turn: string) => TurnParts)[] = [
  () => ({ status: 500 }),
  () => ({ status: 503, headers: { 'retry-after': '1' } }),
  () => ({ status: 429 }),
  () => ({ status: 429, headers: { 'retry-after-ms': '300' } }),
  () => ({ status: 200, body: '<html>a gateway’s page</html>' }),
  (text) => ({ text, cutAfter: 0 }),
  (text) => ({ text, cutAfter: 12 }),
  (text) => ({ text, brokenAfter: 8 }),
  (text) => ({ text, delayMs: 3_000 }),
]

test('every tenth model call fails in one of nine ways: each question is answered once', async (t) => {
  const failed: string[] = []
  const before = new Map<string, number>()
  const turnOf = (request: PlayedRequest): Turn => {
    const name = callName(request)
    const tries = before.get(name) ?? 0
    before.set(name, tries + 1)
    const random = randomFor(`${name} try ${tries}`)
    const turn = playedTurn(request)
    // More than three faults in a row are not retried and end in a message, which this test does not cover.
    if (random.next() > 0.1 || tries > 2) return turn
    failed.push(name)
    return random.pick(MODEL_FAULTS)(String(turn))
  }
  const scene = await openScene(t, { model: turnOf })
  await Promise.all([scene.start('front'), scene.start('worker'), scene.start('worker')])
  await askAll(scene, PEOPLE)
  await expectRecovery(scene)
  expect(failed.length).toBeGreaterThan(5)
})
