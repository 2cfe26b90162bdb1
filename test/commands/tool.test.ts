/** `npm run tool`, as a tool's author runs it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand, temporaryFolder } from '../harness/command.ts'
import type { Ends } from '../harness/ends.ts'
import { codeAfter } from '../harness/markdown.ts'
import { textOf } from '../harness/project-files.ts'

interface Given {
  files?: Record<string, string>
  env?: Record<string, string>
}

async function tool(t: Ends, args: string[], { files = {}, env = {} }: Given = {}) {
  const CUSTOM_TOOLS_DIR = await temporaryFolder(t)
  for (const [name, code] of Object.entries(files)) await writeFile(join(CUSTOM_TOOLS_DIR, name), code)
  return runCommand(t, 'src/commands/tool.ts', { args, env: { CUSTOM_TOOLS_DIR, ...env } })
}

const weekday = () => ({ 'weekday.js': codeAfter('`weekday.js`', textOf('tools/custom/README.md')) })

test('calls a custom tool without a model, and prints what the model would read', async (t) => {
  expect(await tool(t, ['weekday', '2026-11-21'], { files: weekday() })).toEqual({
    code: 0,
    stdout: 'Saturday\n',
    stderr: '',
  })
})

test('prints the tool’s error and exits with 1', async (t) => {
  const { code, stdout, stderr } = await tool(t, ['weekday', 'soon'], { files: weekday() })
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: '"soon" is not a date such as 2026-11-21.\n',
  })
})

test('calls a built-in tool too, enabled or not', async (t) => {
  expect(await tool(t, ['calculator', '6', '*', '7'])).toEqual({ code: 0, stdout: '42\n', stderr: '' })
  const off = await tool(t, ['calculator', '{"expression": "6 * 8"}'], { env: { TOOLS: 'wikipedia' } })
  expect(off).toEqual({ code: 0, stdout: '48\n', stderr: '' })
})

test('prints sources below the text, and cuts a long output as in a run', async (t) => {
  const code = `export default { name: 'long', description: 'Long.',
  run: () => ({ text: 'x'.repeat(1000), sources: [{ title: 'Manual', url: 'https://manual.example/' }] }) }`
  const { stdout } = await tool(t, ['long'], { files: { 'long.js': code }, env: { TOOL_OUTPUT_CHARS: '200' } })
  expect(stdout).toMatch(/^x+\n… \(800 characters cut\) …\nx+\nSource: Manual https:\/\/manual\.example\/\n$/)
})

test('ends a tool after TOOL_TIMEOUT_MS', async (t) => {
  const code = `export default { name: 'hangs', description: 'x', run: () => new Promise(() => {}) }`
  const { code: exit, stderr } = await tool(t, ['hangs'], {
    files: { 'hangs.js': code },
    env: { TOOL_TIMEOUT_MS: '50' },
  })
  expect({ exit, stderr }).toEqual({ exit: 1, stderr: 'hangs did not finish within 0.05 s.\n' })
})

test('lists the tools without a name or for a wrong one, and names a broken file', async (t) => {
  const files = { ...weekday(), 'broken.js': 'export const x = 1' }
  const listed = await tool(t, [], { files })
  expect(listed.stdout).toMatch(/^calculator: [^]*^weekday: Says which day/m)
  expect(listed.stderr).toMatch(/broken\.js: It has no default export/)
  const wrong = await tool(t, ['weekdya', 'x'], { files })
  expect(wrong.code).toBe(1)
  expect(wrong.stderr).toMatch(/^There is no tool weekdya\. There are: .*calculator.*weekday, read_skill\.$/m)
  expect(wrong.stderr.match(/broken\.js/g)).toHaveLength(1)
})
