import { expect, test } from 'vitest'
import { TransientError } from '../../../src/base/errors.ts'
import { isReadOnly, isTransient } from '../../../src/base/redis/redis-errors.ts'

test.each([
  new TransientError('in any words'),
  new Error("OOM command not allowed when used memory > 'maxmemory'."),
  new Error('ERR Error running script (call to f_1): @user_script:1: -OOM command not allowed'),
  new Error('Connection is closed.'),
  new Error("Stream isn't writeable and enableOfflineQueue options is false"),
  new Error('None of startup nodes is available'),
])('an outage passes: $message', (error) => {
  expect(isTransient(error)).toBe(true)
})

test.each([
  new Error('WRONGTYPE Operation against a key holding the wrong kind of value'),
  new Error('the answer says: OOM'),
  new TypeError('undefined is not a function'),
  'OOM',
])('anything else is a fault: %s', (error) => {
  expect(isTransient(error)).toBe(false)
})

test('a replica’s refusal of a write is recognized, for scripts and commands', () => {
  const refusals = [
    "READONLY You can't write against a read only replica.",
    'ERR Error running script (f): -READONLY no',
  ]
  expect(refusals.map((text) => isReadOnly(new Error(text)))).toEqual([true, true])
  expect(isReadOnly(new Error('OOM'))).toBe(false)
})
