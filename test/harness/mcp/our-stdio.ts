import { join } from 'node:path'
import { ROOT } from '../../../src/base/package-root.ts'
import { nodeArgs } from '../compiled-sources.ts'

/** A server of ours over stdio. */
export function ourStdio(file: string, ...args: string[]) {
  return { command: process.execPath, args: [...nodeArgs(`test/harness/mcp/${file}`), ...args] }
}

/** A server of npm over stdio. */
export function npmStdio(name: 'everything' | 'filesystem' | 'memory', ...args: string[]) {
  return {
    command: process.execPath,
    args: [join(ROOT, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
  }
}
