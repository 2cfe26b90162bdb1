/**
 * `node scripts/build-if-stale.js`: the first step of `npm start`, `npm run runs`, `npm run mcp`, `npm run slack` and
 * `npm run feedback`. Builds if dist/ is missing or older than a source; otherwise it starts no compiler. If nothing
 * can be built (an image without sources or compiler, a read-only dist/), the existing build stays. This is JavaScript,
 * because it runs before anything is compiled.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readdirSync, statSync, utimesSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { copyLua } from './copy-lua.js'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const BUILT = join(ROOT, 'dist', 'src', 'main.js')
const COMPILER = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
/** The folders that tsconfig.build.json excludes. Their files are read as they are. */
const NOT_COMPILED = ['tools/custom'].map((path) => join(ROOT, path))
const SETTINGS = ['package.json', 'tsconfig.json', 'tsconfig.build.json'].map((path) => join(ROOT, path))

const say = (text) => console.error(text)

/**
 * Returns the files that a build depends on. A folder counts too: it changes when a file is added, removed or replaced.
 */
function sources(folder) {
  if (NOT_COMPILED.includes(folder) || !existsSync(folder)) return []
  const entries = readdirSync(folder, { withFileTypes: true })
  const below = entries.filter((entry) => entry.isDirectory()).flatMap((entry) => sources(join(folder, entry.name)))
  const files = entries.filter((entry) => /\.(ts|json|lua)$/.test(entry.name)).map((entry) => join(folder, entry.name))
  return [folder, ...files, ...below]
}

/** Returns the source that was changed last, with its time in ms. */
function newestSource() {
  const all = [
    ...SETTINGS.filter((path) => existsSync(path)),
    ...['src', 'tools'].flatMap((name) => sources(join(ROOT, name))),
  ]
  return all
    .map((path) => ({ path: relative(ROOT, path), time: statSync(path).mtimeMs }))
    .reduce((newest, one) => (one.time > newest.time ? one : newest))
}

function isWritable(path) {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Returns why a new build is impossible. Undefined if it is possible. */
function obstacle() {
  if (!existsSync(COMPILER)) return 'TypeScript is not installed (npm ci installs it)'
  return existsSync(BUILT) && !isWritable(BUILT) ? 'dist cannot be written' : undefined
}

/** @returns the exit code */
function build(newest) {
  const started = Date.now()
  // The output goes to stderr, because `npm run runs` and `npm run feedback` print their lists to stdout.
  const { status } = spawnSync(process.execPath, [COMPILER, '-p', 'tsconfig.build.json'], {
    cwd: ROOT,
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) {
    say('The build failed, so nothing was started.')
    return 1
  }
  copyLua()
  // A source that changes during compilation is built again. One with a time in the future is not built forever.
  const time = new Date(Math.ceil(Math.max(started, newest.time)))
  utimesSync(BUILT, time, time)
  return 0
}

/** @returns the exit code */
function buildIfStale() {
  const isBuilt = existsSync(BUILT)
  if (isBuilt && !existsSync(join(ROOT, 'src'))) return 0
  const newest = newestSource()
  if (isBuilt && newest.time <= statSync(BUILT).mtimeMs) return 0
  const why = obstacle()
  const what = isBuilt ? `${newest.path} is newer than dist` : 'There is no build yet'
  if (!why) {
    say(`Building… ${what}.`)
    return build(newest)
  }
  say(`${what}, but ${why}.${isBuilt ? ' Starting the older build.' : ''}`)
  return isBuilt ? 0 : 1
}

process.exitCode = buildIfStale()
