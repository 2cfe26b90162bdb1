import { join } from 'node:path'
import { ROOT } from '../../../src/base/package-root.ts'
import { nodeArgs } from '../compiled-sources.ts'

/** Returns the config of one of the tests' servers over stdio. */
export function ourStdio(file: string, ...args: string[]) {
  return { command: process.execPath, args: [...nodeArgs(`test/harness/mcp/${file}`), ...args] }
}

/** Returns the config of an npm server over stdio. */
export function npmStdio(name: 'everything' | 'filesystem' | 'memory', ...args: string[]) {
  return {
    command: process.execPath,
    args: [join(ROOT, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
  }
}
