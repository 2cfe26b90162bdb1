import { existsSync } from 'node:fs'
import { posix } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { tableUnder } from '../harness/markdown.ts'
import { textOf } from '../harness/project-files.ts'
import { sourcesIn, visit, type SourceFile } from '../harness/source.ts'

const files = sourcesIn('src', 'tools', 'playground')
const byPath = new Map(files.map((file) => [file.path, file]))

/** The boxes of ARCHITECTURE.md from the top down. A folder ends in a slash, a file does not. */
const boxes = orderOf('| box |', (path) => path)
/** The folders and files in `src/slack/`, in the same order. Some share a row. */
const slackParts = orderOf('| folder |', (path) => `src/slack/${path}`)

test('every file of src/ and tools/ is in a box of ARCHITECTURE.md, and every box exists', () => {
  const ours = files.filter(({ path }) => !path.startsWith('playground/'))
  expect(ours.filter(({ path }) => levelIn(boxes, path) === -1).map(({ path }) => path)).toEqual([])
  const isEmpty = (box: string) => !files.some(({ path }) => isIn(box, path))
  expect([...boxes.flat(), ...slackParts.flat()].filter(isEmpty)).toEqual([])
})

test('every file that ARCHITECTURE.md names as the place of a decision exists', () => {
  const rows = tableUnder('| what | where', textOf('ARCHITECTURE.md'))
  const named = rows.flatMap(([, where]) => [...where!.matchAll(/`([^`]+)`/g)].map(([, path]) => path!))
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((path) => !existsSync(path))).toEqual([])
})

test('a box imports only from boxes below it, types included', () => {
  expect(upward(boxes)).toEqual([])
})

test('a folder of src/slack/ imports only from those below it, types included', () => {
  expect(upward(slackParts)).toEqual([])
})

test('a listener is imported only by the file that registers it', () => {
  const imported = ownImports().filter(({ to }) => to.startsWith('src/slack/listeners/') && !to.endsWith('/index.ts'))
  const others = imported.filter(({ from }) => from !== 'src/slack/listeners/index.ts')
  expect(others.filter(({ to }) => to !== 'src/slack/listeners/listener.ts')).toEqual([])
})

test('there are no import cycles, types included', () => {
  expect(cycles()).toEqual([])
})

test('every import of our own names a file that exists', () => {
  expect(ownImports().filter(({ to }) => !byPath.has(to) && !to.endsWith('.json'))).toEqual([])
})

test('every name that a page module imports is exported there', () => {
  const page = files.filter(({ path }) => path.startsWith('playground/page/'))
  expect(page.length).toBeGreaterThan(10)
  const missing = page.flatMap((file) =>
    namesFromNeighbours(file).filter(({ name, from }) => !exportsOf(byPath.get(from)).has(name)),
  )
  expect(missing).toEqual([])
})

test('the agent is pure: it imports only itself, types of base/, the errors, parseJson and zod', () => {
  const allowed = ({ from, to }: Import) =>
    to.startsWith('src/agent/') ||
    ['src/base/errors.ts', 'src/base/parse-json.ts', 'zod'].includes(to) ||
    (to.startsWith('src/base/') && importsOnlyTypes(from, to))
  expect(importsFrom('src/agent/').filter((one) => !allowed(one))).toEqual([])
})

test('only src/slack/ imports from @slack', () => {
  const imports = allImports().filter(({ to }) => to.startsWith('@slack/'))
  expect(imports.filter(({ from }) => !from.startsWith('src/slack/'))).toEqual([])
})

test('the local Slack is independent: only the playground’s entry points and bot folders import src/', () => {
  const doors = /^playground\/((main|dev|trace)\.ts$|bot\/|demo\/)/
  const inside = importsFrom('playground/').filter(({ to }) => /^(src|tools)\//.test(to))
  expect(inside.filter(({ from }) => !doors.test(from))).toEqual([])
})

test('nothing in src/ or tools/ imports the playground', () => {
  const ours = ownImports().filter(({ from }) => !from.startsWith('playground/'))
  expect(ours.filter(({ to }) => to.startsWith('playground/'))).toEqual([])
})

test('tools import the agent’s contracts, the settings, the fetch, the errors and each other', () => {
  const allowed = (to: string) =>
    /^(tools\/|src\/(agent\/(contracts\/.*|define-tool|tool-input)|config|base\/http\/tool-http|base\/(cut-text|errors|closest-name|parse-json))\.ts$)/.test(
      to,
    )
  expect(importsFrom('tools/').filter(({ to }) => byPath.has(to) && !allowed(to))).toEqual([])
})

test('the environment is read in one place', () => {
  expect(
    files.filter((file) => file.path !== 'src/config.ts' && readsEnvironment(file)).map(({ path }) => path),
  ).toEqual([])
})

test('the clock is an argument: only entry points and times compared with BullMQ’s use the system’s', () => {
  const readers = /^(playground\/|src\/(main|bot|commands\/[^/]+|files\/parse-worker|base\/system-clock)\.ts$)/
  expect(files.filter((file) => !readers.test(file.path) && readsClock(file)).map(({ path }) => path)).toEqual([])
})

/** A union of kinds with common fields, and names that a script's caller chooses. */
const INTERSECTIONS = ['src/base/redis/redis-script.ts', 'src/stores/runs/form-schema.ts']

test('types are named interfaces, not intersections of bags', () => {
  expect(files.filter(({ tree }) => contains(tree, ts.isIntersectionTypeNode)).map(({ path }) => path)).toEqual(
    INTERSECTIONS,
  )
})

test('a type name is declared in one file', () => {
  const places = new Map<string, Set<string>>()
  for (const { path, text } of files)
    for (const [, name] of text.matchAll(/^(?:export )?(?:interface|type|class) (\w+)/gm))
      places.set(name!, (places.get(name!) ?? new Set()).add(path))
  expect([...places].filter(([, paths]) => paths.size > 1)).toEqual([])
})

/** Most have two real implementations. Methods that forget or move a conversation are inherited, and not counted. */
const SEAMS = [
  'Model',
  'Tool',
  'Dialect',
  'History',
  'ThreadStates',
  'ChannelSettingsStore',
  'RememberedStore',
  'Run',
  'Display',
  'WorkspaceReader',
  'RunFiles',
  'SearchTokens',
  'AuditLog',
  'RateLimiter',
  'KvTexts',
  'KvHashes',
  'KvIndexes',
  'KvLists',
  'KvKeys',
  'Queue',
  'WaitingLine',
  'FileStore',
  'ValueStore',
  'InstallationStore',
  'UseStore',
  'PeopleStore',
  'RunControl',
]

test('a seam has at most five methods', () => {
  const counts = SEAMS.map((name) => ({ name, count: methodsOf(name).length }))
  expect(counts.filter(({ count }) => count < 1 || count > 5)).toEqual([])
})

interface Import {
  from: string
  to: string
}

function allImports(): Import[] {
  return files.flatMap((file) => file.imports.map((to) => ({ from: file.path, to })))
}

function ownImports(): Import[] {
  return allImports().filter(({ to }) => /^(src|tools|playground|test|prompts)\//.test(to))
}

function importsFrom(folder: string): Import[] {
  return allImports().filter(({ from }) => from.startsWith(folder))
}

/** Returns the first column of a table of ARCHITECTURE.md: for each row, the paths that it names. */
function orderOf(header: string, pathOf: (path: string) => string): string[][] {
  const rows = tableUnder(header, textOf('ARCHITECTURE.md'))
  return rows.map(([first]) => [...first!.matchAll(/`([^`]+)`/g)].map(([, path]) => pathOf(path!)))
}

function isIn(box: string, path: string): boolean {
  return box.endsWith('/') ? path.startsWith(box) : path === box
}

/** Returns the row of a path in an order; -1 if there is none. */
function levelIn(order: string[][], path: string): number {
  return order.findIndex((row) => row.some((box) => isIn(box, path)))
}

/** Returns the imports that lead to a higher row. */
function upward(order: string[][]): string[] {
  const wrong = ownImports().filter(({ from, to }) => {
    const [here, there] = [levelIn(order, from), levelIn(order, to)]
    return here !== -1 && there !== -1 && there < here
  })
  return wrong.map(({ from, to }) => `${from} -> ${to}`)
}

/** Returns the methods in the declaration of an interface. */
function methodsOf(name: string): string[] {
  const methods: string[] = []
  for (const { tree } of files.filter(({ text }) => text.includes(`interface ${name}`)))
    visit(tree, (node) => {
      if (!ts.isInterfaceDeclaration(node) || node.name.text !== name) return
      methods.push(...node.members.filter(ts.isMethodSignature).map((member) => member.name.getText()))
    })
  return methods
}

/** Returns every import cycle once. */
function cycles(): string[] {
  const found = new Set<string>()
  const done = new Set<string>()
  const walk = (path: string, way: string[]) => {
    if (way.includes(path)) return void found.add([...way.slice(way.indexOf(path)), path].join(' -> '))
    if (done.has(path)) return
    for (const next of byPath.get(path)?.imports ?? []) walk(next, [...way, path])
    done.add(path)
  }
  for (const { path } of files) walk(path, [])
  return [...found]
}

function importsOnlyTypes(from: string, to: string): boolean {
  const name = to.split('/').at(-1)!
  const declarations = byPath.get(from)!.tree.statements.filter(ts.isImportDeclaration)
  const wanted = declarations.filter(
    ({ moduleSpecifier }) => ts.isStringLiteral(moduleSpecifier) && moduleSpecifier.text.endsWith(`/${name}`),
  )
  return wanted.every(({ importClause }) => importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword)
}

/** Returns the names that a module imports from modules of its own folder. */
function namesFromNeighbours({ path, tree }: SourceFile): { name: string; from: string }[] {
  const taken: { name: string; from: string }[] = []
  visit(tree, (node) => {
    if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) return
    const bindings = node.importClause?.namedBindings
    if (!node.moduleSpecifier.text.startsWith('./') || !bindings || !ts.isNamedImports(bindings)) return
    const from = posix.join(posix.dirname(path), node.moduleSpecifier.text)
    for (const { name, propertyName } of bindings.elements) taken.push({ name: (propertyName ?? name).text, from })
  })
  return taken
}

