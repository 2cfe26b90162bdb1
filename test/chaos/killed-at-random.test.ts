import { setTimeout as wait } from 'node:timers/promises'
import { test } from 'vitest'
import { diceFor } from '../harness/chaos/dice.ts'
import { callName, playedTurn } from '../harness/chaos/play.ts'
import { CHANNELS, openScene, type Scene } from '../harness/chaos/scene.ts'
import { expectAllWell } from '../harness/chaos/well.ts'

const THREADS = 40
const QUESTIONS = 5
const WORKERS = 3
const KILLS = 8

test('200 questions in 40 threads while workers and the front are killed at random', async (t) => {
  const scene = await openScene(t, {
    // A model that thinks for a while, each call for its own.
    model: async (request) => {
      await wait(diceFor(callName(request)).between(20, 250))
      return playedTurn(request)
    },
  })
  await Promise.all([scene.start('front'), ...Array.from({ length: WORKERS }, () => scene.start('worker'))])
  await Promise.all([askAll(scene), killSome(scene)])
  await expectAllWell(scene)
}, 180_000)

/** Each thread's people ask one after the other, without waiting for answers. */
async function askAll(scene: Scene): Promise<void> {
  const lane = async (n: number) => {
    const dice = diceFor(`thread ${n}`)
    await wait(dice.between(0, 8_000))
    const thread = await scene.ask(CHANNELS[n % CHANNELS.length])
    for (let i = 1; i < QUESTIONS; i++) {
      await wait(dice.between(0, 5_000))
      await scene.askOn(thread)
    }
  }
  await Promise.all(Array.from({ length: THREADS }, (_, n) => lane(n)))
}

/** Kills one, starts another in its place, and goes on. The front once, in the middle. */
async function killSome(scene: Scene): Promise<void> {
  const dice = diceFor('kills')
  for (let n = 0; n < KILLS; n++) {
    await wait(dice.between(1_000, 3_000))
    const role = n === KILLS / 2 ? 'front' : 'worker'
    const alive = scene.bots.filter((bot) => bot.role === role && bot.isAlive())
    await dice.pick(alive).kill()
    await scene.start(role)
  }
}
