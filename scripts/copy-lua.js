/**
 * `node scripts/copy-lua.js`: copies the Lua scripts of src/ to their places in dist/. The compiler leaves them out.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

function luaFiles(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return luaFiles(path)
    return entry.name.endsWith('.lua') ? [path] : []
  })
}

export function copyLua() {
  for (const path of luaFiles(join(ROOT, 'src'))) {
    const copy = join(ROOT, 'dist', relative(ROOT, path))
    mkdirSync(dirname(copy), { recursive: true })
    copyFileSync(path, copy)
  }
}

if (resolve(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) copyLua()
