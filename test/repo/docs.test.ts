import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'dotenv'
import { describe, expect, test } from 'vitest'
import { sleep } from '../../src/base/backoff.ts'
import { DIALECTS } from '../../src/agent/dialects/index.ts'
import { DIALECT_NAMES as DIALECT_NAMES, loadConfig, STEPS } from '../../src/config.ts'
import { createToolHttp } from '../../src/base/http/tool-http.ts'
import { ROOT } from '../../src/base/package-root.ts'
import { createToolbox, toolEntry, toolNames, type ToolSettings } from '../../tools/index.ts'
import { anchorsOf, codeIn, linksIn, tableUnder } from '../harness/markdown.ts'
import { filesIn, textOf } from '../harness/project-files.ts'

const readme = textOf('README.md')
const pages = filesIn('docs').filter((path) => path.endsWith('.md'))
const documents = [
  ...readdirSync(ROOT),
  ...['docs', 'ops', 'playground', 'prompts', 'src', 'tools'].flatMap(filesIn),
].filter((path) => path.endsWith('.md'))

describe('docs/models.md', () => {
  test('lists the dialects of the code', () => {
    expect(tableUnder('| `AGENT_DIALECT` |', textOf('docs/models.md')).map(([name]) => codeIn(name))).toEqual(
      Object.keys(DIALECTS),
    )
    expect([...DIALECT_NAMES]).toEqual(Object.keys(DIALECTS))
  })
})

describe('docs/tools.md', () => {
  test('lists the tools of the code (renew it: npx vitest run test/repo/docs.test.ts -u)', async () => {
    const page = textOf('docs/tools.md').replace(/(?<=\| `TOOLS` \|.*\n\|---.*\n)(?:\| .*\n)+/, toolRows())
    await expect(page).toMatchFileSnapshot('../../docs/tools.md')
  })
})

describe('docs/mcp.md', () => {
  test('has valid examples of APPROVERS', () => {
    const [line = ''] = /^APPROVERS=.*$/m.exec(textOf('docs/mcp.md')) ?? []
    expect(loadConfig(parse(line)).APPROVERS.map(({ name, notAsker }) => [name, notAsker])).toEqual([
      [undefined, false],
      ['files', true],
      ['github__delete*', false],
    ])
  })
})

describe('README', () => {
  test('fits 180 lines, and leads to every page of docs', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(181)
    expect(pages.filter((path) => !linksIn(readme).includes(path))).toEqual([])
  })

  test('begins with a sentence, a picture and the two commands', () => {
    const top = readme.split('\n').slice(0, 25).join('\n')
    expect(top).toContain('docs/pictures/screenshot.png')
    expect(top).toContain('npm ci && npm run playground')
    expect(top).toContain('npm ci && npm test')
  })
})

describe('the pictures of README and docs', () => {
  const PICTURE =
    /<picture><source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)"><img alt="([^"]*)" src="([^"]+)"><\/picture>/g
  const pictures = ['README.md', ...pages].flatMap((page) =>
    [...textOf(page).matchAll(PICTURE)].map(([, dark = '', words = '', path = '']) => ({
      words,
      path: join(dirname(page), path),
      dark: join(dirname(page), dark),
    })),
  )

  test('show each way to show the work, with alt texts', () => {
    const waysShown = pictures.flatMap(({ words }) => /^STEPS=(\w+)/.exec(words)?.[1] ?? [])
    expect([...new Set(waysShown)].sort()).toEqual([...STEPS].sort())
    expect(pictures.filter(({ words }) => words.length < 40)).toEqual([])
  })

  test('are small PNGs, exactly those that npm run pictures makes, in light and dark', () => {
    const made = filesIn('docs/pictures').concat(filesIn('playground/page').filter((path) => path.endsWith('.png')))
    expect([...new Set(pictures.flatMap(({ path, dark }) => [path, dark]))].sort()).toEqual(made.sort())
    expect(pictures.filter(({ path, dark }) => dark !== path.replace('.png', '-dark.png'))).toEqual([])
    const bytes = made.map((path) => ({ path, bytes: statSync(join(ROOT, path)).size }))
    expect(bytes.filter((one) => one.bytes > 120_000)).toEqual([])
  })
})

describe('SECURITY.md', () => {
  const text = textOf('SECURITY.md')

  test('names for each promise a test', () => {
    const promises = tableUnder('| promise |', text)
    expect(promises.length).toBeGreaterThan(10)
    const named = promises.map(([promise, tests]) => ({ promise, files: testsIn(tests ?? '') }))
    expect(named.filter(({ files }) => files.length === 0)).toEqual([])
  })

  test('is linked from README, where people look first', () => {
    expect(linksIn(readme)).toContain('SECURITY.md')
  })
})

/** Returns every test file that a text names in code. */
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

  test('names only files that exist', () => {
    const FILE = /`((?:src|test|playground|tools(?!\/custom)|prompts|scripts|docs|ops)\/[\w./-]+)`/g
    const named = documents.flatMap((path) => [...textOf(path).matchAll(FILE)].map(([, file = '']) => ({ path, file })))
    // `my-tool` and `x/y` stand for the reader's own names.
    const exact = named.filter(({ file }) => !/\/(?:my-|x\/)/.test(file))
    expect(exact.filter(({ file }) => !existsSync(join(ROOT, file)))).toEqual([])
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
  return createToolbox({ settings, http: createToolHttp({ timeoutMs: 10_000, clocks: { now: Date.now, sleep } }) }).map(
    (tool) => tool.name,
  )
}

/** Returns the rows of the table in docs/tools.md: the names that the model calls, whether they are on, what they do. */
function toolRows(): string {
  return toolNames
    .map((name) => `| \`${name}\` | ${callsOf(name)} | ${isOn(name)} | ${toolEntry(name)?.does} |\n`)
    .join('')
}

function callsOf(name: string): string {
  return toolsOf({ TOOLS: [name], ...EVERYTHING })
    .map((call) => `\`${call}\``)
    .join(' ')
}

const EVERYTHING = { SERPAPI_API_KEY: 'key', hasWorkspace: true }

function isOn(name: string): string {
  const [tool = ''] = toolsOf({ TOOLS: [name], ...EVERYTHING })
  if (toolsOf({}).includes(tool)) return 'yes'
  if (toolsOf({ hasWorkspace: true }).includes(tool)) return 'in Slack'
  return toolsOf({ SERPAPI_API_KEY: 'key' }).includes(tool) ? 'with its key' : 'no'
}
