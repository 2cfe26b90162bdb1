import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { startWiki } from '../../playground/wiki/wiki.ts'
import { ROOT } from '../../src/base/package-root.ts'

const run = promisify(execFile)
const FOLDER = join(ROOT, 'tmp', 'built-tools')

const SCRIPT = `
import { createToolbox } from '../built/tools/index.js'
import { loadCustomTools } from '../built/tools/custom-loader.js'
import { sleep } from '../built/src/base/backoff.js'
import { createToolHttp } from '../built/src/base/http/tool-http.js'
const http = createToolHttp({ timeoutMs: 10_000, clocks: { now: Date.now, sleep } })
const built = createToolbox({ http, settings: { TOOLS: ['wikipedia', 'calculator'], WIKIPEDIA_API_URL: process.argv[2] } })
const custom = await loadCustomTools(new URL('custom', import.meta.url).pathname, ['calculator'])
const tools = [...built, ...custom.tools]
const context = { signal: new AbortController().signal, memory: {} }
const inputs = [{ query: 'AT&T' }, { keyword: 'bell' }, { expression: '29^0.23' }, { input: 'hey' }, { input: 'hey' }]
for (const [i, input] of inputs.entries()) {
  const output = await tools[i].run(input, context)
  console.log(output.text ?? output)
}
console.log(JSON.stringify(custom.problems))
await http.close()
`

const CUSTOM = {
  'a.js': `export default { name: 'plain', description: 'Shouts.', run: (text) => text + '-JS' }`,
  'b.ts': `const run = (text: string): string => text + '-TS'\nexport default { name: 'typed', description: 'Shouts.', run }`,
  'c.js': 'export default {',
  'd.mjs': `export default { name: 'calculator', description: 'Again.', run: () => '' }`,
}

/**
 * Written beside the JavaScript sources, which the build's own options have made (test/harness/compiled-sources.ts).
 */
async function writeFiles(): Promise<void> {
  await mkdir(join(FOLDER, 'custom'), { recursive: true })
  onTestFinished(() => rm(FOLDER, { recursive: true, force: true }))
  await writeFile(join(FOLDER, 'main.mjs'), SCRIPT)
  for (const [name, code] of Object.entries(CUSTOM)) await writeFile(join(FOLDER, 'custom', name), code)
}

test(
  'the built tools work in plain Node: packages load as they do here, and people’s own tools too',
  { timeout: 300_000 },
  async () => {
    const wiki = await startWiki()
    onTestFinished(() => wiki.close())
    await writeFiles()
    const { stdout } = await run(process.execPath, [join(FOLDER, 'main.mjs'), wiki.url])
    expect(stdout).toContain('AT&T Inc. is an American telecommunications company')
    expect(stdout).toContain('(Result 1 / 1) Its history goes back to the Bell Telephone Company')
    expect(stdout).toContain('2.169459462491557')
    expect(stdout).toContain('hey-JS\nhey-TS')
    const problems: unknown = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
    expect(problems).toEqual([
      { file: 'c.js', fault: expect.stringContaining('Unexpected') },
      { file: 'd.mjs', fault: 'The name "calculator" is taken: choose another.' },
    ])
  },
)
