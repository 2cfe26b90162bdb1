/**
 * `npm run doctor [-- --json]`: checks everything that the bot depends on, and says what is wrong. Exit code 1 if
 * anything is.
 */
import { runIfMain, type Command } from './command.ts'
import { doctor, USAGE } from './doctor/doctor.ts'

const command: Command = {
  usage: USAGE,
  run({ args, readEnv, print, stdout }) {
    // Date.now has no fractions, and a Redis nearby answers in less than a millisecond.
    const now = () => performance.timeOrigin + performance.now()
    return doctor({ args, readEnv, now, output: { print, columns: stdout.isTTY ? (stdout.columns ?? 0) : undefined } })
  },
}
export default command

await runIfMain(import.meta, command)
