import { spawnSync } from 'node:child_process'
import type { TestProject } from 'vitest/node'
import { ROOT } from '../../../src/base/package-root.ts'

/** Before all scenarios: the bot is built, once, as it is shipped; and the seed is said. */
export default function setup({ config }: TestProject): void {
  console.log(`\nCHAOS_SEED=${config.env.CHAOS_SEED} repeats this run.\n`)
  // Whoever tries one scenario again and again builds by hand.
  if (process.env.CHAOS_BUILT) return
  const { status, stdout } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) throw new Error(`The build failed:\n${stdout}`)
}
