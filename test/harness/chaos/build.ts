import { spawnSync } from 'node:child_process'
import type { TestProject } from 'vitest/node'
import { ROOT } from '../../../src/base/package-root.ts'

/** Runs before all scenarios: builds the bot as it is shipped, and prints the seed. */
export default function setup({ config }: TestProject): void {
  console.log(`\nCHAOS_SEED=${config.env.CHAOS_SEED} repeats this run.\n`)
  // Set this to repeat one scenario without building.
  if (process.env.CHAOS_BUILT) return
  const { status, stdout } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) throw new Error(`The build failed:\n${stdout}`)
}
