/**
 * `npm run doctor [-- --json]`: checks everything that the bot depends on, and says what is wrong. Exit code 1 if
 * anything is.
 */
import { mainCommand } from './command.ts'
import { doctor, USAGE } from './doctor/check-all.ts'

export default await mainCommand(import.meta, USAGE, ({ args, readEnv, print, stdout }) => {
  // Date.now has no fractions, and a Redis nearby answers in less than a millisecond.
  const now = () => performance.timeOrigin + performance.now()
  return doctor({ args, readEnv, now, output: { print, columns: stdout.isTTY ? (stdout.columns ?? 0) : undefined } })
})
