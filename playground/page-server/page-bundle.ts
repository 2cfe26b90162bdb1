import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

/** The folder of the page's own files. */
export const PAGE = join(import.meta.dirname, '../page')

const bundles = new Map<string, { changed: number; text: Promise<string> }>()

/**
 * Bundles a script or style sheet of the page with its imports. The bundle is rebuilt after a file of the page has
 * changed.
 */
export function pageBundle(name: string): Promise<string> {
  const changed = Math.max(...readdirSync(PAGE).map((file) => statSync(join(PAGE, file)).mtimeMs))
  const known = bundles.get(name)
  if (known?.changed === changed) return known.text
  const text = makeBundle(join(PAGE, name))
  bundles.set(name, { changed, text })
  return text
}

async function makeBundle(path: string): Promise<string> {
  const options = { bundle: true, minifyWhitespace: true, format: 'esm', write: false, logLevel: 'silent' } as const
  const { outputFiles } = await build({ entryPoints: [path], ...options })
  return outputFiles.map(({ text }) => text).join('')
}
