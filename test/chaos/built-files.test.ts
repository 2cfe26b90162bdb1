import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT } from '../../src/base/package-root.ts'
import { FIXTURES, pdfOf, sheetRow, xlsxOf } from '../harness/file-corpus.ts'
import { treeMemory } from '../harness/process-tree.ts'

const run = promisify(execFile)
const FOLDER = join(ROOT, 'tmp', 'built-files')

/** The memory for the parsers, in MiB. With a bot of 250 MB the total stays under 900 MB. */
const MAX_MEBIBYTES = 650

const SCRIPT = `
import { readFileSync } from 'node:fs'
import { createFileParsers } from '../../dist/src/files/parse-file.js'
const [folder, isTogether, ...names] = process.argv.slice(2)
const parsers = createFileParsers()
const read = async (name, i) => {
  const { file, fault } = await parsers.forQuestion('U' + i, Date.now).parse({ name, bytes: readFileSync(folder + '/' + name) })
  console.log(name, fault ?? file.sections.map(({ text }) => text).join(' '))
}
if (isTogether === 'together') await Promise.all(names.map(read))
else for (const name of names) await read(name, 0)
`

/** Writes a script that uses the build. The build exists before the scenarios. */
async function writeMain(): Promise<void> {
  await mkdir(FOLDER, { recursive: true })
  onTestFinished(() => rm(FOLDER, { recursive: true, force: true }))
  await writeFile(join(FOLDER, 'main.mjs'), SCRIPT)
}

test('the built bot parses files in plain Node, outside its own process', { timeout: 300_000 }, async () => {
  await writeMain()
  const names = [
    'handbook.pdf',
    'handbook.docx',
    'handbook.odt',
    'rollout.pptx',
    'sales.xlsx',
    'handbook.html',
    'sales.fods',
  ]
  const { stdout, stderr } = await run(process.execPath, [join(FOLDER, 'main.mjs'), FIXTURES, 'one by one', ...names])
  for (const name of ['handbook.pdf', 'handbook.docx', 'handbook.odt', 'handbook.html'])
    expect(stdout).toMatch(new RegExp(`${name} [^]*?30 days a year, not counting December 24`))
  expect(stdout).toContain('rollout.pptx Rollout 2027')
  expect(stdout).toContain('sales.xlsx City\tRevenue')
  expect(stderr).toBe('')
})

/** Returns a workbook with over a million cells, which need almost the maximum memory. */
function largeWorkbook(): Uint8Array {
  return xlsxOf(Array.from({ length: 300_000 }, (_, i) => sheetRow(i + 1, [1, 2, 3, 4, 5])).join(''))
}

test('two huge files are parsed at once: memory stays within its limit', { timeout: 300_000 }, async () => {
  await writeMain()
  await writeFile(join(FOLDER, 'a.xlsx'), largeWorkbook())
  await writeFile(
    join(FOLDER, 'b.pdf'),
    pdfOf([['']], () => Buffer.alloc(400 * 1024 * 1024, ' ')),
  )
  for (const names of [
    ['a.xlsx', 'a.xlsx'],
    ['b.pdf', 'b.pdf'],
  ]) {
    const reading = run(process.execPath, [join(FOLDER, 'main.mjs'), FOLDER, 'together', ...names], { maxBuffer: 1e8 })
    let most = 0
    const look = setInterval(() => (most = Math.max(most, treeMemory(reading.child.pid ?? 0))), 10)
    const { stdout } = await reading.finally(() => clearInterval(look))
    expect(stdout).toMatch(/\.(?:pdf|xlsx) .*needs too much memory to read|xlsx (?:The file takes|1\t2)/)
    expect(most).toBeLessThan(MAX_MEBIBYTES)
  }
})
