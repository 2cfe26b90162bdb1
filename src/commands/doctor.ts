/** `npm run doctor [-- --json]`: checks everything that the bot depends on. Exits with 1 if it finds a fault. */
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
// A connection or a server's process may still be closing.
process.stdout.write('', () => process.exit())
