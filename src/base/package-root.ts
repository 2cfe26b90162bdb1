import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder with package.json, both for the sources and for the build in dist/. */
export const ROOT = packageRoot(dirname(fileURLToPath(import.meta.url)))

function packageRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : packageRoot(dirname(folder))
}
