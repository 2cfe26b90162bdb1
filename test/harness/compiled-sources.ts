/**
 * The sources as JavaScript, for tests that start them in a process of their own: under `tsx` a process takes three
 * times as long to begin. Before each run of vitest what has changed since the last one is compiled, without a type
 * check.
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
import { ROOT } from '../../src/base/package-root.ts'

const BUILT = join(ROOT, 'tmp', 'built')
const SETTINGS = ['tsconfig.json', 'tsconfig.build.json', 'package.json']

/** The path of a source file's JavaScript. `file` is relative to the project. */
function builtFile(file: string): string {
  return join(BUILT, file.replace(/\.ts$/, '.js'))
}

/** The arguments with which Node starts a source file: its JavaScript, or as in a checkout by `tsx`. */
export function nodeArgs(file: string, fromSource = false): string[] {
  return fromSource ? ['--import', import.meta.resolve('tsx'), join(ROOT, file)] : [builtFile(file)]
}

/** Compiles what has changed. vitest's global setup. */
export default async function build(): Promise<void> {
  const settings = Math.max(...SETTINGS.map((file) => timeOf(join(ROOT, file))))
  const changed = sources().flatMap((file) => {
    const time = Math.max(settings, timeOf(join(ROOT, file)))
    // Compared for equality: a file may be replaced by an older one.
    return existsSync(builtFile(file)) && timeOf(builtFile(file)) === time ? [] : [{ file, time }]
  })
  if (changed.length === 0) return
  const compile = await compiler()
  for (const { file, time } of changed) {
    const bytes = readFileSync(join(ROOT, file))
    write(builtFile(file), { content: file.endsWith('.ts') ? compile(bytes.toString()) : bytes, time })
  }
}

function sources(): string[] {
  const files = ['src', 'tools', 'playground', 'test/harness'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  )
  return files.filter(
    (file) => /\.(?:ts|js|lua|txt|json|css|html|svg|pdf|csv)$/.test(file) && !/^tools\/custom\//.test(file),
  )
}

/** Compiles with the options of the build. */
async function compiler(): Promise<(text: string) => string> {
  const { default: ts } = await import('typescript')
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.build.json'), ts.sys.readFile) as { config: object }
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, ROOT)
  // For a single text `nodenext` would mean CommonJS.
  const compilerOptions = { ...options, module: ts.ModuleKind.ESNext, sourceMap: false }
  return (text) => ts.transpileModule(text, { compilerOptions }).outputText
}

/** Writes in one step, because another run may read the file meanwhile. */
function write(path: string, { content, time }: { content: string | Buffer; time: number }): void {
  const half = `${path}.${process.pid}`
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(half, content)
  utimesSync(half, time / 1_000, time / 1_000)
  renameSync(half, path)
}

/** Returns when a file was changed, in whole milliseconds. */
function timeOf(path: string): number {
  return Math.round(statSync(path).mtimeMs)
}
