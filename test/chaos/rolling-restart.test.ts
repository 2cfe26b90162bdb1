import { expect, test } from 'vitest'
import type { BotProcess } from '../harness/chaos/bots.ts'
import { randomFor } from '../harness/chaos/seeded-random.ts'
import { askAll } from '../harness/chaos/people.ts'
import { callName, delayedTurn } from '../harness/chaos/script.ts'
import { openScene, type Scene } from '../harness/chaos/scene.ts'
import { expectRecovery } from '../harness/chaos/expect-recovery.ts'
import type { PlayedRequest } from '../harness/played-model.ts'
import { eventually } from '../harness/stores.ts'

const SHUTDOWN_MS = 4_000
/** The time a process may take beyond SHUTDOWN_MS to close its connections on a busy machine. */
const CLOSING_MS = 5_000
/** The model's API keys of the workers that are replaced. */
const OLD_KEYS = ['old-1', 'old-2']

test('a rolling restart under load: each question is answered once', async (t) => {
  const shortTurn = delayedTurn(100, 600)
  const scene = await openScene(t, {
    env: { SHUTDOWN_MS: String(SHUTDOWN_MS) },
    // Most calls end before the process must. Every fourth call of an old worker does not, so its run is handed over.
    model: (request) => (isEndless(request) ? { hang: true } : shortTurn(request)),
  })
  const front = await scene.start('front')
  const workers = await Promise.all(OLD_KEYS.map((key) => scene.start('worker', { OPENAI_API_KEY: key })))
  const people = askAll(scene, { threads: 24, questions: 2, startMs: 12_000, pauseMs: 3_000 })
  await replace(scene, front)
  for (const [i, worker] of workers.entries()) {
    const hangs = () => scene.model.requests.some((request) => isEndless(request) && keyOf(request) === OLD_KEYS[i])
    await eventually(() => expect(hangs()).toBe(true), 60_000)
    await replace(scene, worker)
    expect(worker.cutAt()).toHaveLength(1)
  }
  await people
  expect(front.isAlive()).toBe(false)
  await expectRecovery(scene)
})

function keyOf({ headers }: PlayedRequest): string {
  return headers.authorization?.replace('Bearer ', '') ?? ''
}

function isEndless(request: PlayedRequest): boolean {
  return OLD_KEYS.includes(keyOf(request)) && randomFor(`length of ${callName(request)}`).next() < 0.25
}

/** Replaces a process as a deployment does: starts the new one first, then stops the old one. */
async function replace(scene: Scene, old: BotProcess): Promise<void> {
  await scene.start(old.role === 'front' ? 'front' : 'worker')
  const { code, ms } = await old.stop()
  expect(code).toBe(0)
  expect(ms).toBeLessThan(SHUTDOWN_MS + CLOSING_MS)
}
