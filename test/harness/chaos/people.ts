import { setTimeout as wait } from 'node:timers/promises'
import { randomFor } from './seeded-random.ts'
import { CHANNELS, type Scene } from './scene.ts'

/**
 * Asks in many threads. Each begins within `startMs`, and its `questions` follow within `pauseMs` of each other,
 * answered or not. Resolves when Slack has acks for all.
 */
export async function askAll(
  scene: Scene,
  { threads, questions, startMs, pauseMs }: { threads: number; questions: number; startMs: number; pauseMs: number },
): Promise<void> {
  const lane = async (n: number) => {
    const random = randomFor(`thread ${n}`)
    await wait(random.between(0, startMs))
    const thread = await scene.ask(CHANNELS[n % CHANNELS.length])
    for (let i = 1; i < questions; i++) {
      await wait(random.between(0, pauseMs))
      await scene.askOn(thread)
    }
  }
  await Promise.all(Array.from({ length: threads }, (_, n) => lane(n)))
}
