import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'dotenv'
import { describe, expect, test } from 'vitest'
import { DIALECTS } from '../../src/agent/dialects/index.ts'
import { DIALECTS as DIALECT_NAMES, loadConfig, SECRETS, SETTING_GROUPS, SETTINGS, STEPS } from '../../src/config.ts'
import { createToolHttp } from '../../src/base/http/tool-http.ts'
import { ROOT } from '../../src/base/package-root.ts'
import { createToolbox, toolNames, type ToolSettings } from '../../tools/index.ts'
import { envExample } from '../harness/env-example.ts'
import { anchorsOf, codeIn, linksIn, tableUnder } from '../harness/markdown.ts'
import { filesIn, textOf } from '../harness/source.ts'

const readme = textOf('README.md')
const documents = [...readdirSync(ROOT), ...['prompts', 'src', 'tools', 'ops'].flatMap(filesIn)].filter((path) =>
  path.endsWith('.md'),
)

/** What each setting is when nobody sets it, as the environment would carry it. */
const defaults = new Map<string, unknown>(Object.entries(loadConfig({})))
const defaultOf = (name: string) => String(defaults.get(name) ?? '')

describe('the settings', () => {
  const rows = tableUnder('| setting |', readme)

  test('README’s table has every one, in the order of the code, and no other', () => {
    expect(rows.map(([name]) => codeIn(name))).toEqual(SETTINGS)
  })

  test('README tells their defaults and which are secrets', () => {
    expect(rows.map(([name, value]) => [codeIn(name), codeIn(value)])).toEqual(
      SETTINGS.map((name) => [name, defaultOf(name)]),
    )
    expect(rows.filter(([name]) => name?.includes('†')).map(([name]) => codeIn(name))).toEqual(
      SETTINGS.filter((name) => SECRETS.includes(name)),
    )
  })

  test('each has its meaning in words', () => {
    expect(rows.filter(([, , meaning]) => (meaning ?? '').length < 15)).toEqual([])
  })

  test('each stands in one group with a sentence, in the order of the code', () => {
    const groups = Object.values(SETTING_GROUPS)
    expect(groups.flatMap((group) => Object.keys(group)).sort()).toEqual([...SETTINGS].sort())
    for (const group of groups) {
      const names = Object.keys(group)
      expect(names).toEqual(SETTINGS.filter((name) => names.includes(name)))
      expect(Object.values(group).filter((words) => !/^.{15,}\.$/.test(words ?? ''))).toEqual([])
    }
  })

  test('.env.example is made of them (npx vitest run test/repo/docs.test.ts -u writes it)', async () => {
    await expect(envExample()).toMatchFileSnapshot(join(ROOT, '.env.example'))
  })

  test('.env.example, taken as it is, changes nothing', () => {
    expect(loadConfig(parse(textOf('.env.example')))).toEqual(loadConfig({}))
  })
})

