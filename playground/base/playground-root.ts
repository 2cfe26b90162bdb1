import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The package's folder, found by walking up to package.json, so that page and wiki files are read from `playground/slack`
 * whether this runs from `src/` or from `dist/`.
 */
export function packageRoot(from: string = import.meta.dirname): string {
  if (existsSync(join(from, 'package.json'))) return from
  const parent = dirname(from)
  if (parent === from) throw new Error('There is no package.json above this file.')
  return packageRoot(parent)
}

/** The path of a file of this room that is not code. */
export function assetPath(...names: string[]): string {
  return join(packageRoot(), 'src', 'playground', ...names)
}
