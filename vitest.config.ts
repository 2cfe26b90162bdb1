import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { OPTIMIZE_LATE } from './test/harness/compiled-sources.ts'
import { LeftOut } from './test/harness/left-out.ts'
import { SlowFirst } from './test/harness/slow-first.ts'

// The parsers' children are JavaScript from the global setup, because with `tsx` each would take three times as long to
// start.
export const alias = [
  {
    find: /^.*\/parser-process\.ts$/,
    replacement: fileURLToPath(new URL('tmp/built/src/files/parser-process.js', import.meta.url)),
  },
]

export default defineConfig({
  resolve: { alias },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/chaos/**'],
    globalSetup: ['test/harness/compiled-sources.ts'],
    reporters: ['default', new LeftOut()],
    // Only a freeze exceeds this, even on a busy machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000, interval: 25 } },
    // Tests mostly wait, so there are more workers than cores.
    maxWorkers: 8,
    // A tenth of the work was collecting short-lived objects.
    execArgv: ['--max-semi-space-size=64', ...OPTIMIZE_LATE],
    // A worker loads Bolt, the model's client and our own files once, not once per file, which saves a third of all
    // work. Test files share its modules, so none may keep state in a module, change the environment or leave anything
    // running.
    isolate: false,
    sequence: { sequencer: SlowFirst },
  },
})
