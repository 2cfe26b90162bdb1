import { expect, test } from 'vitest'
import { quiet } from '../../playground/base/until.ts'
import { standStill } from '../harness/stand-still.ts'

test('a pause of the whole process does not count as quiet: pending work runs first', async () => {
  let count = 0
  const resting = quiet(() => ({ busy: 0, count }), 300)
  setTimeout(() => {
    standStill(600)
    setTimeout(() => (count += 1), 60)
  }, 10)
  await resting
  expect(count).toBe(1)
})

test('work in progress and new calls restart the quiet time', async () => {
  const looks = [1, 1, 0, 0].map((busy, count) => ({ busy, count: Math.min(count, 2) }))
  let seen = 0
  await quiet(() => looks[Math.min(seen++, looks.length - 1)] ?? { busy: 0, count: 2 }, 45)
  // One check before, three in which something is new or busy, and three of rest.
  expect(seen).toBe(6)
})
