import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { startWiki } from '../../src/playground/wiki.ts'
import { ROOT } from '../../src/root.ts'

const run = promisify(execFile)
const FOLDER = join(ROOT, 'tmp', 'build-wiki')

const SCRIPT = `
import { createToolbox } from './dist/tools/index.js'
import { createToolHttp } from './dist/src/http.js'
const http = createToolHttp()
const tools = createToolbox({ http, settings: { enabled: ['wikipedia', 'calculator'], wikipediaApiUrl: process.argv[2] } })
const context = { signal: new AbortController().signal, memory: {} }
for (const [tool, input] of [[0, { query: 'AT&T' }], [1, { keyword: 'bell' }], [2, { expression: '29^0.23' }]]) {
  const output = await tools[tool].run(input, context)
  console.log(output.text ?? output)
}
await http.close()
`

test(
  'the package loads in plain Node as it does here: the built output finds a page',
  { timeout: 120_000 },
  async () => {
    const wiki = await startWiki()
    onTestFinished(() => wiki.close())
    await mkdir(FOLDER, { recursive: true })
    onTestFinished(() => rm(FOLDER, { recursive: true, force: true }))
    const only = {
      compilerOptions: { outDir: 'dist', rootDir: ROOT },
      files: [join(ROOT, 'tools/index.ts')],
      include: [],
    }
    await writeFile(
      join(FOLDER, 'tsconfig.json'),
      JSON.stringify({ extends: join(ROOT, 'tsconfig.build.json'), ...only }),
    )
    await writeFile(join(FOLDER, 'main.mjs'), SCRIPT)
    await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', FOLDER])
    const { stdout } = await run(process.execPath, [join(FOLDER, 'main.mjs'), wiki.url])
    expect(stdout).toContain('AT&T Inc. is an American telecommunications company')
    expect(stdout).toContain('(Result 1 / 1) Its history goes back to the Bell Telephone Company')
    expect(stdout).toContain('2.169459462491557')
  },
)
