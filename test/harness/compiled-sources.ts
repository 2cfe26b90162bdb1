/**
 * The sources as JavaScript, for tests that start them in separate processes: under `tsx` a process takes three times
 * as long to start. Changed files are compiled before each run of vitest, without a type check.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { OnResolveArgs, OnResolveResult } from 'esbuild'
import { ROOT } from '../../src/base/package-root.ts'

const BUILT = join(ROOT, 'tmp', 'built')
const SETTINGS = ['tsconfig.json', 'tsconfig.build.json', 'package.json']

/**
 * Flags with which Node optimizes code only after it has run longer, because a tenth of the tests' work was optimizing
 * code that runs once. Later versions of V8 name the thresholds differently.
 */
export const OPTIMIZE_LATE = process.versions.node.startsWith('20.') ? ['--interrupt-budget=2000000'] : []

/** Returns the path of a source file's JavaScript. `file` is relative to the project. */
export function builtFile(file: string): string {
  return join(BUILT, file.replace(/\.ts$/, '.js'))
}

/** Returns the arguments with which Node starts a source file: its JavaScript, or `tsx` as in a checkout. */
export function nodeArgs(file: string, fromSource = false): string[] {
  const started = fromSource ? ['--import', import.meta.resolve('tsx'), join(ROOT, file)] : [builtFile(file)]
  return [...OPTIMIZE_LATE, ...started]
}

/** Compiles the changed files. This is vitest's global setup. */
export default async function build(): Promise<void> {
  const settings = Math.max(...SETTINGS.map((file) => timeOf(join(ROOT, file))))
  const changed = sources().flatMap((file) => {
    const time = Math.max(settings, timeOf(join(ROOT, file)))
    // Compared for equality, because a file may be replaced by an older one.
    return existsSync(builtFile(file)) && timeOf(builtFile(file)) === time ? [] : [{ file, time }]
  })
  if (changed.length === 0) return
  const compiled = await compile(changed.map(({ file }) => file).filter((file) => file.endsWith('.ts')))
  for (const { file, time } of changed)
    write(builtFile(file), { content: compiled.get(builtFile(file)) ?? readFileSync(join(ROOT, file)), time })
}

function sources(): string[] {
  const files = ['src', 'tools', 'playground', 'test/harness'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  )
  return files.filter(
    (file) => /\.(?:ts|js|lua|txt|json|css|html|svg|pdf|csv)$/.test(file) && !/^tools\/custom\//.test(file),
  )
}

/** Compiles each file on its own, with esbuild, which is ten times as fast as TypeScript. Returns the code by path. */
async function compile(files: string[]): Promise<Map<string, Uint8Array>> {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    ...{ entryPoints: files, absWorkingDir: ROOT, outbase: ROOT, outdir: BUILT, write: false },
    ...{ format: 'esm', platform: 'node', target: 'node20', bundle: true, packages: 'external' },
    plugins: [
      { name: 'importing JavaScript', setup: (made) => made.onResolve({ filter: /^\./ }, importedAsJavaScript) },
    ],
  })
  return new Map(outputFiles.map(({ path, contents }) => [path, contents]))
}

function importedAsJavaScript({ kind, path }: OnResolveArgs): OnResolveResult | undefined {
  return kind === 'entry-point' ? undefined : { path: path.replace(/\.ts$/, '.js'), external: true }
}

/** Writes a file in one step, because another run may read it meanwhile. */
function write(path: string, { content, time }: { content: Uint8Array; time: number }): void {
  const half = `${path}.${process.pid}`
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(half, content)
  utimesSync(half, time / 1_000, time / 1_000)
  renameSync(half, path)
}

/** Returns when a file was changed, in whole ms. */
function timeOf(path: string): number {
  return Math.round(statSync(path).mtimeMs)
}
