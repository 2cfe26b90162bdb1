import { randomInt } from 'node:crypto'
import { defineConfig } from 'vitest/config'
import { alias } from './vitest.config.ts'

// One seed for the whole run: CHAOS_SEED=… npm run test:chaos makes the same faults again.
const seed = process.env.CHAOS_SEED ?? String(randomInt(1_000_000))

/**
 * `npm run test:chaos`: real processes that are killed, frozen, cut off and exhausted, and whether long texts are read in
 * linear time. One scenario at a time.
 */
export default defineConfig({
  resolve: { alias },
  test: {
    include: ['test/chaos/**/*.test.ts', 'test/schedules/when.test.ts'],
    globalSetup: ['test/harness/chaos/build.ts', 'test/harness/compiled-sources.ts'],
    env: { CHAOS_SEED: seed },
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000, interval: 25 } },
    teardownTimeout: 30_000,
    // The first scenario that fails has the most to tell.
    bail: process.env.CI === 'true' ? 0 : 1,
  },
})
