import { expect, test } from 'vitest'
import { leftOutLine } from '../harness/left-out.ts'
import { describeWith, pathOf } from '../harness/programs.ts'

test('a program is found in PATH, and a suite runs if it is there', () => {
  expect(pathOf({ commands: ['no-such-program', 'sh'] })).toMatch(/\/sh$/)
  expect(pathOf({ commands: ['no-such-program'] })).toBeUndefined()
  expect(describeWith({ commands: ['sh'], from: 'dash' }).concurrent).toBeTypeOf('function')
})

test('one line counts what was left out and says how to get it', () => {
  const [redis, compose] = ['needs redis-server (apt install redis-server)', 'needs script (apt install bsdutils)']
  expect(leftOutLine([redis, compose, redis])).toBe(
    'Left out 3 suites: 2 without redis-server (apt install redis-server), 1 without script (apt install bsdutils). ' +
      'CI leaves nothing out.',
  )
  expect(leftOutLine([])).toBeUndefined()
  expect(leftOutLine(['needs a rest'])).toBeUndefined()
})