describe('README', () => {
  test('has the dialects of the code', () => {
    expect(tableUnder('| `AGENT_DIALECT` |', readme).map(([name]) => codeIn(name))).toEqual(Object.keys(DIALECTS))
    expect([...DIALECT_NAMES]).toEqual(Object.keys(DIALECTS))
  })

  test('has the tools of the code, by the names that the model calls, and says which are on', () => {
    const rows = tableUnder('| `TOOLS` |', readme)
    expect(rows.map(([name]) => codeIn(name))).toEqual(toolNames)
    for (const [name, calls, on] of rows) {
      expect([...calls!.matchAll(/`([^`]+)`/g)].map(([, call]) => call)).toEqual(
        toolsOf({ enabled: [codeIn(name)], serpapiApiKey: 'key', hasWorkspace: true }),
      )
      expect(on).toBe(isOn(codeIn(name)))
    }
  })

  test('has lists of APPROVERS that are ones, for everything, a server and the beginnings of names', () => {
    const [line = ''] = /^APPROVERS=.*$/m.exec(readme) ?? []
    expect(loadConfig(parse(line)).APPROVERS.map(({ name, notAsker }) => [name, notAsker])).toEqual([
      [undefined, false],
      ['files', true],
      ['github__delete*', false],
    ])
  })

  test('begins with a sentence, a picture and the two commands', () => {
    const top = readme.split('\n').slice(0, 25).join('\n')
    expect(top).toContain('docs/pictures/screenshot.png')
    expect(top).toContain('npm ci && npm run playground')
    expect(top).toContain('npm ci && npm test')
  })
})

describe('README’s pictures', () => {
  const PICTURE =
    /<picture><source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)"><img alt="([^"]*)" src="([^"]+)"><\/picture>/g
  const pictures = [...readme.matchAll(PICTURE)].map(([, dark = '', words = '', path = '']) => ({ words, path, dark }))

  test('show each way to show the work, and say in words what is on them', () => {
    const waysShown = pictures.flatMap(({ words }) => /^STEPS=(\w+)/.exec(words)?.[1] ?? [])
    expect([...new Set(waysShown)].sort()).toEqual([...STEPS].sort())
    expect(pictures.filter(({ words }) => words.length < 40)).toEqual([])
  })

  test('are small PNGs, and all of those that npm run pictures makes, in light and dark', () => {
    const made = filesIn('docs/pictures').concat(filesIn('playground/page').filter((path) => path.endsWith('.png')))
    expect(pictures.flatMap(({ path, dark }) => [path, dark]).sort()).toEqual(made.sort())
    expect(pictures.filter(({ path, dark }) => dark !== path.replace('.png', '-dark.png'))).toEqual([])
    const bytes = made.map((path) => ({ path, bytes: statSync(join(ROOT, path)).size }))
    expect(bytes.filter((one) => one.bytes > 100_000)).toEqual([])
  })
})

describe('SECURITY.md', () => {
  const text = textOf('SECURITY.md')

  test('names for each promise a test that exists', () => {
    const promises = tableUnder('| promise |', text)
    expect(promises.length).toBeGreaterThan(10)
    const named = promises.map(([promise, tests]) => ({ promise, files: testsIn(tests ?? '') }))
    expect(named.filter(({ files }) => files.length === 0)).toEqual([])
    expect(testsIn(text).filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  })

  test('is linked from README, where people look first', () => {
    expect(linksIn(readme)).toContain('SECURITY.md')
  })
})

/** Every test file that a text names, in code. */
function testsIn(text: string): string[] {
  return [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path!)
}

describe('every document', () => {
  test('names only commands that exist', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }
    const places = [...documents, '.env.example', 'docker-compose.yml', 'Dockerfile', '.ci/run']
    const named = places.flatMap((path) =>
      [...textOf(path).matchAll(/npm (?:run )?(start|test|(?<=run )[\w:-]+)/g)].map(([, name]) => ({
        path,
        name: name!,
      })),
    )
    expect(named.filter(({ name }) => !(name in scripts))).toEqual([])
  })

  test('links to files and headings that exist', () => {
    const dead = documents.flatMap((path) =>
      linksIn(textOf(path))
        .filter((address) => !leadsSomewhere(path, address))
        .map((address) => ({ path, address })),
    )
    expect(dead).toEqual([])
  })
})

function leadsSomewhere(path: string, address: string): boolean {
  if (/^(https?|mailto):/.test(address)) return true
  const [file = '', anchor] = address.split('#')
  const target = file === '' ? path : join(dirname(path), file)
  if (!existsSync(join(ROOT, target))) return false
  return anchor === undefined || anchorsOf(textOf(target)).includes(anchor)
}

function toolsOf(settings: ToolSettings): string[] {
  return createToolbox({ settings, http: createToolHttp({ timeoutMs: 10_000 }) }).map((tool) => tool.name)
}

/** Whether a tool is on without TOOLS, in README's words. */
function isOn(name: string): string {
  const [tool = ''] = toolsOf({ enabled: [name], serpapiApiKey: 'key', hasWorkspace: true })
  if (toolsOf({}).includes(tool)) return 'yes'
  if (toolsOf({ hasWorkspace: true }).includes(tool)) return 'in Slack'
  return toolsOf({ serpapiApiKey: 'key' }).includes(tool) ? 'with its key' : 'no'
}
