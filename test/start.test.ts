/**
 * `npm start` and `npm run runs` in a copy of the project with small sources: when they build, and when they do not.
 */
import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { ROOT } from '../src/base/package-root.ts'
import { temporaryFolder } from './harness/command.ts'
import { fileEnds, type Ends } from './harness/ends.ts'

vi.setConfig({ testTimeout: 240_000 })

/** A user without write access to others' files. A test that runs as root switches to it. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

type As = { uid?: number; gid?: number }
type Package = { scripts: Record<string, string> }

const ends = fileEnds()
/** Built at the first use, for the whole file, because builds are slow. */
let built: Promise<{ folder: string; first: Ran }> | undefined

/** Builds the project by its first `npm start`. */
async function buildOnce() {
  const { folder, npm } = await copyOfProject(ends)
  return { folder, first: await npm(['start']) }
}

/** Returns a copy of the built project, with its files' times. */
async function builtProject(t: Ends) {
  const folder = await temporaryFolder(t)
  built ??= buildOnce()
  const once = await built
  // Keeps the times of folders too, which Node's cp changes.
  await promisify(execFile)('cp', ['-a', `${once.folder}/.`, folder])
  return { ...projectIn(folder), first: once.first }
}

/** The project's own scripts and settings, with a one-line src/main.ts, src/commands/runs.ts and Lua script. */
async function copyOfProject(t: Ends) {
  const folder = await temporaryFolder(t)
  for (const path of ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts'])
    await cp(join(ROOT, path), join(folder, path), { recursive: true })
  // Node's types take half the time of a build.
  const settings = await readFile(join(folder, 'tsconfig.json'), 'utf8')
  await writeFile(join(folder, 'tsconfig.json'), settings.replace('"types": ["node"]', '"types": []'))
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  for (const path of ['src/deep', 'src/commands', 'tools/custom', 'cache'])
    await mkdir(join(folder, path), { recursive: true })
  const { write, ...project } = projectIn(folder)
  await write('src/console.d.ts', 'declare const console: { log(text: string): void }\n')
  await write('src/deep/word.ts', `export const word: string = 'one'\n`)
  await write('src/main.ts', `import { word } from './deep/word.ts'\nconsole.log('main says ' + word)\n`)
  await write('src/commands/runs.ts', `import { word } from '../deep/word.ts'\nconsole.log('runs says ' + word)\n`)
  await write('src/deep/word.lua', 'return 1\n')
  await write('tools/tool.ts', `export const tool = 1\n`)
  return { write, ...project }
}

function projectIn(folder: string) {
  const write = (path: string, text: string) => writeFile(join(folder, path), text)
  const npm = (args: string[]) => run(folder, ['npm', ...args], {})
  /** Returns the command of `npm run NAME`, without npm itself, which takes longer to start than the command. */
  const script = async (name: string, as: As = {}) => {
    const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Package
    return run(folder, ['sh', '-c', `${scripts[`pre${name}`]} && ${scripts[name]}`], as)
  }
  const at = (path: string) => join(folder, path)
  /** Sets the time of a file's change to this long after the build; before it if negative. */
  const touch = async (path: string, seconds: number) => {
    const built = (await stat(at('dist/src/main.js'))).mtimeMs / 1000 + seconds
    await utimes(at(path), built, built)
  }
  return { folder, at, write, touch, npm, script, start: () => script('start') }
}

interface Ran {
  code: number
  stdout: string
  stderr: string
}

/** Runs a command. Returns its exit code and output. */
async function run(cwd: string, [command = '', ...args]: string[], as: As) {
  const env = {
    PATH: process.env.PATH,
    HOME: cwd,
    npm_config_cache: join(cwd, 'cache'),
    npm_config_update_notifier: 'false',
  }
  return new Promise<Ran>((resolve) => {
    execFile(command, args, { cwd, env, ...as }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
  })
}

test('what is not built is built, and what is built is started as it is', async (t) => {
  const { npm, at, first } = await builtProject(t)
  expect([first.code, first.stderr]).toEqual([0, expect.stringContaining('Building… There is no build yet.')])
  expect(first.stdout).toMatch(/main says one\n$/)
  const { mtimeMs } = await stat(at('dist/src/deep/word.js'))
  const second = await npm(['start'])
  expect([second.code, second.stdout, second.stderr]).toEqual([0, expect.stringMatching(/main says one\n$/), ''])
  expect((await stat(at('dist/src/deep/word.js'))).mtimeMs).toBe(mtimeMs)
})

test('a source that is newer than dist is built again, by npm run runs too, and then no more', async (t) => {
  const { start, npm, script, write, touch } = await builtProject(t)
  await write('src/deep/word.ts', `export const word: string = 'two'\n`)
  await touch('src/deep/word.ts', 5)
  const runs = await npm(['run', '--silent', 'runs'])
  expect(runs).toEqual({
    code: 0,
    stdout: 'runs says two\n',
    stderr: 'Building… src/deep/word.ts is newer than dist.\n',
  })
  expect(await script('runs')).toEqual({ code: 0, stdout: 'runs says two\n', stderr: '' })
  expect((await start()).stdout).toMatch(/main says two\n$/)
})

test('a tool and a setting of the build count as sources; a custom tool does not', async (t) => {
  const { start, write, touch, at } = await builtProject(t)
  // Without a compiler it still names the newer files, and builds nothing.
  await rm(at('node_modules'))
  const paths = ['tools/tool.ts', 'tsconfig.json', 'tsconfig.build.json', 'package.json', 'src/deep']
  for (const path of paths) {
    await touch(path, 5)
    expect((await start()).stderr).toContain(`${path} is newer than dist, but TypeScript is not installed`)
    await touch(path, -5)
    expect((await start()).stderr).toBe('')
  }
  await write('tools/custom/mine.ts', 'export default {}\n')
  await touch('tools/custom/mine.ts', 500)
  expect((await start()).stderr).toBe('')
})

test('a Lua script is copied to its place in dist, and again when it is changed', async (t) => {
  const { start, at, write, touch } = await builtProject(t)
  expect(await readFile(at('dist/src/deep/word.lua'), 'utf8')).toBe('return 1\n')
  await write('src/deep/word.lua', 'return 2\n')
  await touch('src/deep/word.lua', 5)
  expect((await start()).stderr).toContain('Building… src/deep/word.lua is newer than dist.')
  expect(await readFile(at('dist/src/deep/word.lua'), 'utf8')).toBe('return 2\n')
})

test('an older file that took the place of a source is built too', async (t) => {
  const { start, at, write, touch } = await builtProject(t)
  await write('older.ts', `export const word: string = 'three'\n`)
  await touch('older.ts', -100)
  await rename(at('older.ts'), at('src/deep/word.ts'))
  expect((await start()).stdout).toMatch(/main says three\n$/)
})

test('sources that do not compile start nothing, however often it is tried', async (t) => {
  const { start, write, touch } = await builtProject(t)
  await write('src/deep/word.ts', `export const word: string = 4\n`)
  await touch('src/deep/word.ts', 5)
  for (let i = 0; i < 2; i++) {
    const { code, stdout, stderr } = await start()
    expect([code, stdout]).toEqual([expect.any(Number), expect.not.stringContaining('main says')])
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/src\/deep\/word\.ts.*error TS2322[^]*The build failed, so nothing was started\./)
  }
})

test('an image without sources and compiler starts what it holds', async (t) => {
  const { start, at } = await builtProject(t)
  for (const path of ['src', 'tsconfig.json', 'tsconfig.build.json', 'node_modules'])
    await rm(at(path), { recursive: true })
  expect(await start()).toEqual({ code: 0, stdout: expect.stringMatching(/main says one\n$/), stderr: '' })
})

test('where nothing can be built, an older build is started and a missing one told', async (t) => {
  const { start, at, touch } = await builtProject(t)
  await rm(at('node_modules'))
  await touch('src/main.ts', 5)
  const older = await start()
  expect([older.code, older.stdout]).toEqual([0, expect.stringMatching(/main says one\n$/)])
  const why = 'TypeScript is not installed (npm ci installs it)'
  expect(older.stderr).toContain(`src/main.ts is newer than dist, but ${why}. Starting the older build.\n`)
  await rm(at('dist'), { recursive: true })
  const none = await start()
  expect(none.code).toBe(1)
  expect(none.stderr).toContain(`There is no build yet, but ${why}.\n`)
})

test('a dist that may only be read is started as it is', async (t) => {
  const { script, folder, at, touch } = await builtProject(t)
  await touch('src/main.ts', 5)
  const built = await readFile(at('dist/src/main.js'), 'utf8')
  await chmod(folder, 0o755)
  for (const path of ['dist/src/main.js', 'dist/src', 'dist'])
    await chmod(at(path), path.endsWith('js') ? 0o444 : 0o555)
  // Without npm, which would need its own cache for another user.
  const { code, stdout, stderr } = await script('start', NOBODY)
  expect([code, stdout]).toEqual([0, expect.stringMatching(/main says one\n$/)])
  expect(stderr).toContain('src/main.ts is newer than dist, but dist cannot be written. Starting the older build.')
  expect(await readFile(at('dist/src/main.js'), 'utf8')).toBe(built)
  for (const path of ['dist', 'dist/src']) await chmod(at(path), 0o755)
})
