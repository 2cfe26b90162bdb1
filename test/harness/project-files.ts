import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { ROOT } from '../../src/base/package-root.ts'

/** Returns every file below a folder of the project, without dependencies and builds. */
export function filesIn(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true })
  return entries.flatMap((entry) => {
    const path = posix.join(folder, entry.name)
    if (entry.isDirectory()) return LEFT_OUT.has(entry.name) ? [] : filesIn(path)
    return [path]
  })
}

const LEFT_OUT = new Set(['node_modules', 'dist', '.git', 'coverage'])

/** Returns the text of a file of the project. */
export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}
