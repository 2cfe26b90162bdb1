/** How many of our own files an ordinary question enters, from its delivery to the end of its answer. */
import { expect, test } from 'vitest'
import { runCommand } from '../harness/command.ts'

/** So that a reader can follow a question through the code in one sitting. */
const MOST_FILES = 50

test('an ordinary question enters few files', async (t) => {
  const { stdout, stderr } = await runCommand(t, 'test/harness/question-way.ts')
  const files = stdout.split('\n').filter((line) => /^(?:src|tools)\//.test(line))
  // Fewer would mean that the measuring is broken.
  expect(files.length, stderr).toBeGreaterThan(30)
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(MOST_FILES)
})
