import { expect, test } from 'vitest'
import { sentencesOf } from '../../tools/wikipedia/sentences.ts'
import { cpuClock } from '../harness/cpu-clock.ts'

test.each([
  ['plain ones', 'One thing. Another! A third? Yes.', ['One thing.', 'Another!', 'A third?', 'Yes.']],
  ['initials', 'He met William J. Crowe. They talked.', ['He met William J. Crowe.', 'They talked.']],
  ['acronyms', 'The U.S. Navy came. It left.', ['The U.S. Navy came.', 'It left.']],
  ['titles and abbreviations', 'Dr. No met Mr. Bond vs. St. John. End.', ['Dr. No met Mr. Bond vs. St. John.', 'End.']],
  ['numbers', 'It rose 3.5 m. In 1999 it fell.', ['It rose 3.5 m. In 1999 it fell.']],
  ['quotes', 'He said "Go." She went. (Really.) Yes.', ['He said "Go."', 'She went.', '(Really.)', 'Yes.']],
  ['a small letter after the mark', 'He asked why? and went. Done.', ['He asked why? and went.', 'Done.']],
  ['dots', 'Wait... Now.', ['Wait...', 'Now.']],
  ['paragraphs without a mark', 'A list:\nfirst\nsecond', ['A list:', 'first', 'second']],
  ['headings, which are none', 'One.\n\n== History ==\nTwo.\n=== More ===\nThree.', ['One.', 'Two.', 'Three.']],
  ['Japanese', '東京は都市です。人口は多い。', ['東京は都市です。', '人口は多い。']],
  ['nothing', ' \n ', []],
])('%s', (_, text, sentences) => {
  expect(sentencesOf(text)).toEqual(sentences)
})

test('a megabyte of marks takes linear time', () => {
  const spent = cpuClock()
  for (const unit of ['. ', '.', '"', '. A', '! ', '=', 'A. ', '(Result 1 / 1) '])
    sentencesOf(unit.repeat(1_000_000 / unit.length))
  expect(spent()).toBeLessThan(10_000) // Only quadratic time takes this long.
})