function exportsOf(file: SourceFile | undefined): Set<string> {
  const names = new Set<string>()
  for (const statement of file?.tree.statements ?? []) {
    if (ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause))
      for (const { name } of statement.exportClause.elements) names.add(name.text)
    if (!ts.canHaveModifiers(statement) || !ts.getModifiers(statement)?.some(isExportKeyword)) continue
    for (const one of ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement])
      if (ts.isVariableDeclaration(one) || ts.isFunctionDeclaration(one) || ts.isClassDeclaration(one))
        if (one.name && ts.isIdentifier(one.name)) names.add(one.name.text)
  }
  return names
}

function isExportKeyword({ kind }: ts.ModifierLike): boolean {
  return kind === ts.SyntaxKind.ExportKeyword
}

function readsEnvironment({ tree }: SourceFile): boolean {
  return contains(tree, (node) => {
    const isEnv =
      ts.isPropertyAccessExpression(node) &&
      node.name.text === 'env' &&
      /^(globalThis\.)?process$/.test(node.expression.getText())
    return isEnv || (ts.isImportSpecifier(node) && node.name.text === 'env')
  })
}

function readsClock({ tree }: SourceFile): boolean {
  return contains(tree, (node) => {
    const isNow = ts.isPropertyAccessExpression(node) && /^(Date|performance)\.now$/.test(node.getText())
    return isNow || (ts.isNewExpression(node) && /^new Date(\(\))?$/.test(node.getText()))
  })
}

function contains(tree: ts.Node, isMeant: (node: ts.Node) => boolean): boolean {
  let isFound = false
  visit(tree, (node) => void (isFound ||= isMeant(node)))
  return isFound
}
