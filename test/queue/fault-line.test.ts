import { expect, test } from 'vitest'
import { logThrottle } from '../../src/queue/thread-jobs.ts'
import { keptLog } from '../harness/stores.ts'

const REFUSED = 'connect ECONNREFUSED 127.0.0.1:6379'

test('a fault is logged at once, and then once a minute with its count', () => {
  const log = keptLog()
  let now = 1_000
  const tell = logThrottle(log, () => now)
  for (let second = 0; second <= 120; second++) {
    tell(new Error(REFUSED))
    if (second === 30) tell(new Error('OOM command not allowed'))
    now += 1_000
  }
  expect(log.lines.map(({ level, fields }) => [level, fields])).toEqual([
    ['warn', { error: REFUSED }],
    ['warn', { error: 'OOM command not allowed' }],
    ['warn', { error: REFUSED, metBetween: 59 }],
    ['warn', { error: REFUSED, metBetween: 59 }],
  ])
})

test('a thousand kinds of faults are all logged, and not all remembered', () => {
  const log = keptLog()
  const tell = logThrottle(log, () => 0)
  for (let n = 0; n < 1_000; n++) tell(new Error(`fault ${n}`))
  tell(new Error('fault 0'))
  expect(log.lines).toHaveLength(1_001)
})
