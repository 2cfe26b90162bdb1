import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { alias } from './vitest.config.ts'

// One seed for the whole run: `CHAOS_SEED=… npm run test:chaos` repeats the same faults.
const seed = process.env.CHAOS_SEED ?? String(randomInt(1_000_000))

const properties = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((file) => `test/${file}`)
  .filter((file) => file.endsWith('.test.ts') && readFileSync(file, 'utf8').includes('/harness/property-runs.ts'))

/**
 * `npm run test:chaos`: real processes that are killed, frozen, cut off and exhausted, and readers of long texts, which
 * must take linear time. Property tests run more often than in `npm test`. One scenario at a time.
 */
export default defineConfig({
  resolve: { alias },
  test: {
    include: ['test/chaos/**/*.test.ts', ...properties],
    globalSetup: ['test/harness/chaos/build.ts', 'test/harness/compiled-sources.ts'],
    env: { CHAOS_SEED: seed },
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000, interval: 25 } },
    teardownTimeout: 30_000,
    // The first failing scenario is the most informative.
    bail: process.env.CI === 'true' ? 0 : 1,
  },
})
