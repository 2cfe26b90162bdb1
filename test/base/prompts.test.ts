import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ConfigError } from '../../src/base/errors.ts'
import { loadPrompts, PROMPT_VARIABLES, type PromptName } from '../../src/base/prompts.ts'
import { ROOT } from '../../src/base/package-root.ts'

const NAMES = Object.keys(PROMPT_VARIABLES) as PromptName[]

/** Returns a copy of prompts/ that a test may change. */
async function copyOfPrompts(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'thinkaloud-prompts-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await cp(join(ROOT, 'prompts'), folder, { recursive: true })
  return folder
}

async function change(folder: string, name: string, by: (text: string) => string): Promise<void> {
  const file = join(folder, `${name}.md`)
  await writeFile(file, by(await readFile(file, 'utf8')))
}

test('the shipped prompts load', () => {
  expect(Object.keys(loadPrompts()).sort()).toEqual([...NAMES].sort())
})

test.each(NAMES.flatMap((name) => PROMPT_VARIABLES[name].map((variable) => [name, variable] as const)))(
  '%s without {{%s}} ends the start, both named',
  async (name, variable) => {
    const folder = await copyOfPrompts()
    await change(folder, name, (text) => text.replaceAll(new RegExp(`\\{\\{\\s*${variable}\\s*\\}\\}`, 'g'), ''))
    expect(() => loadPrompts(folder)).toThrow(
      new ConfigError(`prompts/${name}.md lacks the variable {{${variable}}}. Put it back.`),
    )
  },
)

test.each(NAMES)('%s with an unknown variable ends the start, both named', async (name) => {
  const folder = await copyOfPrompts()
  await change(folder, name, (text) => `${text}\n{{ mystery }}`)
  expect(() => loadPrompts(folder)).toThrow(ConfigError)
  expect(() => loadPrompts(folder)).toThrow(
    new RegExp(`prompts/${name}\\.md uses \\{\\{mystery\\}\\}, which does not exist`),
  )
})

test('a missing file and an unused one are reported', async () => {
  const folder = await copyOfPrompts()
  await rm(join(folder, 'json.md'))
  expect(() => loadPrompts(folder)).toThrow('prompts/json.md is missing. Put it back.')
  await cp(join(ROOT, 'prompts', 'json.md'), join(folder, 'json.md'))
  await writeFile(join(folder, 'jsno.md'), 'x')
  expect(() => loadPrompts(folder)).toThrow('prompts/jsno.md is not used')
})

test('a variable’s value is inserted unchanged and never expanded again', () => {
  const odd = '{{question}} {{ history }} $& $1 $$ \\ ${x}'
  const text = loadPrompts()['standalone-question']({ history: odd, question: odd })
  expect(text.split(odd)).toHaveLength(3)
  expect(text).toMatch(/standalone question/)
})

test('a variable may be used twice and with spaces', async () => {
  const folder = await copyOfPrompts()
  await writeFile(join(folder, 'native.md'), 'Today: {{today}}, again {{ today }}.\r\n')
  expect(loadPrompts(folder).native({ today: '2026-11-21' })).toBe('Today: 2026-11-21, again 2026-11-21.')
})
