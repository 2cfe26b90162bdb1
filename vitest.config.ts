import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { SlowFirst } from './test/harness/slow-first.ts'

// The parsers' children are JavaScript, which the global setup has made: with `tsx` each would take three times as long to start.
export const alias = [
  {
    find: /^.*\/parser-process\.ts$/,
    replacement: fileURLToPath(new URL('tmp/built/src/files/parser-process.js', import.meta.url)),
  },
]

/** Later versions of V8 have other names for when code is optimized. */
const isNode20 = process.versions.node.startsWith('20.')

export default defineConfig({
  resolve: { alias },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/chaos/**'],
    globalSetup: ['test/harness/compiled-sources.ts'],
    // What only a freeze breaks, on a machine that does much else besides.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000, interval: 25 } },
    // Most of the time a test waits: more workers than cores.
    maxWorkers: 8,
    // A tenth of the work was collecting short-lived objects, and another tenth was optimizing code that runs once.
    execArgv: ['--max-semi-space-size=64', ...(isNode20 ? ['--interrupt-budget=2000000'] : [])],
    // A worker loads Bolt, the model's client and our own files once, not once a file: a third of all the work. Test files
    // share its modules, so none may keep state in a module, change the environment or leave anything running.
    isolate: false,
    sequence: { sequencer: SlowFirst },
  },
})
