/** `npm run doctor [-- --json]`: looks at everything that the bot stands on, and says what is wrong with it. Ends with 1 if anything is. */
import { readEnv } from '../config.ts'
import { doctor } from './doctor/doctor.ts'
import { messageOf } from '../base/errors.ts'

try {
  const output = { print: console.log, columns: process.stdout.isTTY ? (process.stdout.columns ?? 0) : undefined }
  process.exitCode = await doctor({ args: process.argv.slice(2), readEnv, output })
} catch (error) {
  console.error(messageOf(error))
  process.exitCode = 1
}
// A connection or a server's program may still be closing.
process.stdout.write('', () => process.exit())
