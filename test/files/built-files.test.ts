import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT } from '../../src/package-root.ts'
import { FIXTURES } from '../harness/file-corpus.ts'

const run = promisify(execFile)
const FOLDER = join(ROOT, 'tmp', 'built-files')

const SCRIPT = `
import { readFileSync } from 'node:fs'
import { createFileParsers } from './dist/src/files/parse-file.js'
const parser = createFileParsers().forQuestion('U0')
for (const name of process.argv.slice(3)) {
  const { file, fault } = await parser.parse({ name, bytes: readFileSync(process.argv[2] + '/' + name) })
  console.log(name, fault ?? file.sections.map(({ text }) => text).join(' '))
}
`

/** Compiles the files' room with the build's own options. The worker is named in no import: it must be compiled all the same. */
async function build(): Promise<void> {
  await mkdir(FOLDER, { recursive: true })
  onTestFinished(() => rm(FOLDER, { recursive: true, force: true }))
  const only = { compilerOptions: { outDir: 'dist', rootDir: ROOT }, files: [], include: [join(ROOT, 'src/files')] }
  const settings = { extends: join(ROOT, 'tsconfig.build.json'), ...only, exclude: [] }
  await writeFile(join(FOLDER, 'tsconfig.json'), JSON.stringify(settings))
  await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', FOLDER])
  await writeFile(join(FOLDER, 'main.mjs'), SCRIPT)
}

test('the built output parses files in plain Node, in a worker of its own', { timeout: 300_000 }, async () => {
  await build()
  const names = [
    'handbook.pdf',
    'handbook.docx',
    'handbook.odt',
    'rollout.pptx',
    'sales.xlsx',
    'handbook.html',
    'sales.fods',
  ]
  const { stdout, stderr } = await run(process.execPath, [join(FOLDER, 'main.mjs'), FIXTURES, ...names])
  for (const name of ['handbook.pdf', 'handbook.docx', 'handbook.odt', 'handbook.html'])
    expect(stdout).toMatch(new RegExp(`${name} [^]*?30 days a year, not counting December 24`))
  expect(stdout).toContain('rollout.pptx Rollout 2027')
  expect(stdout).toContain('sales.xlsx City\tRevenue')
  expect(stderr).toBe('')
})
