/**
 * `npm run bench -- files`: pages and rows per second for people's files, and the memory of the reading processes,
 * compared with the bare libraries. Each measure is a new process that first loads the library, because a file is read
 * once and people wait for all of it. Ours does more: it starts a process, checks the zip and lays out text.
 */
import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { searchPassages } from '../../src/files/passages.ts'
import type * as Parsing from '../../src/files/parse-file.ts'
import type { FileBytes } from '../../src/files/types.ts'
import { ROOT } from '../../src/base/package-root.ts'
import { docxOf, pdfOf, sheetRow, textFile, xlsxOf } from '../harness/file-corpus.ts'
import { treeMemory } from '../harness/process-tree.ts'
import { atLeast } from './targets.ts'

const LEAST_SHARE = 0.5
/** The number of measures, of which the best counts. The machine may have other load. */
const TURNS = 3
const WORDS = 'The quick brown fox jumps over the lazy dog, and the dog does not mind it at all. '

interface Case {
  units: number
  of: string
  make(): FileBytes
  bare(bytes: Uint8Array): Promise<unknown>
}

const CASES: Record<string, Case> = {
  'pdf of 300 pages': {
    units: 300,
    of: 'pages',
    make: () =>
      textFile('a.pdf', pdfOf(Array.from({ length: 300 }, (_, i) => [`Page ${i}`, ...Array<string>(40).fill(WORDS)]))),
    bare: async (bytes) => (await import('unpdf')).extractText(new Uint8Array(bytes)),
  },
  'xlsx of 100,000 rows': {
    units: 100_000,
    of: 'rows',
    make: () =>
      textFile('a.xlsx', xlsxOf(times(100_000, (i) => sheetRow(i + 1, [i, `Customer ${i}`, i * 2.5, 'Oslo', i % 7])))),
    bare: async (bytes) => (await import('read-excel-file/universal')).default(new Blob([Buffer.from(bytes)])),
  },
  'csv of 100,000 rows': {
    units: 100_000,
    of: 'rows',
    make: () =>
      textFile(
        'a.csv',
        times(100_000, (i) => `${i},"Customer ${i}",${i * 2.5},Oslo,${i % 7}\n`),
      ),
    bare: async (bytes) => (await import('csv-parse/sync')).parse(Buffer.from(bytes)),
  },
  'docx of 5,000 paragraphs': {
    units: 5000,
    of: 'paragraphs',
    make: () => textFile('a.docx', docxOf(times(5000, (i) => `<w:p><w:r><w:t>${i} ${WORDS}</w:t></w:r></w:p>`))),
    bare: async (bytes) => (await import('mammoth')).default.convertToHtml({ buffer: Buffer.from(bytes) }),
  },
}

/** The built output, as in production. */
const BUILT = join(ROOT, 'dist/src/files/parse-file.js')

export async function run([one, how]: string[]): Promise<void> {
  const known = CASES[one ?? '']
  if (known) return measure(known, how === 'bare')
  if (spawnSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' }).status !== 0)
    throw new Error('the build failed')
  const rows: Record<string, object> = {}
  const shares: Record<string, number> = {}
  for (const [name, { units, of }] of Object.entries(CASES)) {
    const ours = await inProcess(name, 'ours')
    const bare = await inProcess(name, 'bare')
    const aSecond = (ms: number) => Math.round((units * 1000) / ms)
    rows[name] = {
      [`a second`]: `${aSecond(ours.ms)} ${of}`,
      bare: aSecond(bare.ms),
      ms: Math.round(ours.ms),
      MiB: Math.round(ours.peak),
      'MiB, bare': Math.round(bare.peak),
      'search ms': ours.searchMs.toFixed(0),
    }
    shares[name] = bare.ms / ours.ms
  }
  console.table(rows)
  for (const [name, share] of Object.entries(shares))
    console.log(`Speed beside the bare library, ${name}: ${atLeast(Number(share.toFixed(2)), LEAST_SHARE)}`)
}

interface Measured {
  ms: number
  /** The peak MiB of the process and its children, less its memory when the file was created. */
  peak: number
  searchMs: number
}

/** In the child: prints a `Measured`. */
async function measure({ make, bare }: Case, isBare: boolean): Promise<void> {
  const file = make()
  const { createFileParsers } = (await import(BUILT)) as typeof Parsing
  const parsed = async () => {
    const outcome = await createFileParsers().forQuestion('U0', Date.now).parse(file)
    if (!outcome.file) throw new Error(`${file.name}: ${outcome.fault}`)
    return outcome.file
  }
  const before = treeMemory(process.pid)
  let most = before
  const measureMemory = () => (most = Math.max(most, treeMemory(process.pid)))
  const look = setInterval(measureMemory, 20)
  const read = () => (isBare ? bare(file.bytes) : parsed())
  const ms = await timed(read)
  measureMemory()
  clearInterval(look)
  const text = isBare ? undefined : await parsed()
  const searchMs = text ? await timed(() => searchPassages(text, 'lazy customer 77777')) : 0
  const measured: Measured = { ms, peak: most - before, searchMs }
  console.log(JSON.stringify(measured))
}

async function inProcess(name: string, how: 'ours' | 'bare'): Promise<Measured> {
  const [main = ''] = process.argv.slice(1)
  const all: Measured[] = []
  for (let turn = 0; turn < TURNS; turn += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, [...process.execArgv, main, 'files', name, how])
    all.push(JSON.parse(stdout) as Measured)
  }
  return all.reduce((best, one) => (one.ms < best.ms ? one : best))
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}

function times(count: number, line: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => line(i)).join('')
}
