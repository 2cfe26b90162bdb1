import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder that holds package.json, from the sources as from the built output in dist/. */
export const ROOT = packageRoot(dirname(fileURLToPath(import.meta.url)))

function packageRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : packageRoot(dirname(folder))
}
