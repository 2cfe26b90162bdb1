import { expect, test } from 'vitest'
import { YOU } from '../../playground/page-server/page-state.ts'
import { postsOf, delayedTurn } from '../harness/chaos/script.ts'
import { CHANNELS, openScene, type Scene } from '../harness/chaos/scene.ts'
import { Stage } from '../harness/chaos/stage.ts'
import { expectRecovery, matching } from '../harness/chaos/expect-recovery.ts'
import { runCommand } from '../harness/command.ts'

const LOSSES = 3

test('a question that kills its worker three times is given up with a message, stored, and answered after a retry', async (t) => {
  // Slower than the poison, so that questions asked at the same time die with it before anything is saved.
  const scene = await openScene(t, { model: delayedTurn(300, 400) })
  await scene.start('front')
  let worker = await scene.start('worker')
  const stage = new Stage(scene)
  stage.holdCallsFrom(2)
  const poisoned = await scene.ask()
  const next = await scene.askOn(poisoned)
  const harmless = await scene.ask()
  for (let n = 1; n <= LOSSES; n++) {
    // The first call is made once, because its answer was saved.
    await scene.slack.until(() => stage.asked === n + 1, `loss ${n}`, 30_000)
    // If the next worker found and recorded the step's post, that would be a checkpoint.
    await expect.poll(() => recordOf(scene, poisoned.ids[0]!, 'step-1'), { timeout: 10_000 }).toMatch(/^\d+\.\d+$/)
    await worker.kill()
    worker = await scene.start('worker')
  }

  const [first] = poisoned.names
  const sentence = /^q1-1 given-up-1, but: I tried this question several times/
  const given = [`${first} step-1`, sentence, ...postsOf(next)]
  await expect.poll(() => scene.postsIn(poisoned), { timeout: 30_000 }).toEqual(given.map(matching))
  await expect.poll(() => scene.postsIn(harmless), { timeout: 10_000 }).toEqual(postsOf(...harmless.names))
  const id = poisoned.ids[0]!
  const runs = (...args: string[]) => runCommand(t, 'src/commands/runs.ts', { args, env: scene.env })
  expect((await runs('list')).stdout).toMatch(
    new RegExp(`^${id} {2}dead-lettered \\(given up\\) .* 1 steps .*\n1 run\n$`),
  )

  stage.letGo()
  expect(await runs('retry', id)).toMatchObject({ code: 0 })
  const answered = [...given, `${first} step-2`, `${first} answer-1`]
  await expect.poll(() => scene.postsIn(poisoned), { timeout: 30_000 }).toEqual(answered.map(matching))
  expect((await runs('list')).stdout).toBe('0 runs\n')
  await expectRecovery(scene, { posts: new Map([[poisoned, answered]]) })
}, 180_000)

test('/ask: three workers are killed before the thread is open: the question is given up with a private message', async (t) => {
  const scene = await openScene(t)
  await scene.start('front')
  let tries = 0
  const isRoot = ({ metadata }: Record<string, unknown>) => JSON.stringify(metadata ?? {}).includes('"step":"root"')
  const where = (args: Record<string, unknown>) => isRoot(args) && ++tries > 0
  scene.slack.fault({ method: 'chat.postMessage', where, dropBefore: true, times: 1_000 })
  const channel = CHANNELS[0]!
  expect(await scene.slack.slash('Nobody will answer this.', { channel, user: YOU })).toMatchObject({ ok: true })
  for (let n = 1; n <= LOSSES; n++) {
    const before = tries
    const worker = await scene.start('worker')
    await scene.slack.until(() => tries > before, `loss ${n}`, 30_000)
    await worker.kill()
  }
  scene.slack.clearFaults()
  await scene.start('worker')
  const told = [expect.stringMatching(/^I tried this question several times/)]
  await expect.poll(() => scene.slack.ephemerals(channel, YOU), { timeout: 30_000 }).toEqual(told)
  expect([scene.slack.messages(channel), scene.slack.refusals]).toEqual([[], []])
})

/** Returns the record of one post of a run in Redis. */
async function recordOf({ client }: Scene, run: string, step: string): Promise<string | null> {
  const [key = ''] = await client.keys(`*:run:${run}`)
  return client.hget(key, `post:${step}`)
}
