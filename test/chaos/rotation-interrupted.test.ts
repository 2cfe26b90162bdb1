import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { until } from '../../playground/base/until.ts'
import { rotatingApp } from '../harness/chaos/rotating-app.ts'
import type { Home } from '../harness/many-slacks.ts'

const HOMES: Home[] = Array.from({ length: 50 }, (_, n) => ({ id: `T0CHAOS${String(n).padStart(4, '0')}` }))
/** The time for which a dead process can hold the lock of a refresh. */
const LOCK_MS = 60_000

test('a process is killed after Slack rotated fifty tokens, before it stored them: all are answered, each installer is told once', async (t) => {
  const { slack, serve, install, answered } = await rotatingApp(t, HOMES)
  const first = await serve()
  await install()
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  slack.state.holdAnswer = (args) => (args['grant_type'] === 'refresh_token' ? held : undefined)
  await answered(1)
  await until(() => slack.state.refreshes === HOMES.length, 'fifty refreshes')
  await first.kill()
  release()
  await serve()
  await wait(LOCK_MS)
  await answered(2)
  const told = () => slack.posts().filter(({ text }) => text.includes('/slack/install'))
  await until(() => told().length >= HOMES.length, 'a message to each installer')
  await answered(3)
  expect(
    told()
      .map(({ home }) => home)
      .sort(),
  ).toEqual(HOMES.map(({ id }) => id))
  expect(new Set(told().map(({ channel }) => channel))).toEqual(new Set(['U0INSTALLER']))
}, 240_000)
