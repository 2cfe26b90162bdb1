/**
 * `npm run doctor [-- --json]`: checks everything that the bot depends on, and says what is wrong. Exit code 1 if
 * anything is.
 */
import { readEnv } from '../config.ts'
import { doctor } from './doctor/doctor.ts'
import { messageOf } from '../base/errors.ts'

try {
  const output = { print: console.log, columns: process.stdout.isTTY ? (process.stdout.columns ?? 0) : undefined }
  // Date.now has no fractions, and a Redis nearby answers in less than a millisecond.
  const now = () => performance.timeOrigin + performance.now()
  process.exitCode = await doctor({ args: process.argv.slice(2), readEnv, now, output })
} catch (error) {
  console.error(messageOf(error))
  process.exitCode = 1
}
// A connection or a server's process may still be closing.
process.stdout.write('', () => process.exit())
