import { expect, test } from 'vitest'
import { verdict } from './targets.ts'

test.each([
  ['a target that is reached, whatever else runs', true, 9, /^held$/],
  ['one that is missed on an idle machine', false, 0.4, /^NOT HELD$/],
  ['one that is missed on a busy machine', false, 2.1, /^not judged, .* load 2\.1 on 2 cores/],
  ['one that is missed on a machine that is half at work', false, 1.6, /^not judged/],
])('a bench judges %s', (...[, isHeld, load, said]) => {
  expect(verdict(isHeld, load, 2)).toMatch(said)
})
