import { join } from 'node:path'
import { ROOT } from '../../../src/base/package-root.ts'

/** Node with TypeScript, for servers of ours over stdio. */
export function ourStdio(file: string, ...args: string[]) {
  return {
    command: process.execPath,
    args: ['--import', import.meta.resolve('tsx'), join(ROOT, 'test/harness/mcp', file), ...args],
  }
}

/** A server of npm over stdio. */
export function npmStdio(name: 'everything' | 'filesystem' | 'memory', ...args: string[]) {
  return {
    command: process.execPath,
    args: [join(ROOT, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
  }
}
