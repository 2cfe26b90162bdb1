import { expect, test } from 'vitest'
import type { BotProcess } from '../harness/chaos/bots.ts'
import { diceFor } from '../harness/chaos/dice.ts'
import { askAll } from '../harness/chaos/people.ts'
import { callName, thoughtfulTurn } from '../harness/chaos/play.ts'
import { openScene, type Scene } from '../harness/chaos/scene.ts'
import { expectAllWell } from '../harness/chaos/well.ts'
import type { PlayedRequest } from '../harness/played-model.ts'

const SHUTDOWN_MS = 4_000
/** A process may take this much longer than it has for what runs: closing its connections, on a busy machine. */
const CLOSING_MS = 5_000

test('a rolling restart under load loses nothing and repeats nothing', async (t) => {
  const scene = await openScene(t, {
    env: { SHUTDOWN_MS: String(SHUTDOWN_MS) },
    // Most calls end before the process must; every fourth takes longer than that, and its run is handed over.
    model: (request) => (isLong(request) ? thoughtfulTurn(5_000, 6_000) : thoughtfulTurn(100, 600))(request),
  })
  const [front] = await Promise.all([scene.start('front'), scene.start('worker'), scene.start('worker')])
  const people = askAll(scene, { threads: 24, questions: 2, startMs: 12_000, pauseMs: 3_000 })
  for (const old of [...scene.bots]) await replace(scene, old)
  await people
  expect(front.isAlive()).toBe(false)
  const handedOver = scene.model.requests.filter(({ aborted }) => aborted)
  expect(handedOver.length).toBeGreaterThan(0)
  expect(scene.bots.flatMap((bot) => bot.cutAt()).length).toBeGreaterThan(0)
  await expectAllWell(scene)
})

function isLong(request: PlayedRequest): boolean {
  return diceFor(`length of ${callName(request)}`).next() < 0.25
}

/** As a deployment does it: the new one first, then the old one is told to end. */
async function replace(scene: Scene, old: BotProcess): Promise<void> {
  await scene.start(old.role === 'front' ? 'front' : 'worker')
  const { code, ms } = await old.stop()
  expect(code).toBe(0)
  expect(ms).toBeLessThan(SHUTDOWN_MS + CLOSING_MS)
}
