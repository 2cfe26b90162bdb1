import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ROOT } from '../../src/base/package-root.ts'
import { loadCustomTools } from '../../tools/custom-loader.ts'
import { codeAfter } from '../harness/markdown.ts'
import { textOf } from '../harness/project-files.ts'
import { runTool, toolContext } from '../harness/tool-context.ts'

/** Creates a folder with these files. `near` puts it inside the project, where `zod` can be imported. */
async function folder(files: Record<string, string>, near = false): Promise<string> {
  const parent = near ? join(ROOT, 'tmp') : tmpdir()
  await mkdir(parent, { recursive: true })
  const dir = await mkdtemp(join(parent, 'tools-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) await writeFile(join(dir, name), content)
  return dir
}

const tool = (fields: string) =>
  `export default { name: 'shout', description: 'Shouts.', run: (t) => t.toUpperCase(), ${fields} }`

describe('the README’s tools', () => {
  /** Returns the code block after a file name. */
  const example = (file: string) => codeAfter(`\`${file}\``, textOf('tools/custom/README.md'))

  test('the one in ten lines works', async () => {
    const code = example('weekday.js')
    expect(code.trim().split('\n').length).toBeLessThanOrEqual(10)
    const { tools, problems } = await loadCustomTools(await folder({ 'weekday.js': code }))
    expect(problems).toEqual([])
    expect(await runTool(tools, { tool: 'weekday', input: { input: '2026-11-21' } }, toolContext())).toEqual({
      text: 'Saturday',
    })
    await expect(runTool(tools, { tool: 'weekday', input: { input: 'soon' } }, toolContext())).rejects.toThrow(
      '"soon" is not a date such as 2026-11-21.',
    )
  })

  test('the one in TypeScript works, with fields, the network and a source', async () => {
    const dir = await folder({ 'opening-hours.ts': example('opening-hours.ts') }, true)
    const { tools, problems } = await loadCustomTools(dir)
    expect(problems).toEqual([])
    const asked: string[] = []
    const fetch = async (url: string | URL) => {
      asked.push(String(url))
      return { status: 200, headers: {}, body: '9 to 5' }
    }
    const output = await runTool(
      tools,
      { tool: 'opening_hours', input: { shop: 'A&B', day: 'Monday' } },
      toolContext({ fetch }),
    )
    expect(output).toEqual({
      text: '9 to 5',
      sources: [{ title: 'A&B', url: 'https://hours.example/A%26B?day=Monday' }],
    })
    expect(asked).toEqual(['https://hours.example/A%26B?day=Monday'])
  })
})

describe('a valid file', () => {
  test('may hold a list of tools', async () => {
    const dir = await folder({
      'two.mjs': `const run = () => 'x'
export default [{ name: 'one', description: 'One.', run }, { name: 'two', description: 'Two.', run, effects: 'write', returnDirect: true },
  { name: 'three', description: 'Three.', run, effects: 'write', needsApproval: false, idempotent: true }]`,
    })
    const { tools } = await loadCustomTools(dir)
    expect(tools).toMatchObject([
      { name: 'one', effects: 'read' },
      { name: 'two', effects: 'write', returnDirect: true },
      { name: 'three', effects: 'write', idempotent: true },
    ])
    expect(tools[0]?.returnDirect).toBeUndefined()
    // A tool that changes something asks first, unless its author says otherwise.
    expect(tools.map(({ needsApproval }) => needsApproval ?? false)).toEqual([false, true, false])
  })

  test('may have helper files beside it', async () => {
    const dir = await folder({
      'a.js': `import { shout } from './_shout.js'\nexport default { name: 'shout', description: 'Shouts.', run: shout }`,
      '_shout.js': `export const shout = (text) => text.toUpperCase()`,
      'a.test.js': 'throw new Error()',
      'types.d.ts': 'nonsense',
      'notes.txt': 'nonsense',
      '.hidden.js': 'throw new Error()',
    })
    const { tools, problems } = await loadCustomTools(dir)
    expect(problems).toEqual([])
    expect((await runTool(tools, { tool: 'shout', input: { input: 'hey' } }, toolContext())).text).toBe('HEY')
  })

  test('may be TypeScript outside the project', async () => {
    const dir = await folder({
      'a.ts': `enum Kind { Loud }
type Text = string
export default { name: 'shout', description: 'Shouts.', run: (text: Text): string => text.toUpperCase() + Kind[0] }`,
    })
    const { tools, problems } = await loadCustomTools(dir)
    expect(problems).toEqual([])
    expect((await runTool(tools, { tool: 'shout', input: { input: 'hey' } }, toolContext())).text).toBe('HEYLoud')
  })

  test.each([
    ['a number', '42', '42'],
    ['an object', '({ a: 1 })', '{"a":1}'],
    ['nothing', 'undefined', ''],
    ['a promise', 'Promise.resolve("later")', 'later'],
    [
      'sources that are none',
      '({ text: "t", sources: [{ title: "x", url: "javascript:x" }] })',
      '{"text":"t","sources":[{"title":"x","url":"javascript:x"}]}',
    ],
  ])('may return %s', async (_, value, text) => {
    const { tools } = await loadCustomTools(await folder({ 'a.js': tool(`run: () => ${value}`) }))
    expect((await runTool(tools, { tool: 'shout', input: { input: '' } }, toolContext())).text).toBe(text)
  })
})

test('a valid series in a tool’s result is kept, an invalid one left out', async () => {
  const use = async (series: string) => {
    const { tools } = await loadCustomTools(
      await folder({ 'a.js': tool(`run: () => ({ text: 't', series: ${series} })`) }),
    )
    return runTool(tools, { tool: 'shout', input: { input: '' } }, toolContext())
  }
  const points = [{ label: '2025', value: 3 }]
  expect(await use("{ title: 'Sold', points: [{ label: 2025, value: 3 }] }")).toMatchObject({ series: { points } })
  expect(await use("{ title: 'Sold', points: [{ label: 'x', value: 1 / 0 }] }")).toEqual({ text: 't', sources: [] })
  expect(await use('7')).toEqual({ text: 't', sources: [] })
})

describe('a broken file is reported and omitted', () => {
  test.each([
    ['no default export', 'export const x = 1', 'It has no default export'],
    ['a default export that is no tool', 'export default 7', 'Its default export should be a tool'],
    ['no name', `export default { description: 'x', run() {} }`, 'Its name is missing.'],
    ['a name with spaces', tool(`name: 'my tool'`), 'Its name should be letters'],
    ['no description', `export default { name: 'x', run() {} }`, 'Its description is missing.'],
    ['an empty description', tool(`description: ' '`), 'Its description is empty'],
    ['no run function', `export default { name: 'x', description: 'x' }`, 'Its run function is missing.'],
    ['a schema that is none', tool(`schema: { text: 'string' }`), 'Its schema should be a zod object.'],
    ['unknown effects', tool(`effects: 'boom'`), 'Its effects should be "read" or "write".'],
    ['hosts that are none', tool(`hosts: ['http://wiki.intranet/']`), 'Its hosts should be a list of host names'],
    ['a mistyped key', tool(`effect: 'write'`), 'It has an unknown key "effect". Did you mean "effects"?'],
    [
      'an unknown key',
      tool(`colour: 'red'`),
      'It has an unknown key "colour". The keys are name, description, schema,',
    ],
    ['a syntax error', 'export default {', ''],
    ['an error at its start', 'throw new Error("no config")', 'no config'],
    ['something thrown that is no error', 'throw null', 'null'],
    ['a package that is not there', `import 'not-installed-anywhere'\nexport default 1`, 'not-installed-anywhere'],
    ['a name in use', tool(`name: 'Calculator'`), 'The name "Calculator" is taken'],
    ['a name that ends runs', tool(`name: 'Finish'`), 'The name "Finish" is taken'],
  ])('%s', async (_, code, fault) => {
    const dir = await folder({ 'broken.js': code, 'sound.js': tool('') })
    const { tools, problems } = await loadCustomTools(dir, ['calculator'])
    expect(tools.map((one) => one.name)).toEqual(['shout'])
    expect(problems).toEqual([{ file: 'broken.js', fault: expect.stringContaining(fault) }])
  })

  test('a TypeScript syntax error', async () => {
    const { tools, problems } = await loadCustomTools(await folder({ 'broken.ts': 'export default {{{' }))
    expect(tools).toEqual([])
    expect(problems).toMatchObject([{ file: 'broken.ts' }])
  })

  test('two files with one name: the second', async () => {
    const { tools, problems } = await loadCustomTools(await folder({ 'a.js': tool(''), 'b.js': tool('') }))
    expect(tools).toHaveLength(1)
    expect(problems).toMatchObject([{ file: 'b.js' }])
  })

  test('a list with one bad tool: all of it', async () => {
    const dir = await folder({
      'a.js': `const run = () => ''\nexport default [{ name: 'a', description: 'A.', run }, { name: 'a', description: 'A.', run }]`,
    })
    const { tools, problems } = await loadCustomTools(dir)
    expect(tools).toEqual([])
    expect(problems).toMatchObject([{ file: 'a.js', fault: 'The name "a" is taken: choose another.' }])
  })

  test('a file whose top-level await never ends: after its time limit, and the others load', async () => {
    const waits = 'await new Promise(() => {})\nexport default 1'
    const dir = await folder({ 'broken.js': waits, 'broken2.ts': waits, 'sound.js': tool('') })
    const { tools, problems } = await loadCustomTools(dir, [], 6_000)
    expect(tools.map((one) => one.name)).toEqual(['shout'])
    const fault = 'It did not finish loading within 6 s.'
    expect(problems).toEqual([
      { file: 'broken.js', fault },
      { file: 'broken2.ts', fault },
    ])
  })

  test('a missing folder', async () => {
    expect(await loadCustomTools('/nowhere/at/all')).toEqual({
      tools: [],
      problems: [{ file: '/nowhere/at/all', fault: 'The folder does not exist or cannot be read.' }],
    })
  })
})

test('a repeatable tool says so, and says when it has no more results', async () => {
  const run = "run: () => ({ text: 'No more.', exhausted: true })"
  const code = `export default { name: 'pages', description: 'Gives the next page.', repeatable: true, ${run} }`
  const { tools, problems } = await loadCustomTools(await folder({ 'pages.js': code }))
  expect([problems, tools[0]?.repeatable]).toEqual([[], true])
  expect(await runTool(tools, { tool: 'pages', input: { input: 'x' } }, toolContext())).toEqual({
    text: 'No more.',
    sources: [],
    exhausted: true,
  })
  const wrong = await loadCustomTools(await folder({ 'a.js': tool('repeatable: 1') }))
  expect(wrong.problems).toEqual([{ file: 'a.js', fault: 'Its repeatable should be true or false.' }])
})
