import { posix } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { codeIn, tableUnder } from '../harness/markdown.ts'
import { sourcesIn, textOf, visit, type SourceFile } from '../harness/source.ts'

const files = sourcesIn('src', 'tools')
const byPath = new Map(files.map((file) => [file.path, file]))

/** A row of ARCHITECTURE.md's table: the paths that make up a room (folders end in a slash), and how deep it lies. */
interface Room {
  paths: string[]
  depth: number
}

const rooms = readRooms(textOf('ARCHITECTURE.md'))

test('every file stands in a room of ARCHITECTURE.md, and every room there exists', () => {
  expect(files.filter(({ path }) => !roomOf(path)).map(({ path }) => path)).toEqual([])
  const used = files.map(({ path }) => longestMatch(path))
  expect(rooms.flatMap(({ paths }) => paths).filter((path) => !used.includes(path))).toEqual([])
})

test('a room imports only from rooms that lie below it, types counted', () => {
  const upward = ownImports().filter(({ from, to }) => {
    const [room, other] = [roomOf(from), roomOf(to)]
    return room && other && room !== other && other.depth >= room.depth
  })
  expect(upward.map(({ from, to }) => `${from} [${roomOf(from)?.depth}] -> ${to} [${roomOf(to)?.depth}]`)).toEqual([])
})

test('no file imports itself by way of others, types counted', () => {
  expect(cycles()).toEqual([])
})

test('the rooms of slack/ lie on at most six floors, and so do its files', () => {
  const floors = rooms.filter(({ paths }) => paths.some((path) => path.startsWith('src/slack/')))
  expect(new Set(floors.map(({ depth }) => depth)).size).toBeLessThanOrEqual(6)
  expect(longestChain('src/slack/').length).toBeLessThanOrEqual(6)
})

test('a base name stands once in the code, and once among the tests, index and types apart', () => {
  expect(repeatedNames(files)).toEqual([])
  expect(repeatedNames(sourcesIn('test'))).toEqual([])
})

test('every import of our own names a file that exists', () => {
  expect(ownImports().filter(({ to }) => !byPath.has(to) && !to.endsWith('.json'))).toEqual([])
})

test('what a module of the page imports by name is exported there: nothing else checks JavaScript before a browser does', () => {
  const page = files.filter(({ path }) => path.startsWith('playground/page/'))
  expect(page.length).toBeGreaterThan(10)
  const missing = page.flatMap((file) =>
    namesFromNeighbours(file).filter(({ name, from }) => !exportsOf(byPath.get(from)).has(name)),
  )
  expect(missing).toEqual([])
})

test('the agent is pure: it imports itself and the errors, its dialects the prompts, and of packages only zod', () => {
  const allowed = (from: string, to: string) =>
    to.startsWith('src/agent/') ||
    to === 'src/base/errors.ts' ||
    to === 'zod' ||
    (to === 'src/base/prompts.ts' && from.startsWith('src/agent/dialects/') && importsOnlyTypes(from, to))
  expect(importsFrom('src/agent/').filter(({ from, to }) => !allowed(from, to))).toEqual([])
})

test('only the Slack room imports from @slack', () => {
  expect(allImports().filter(({ from, to }) => to.startsWith('@slack/') && !from.startsWith('src/slack/'))).toEqual([])
})

test('the local Slack imports nothing of ours, but at its door', () => {
  const isOurs = (from: string) => roomOf(from)?.depth !== 0
  const inside = importsFrom('playground/slack/').filter(({ from }) => !isOurs(from))
  expect(inside.filter(({ to }) => byPath.has(to) && !to.startsWith('playground/slack/'))).toEqual([])
})

test('nothing but the entry points imports the local Slack', () => {
  const outside = ownImports().filter(
    ({ from, to }) =>
      to.startsWith('playground/slack/') && !to.startsWith('playground/demo/') && !from.startsWith('playground/slack/'),
  )
  expect(outside).toEqual([])
})

test('tools import the agent’s contracts, the fetch, the errors and each other', () => {
  const allowed = (to: string) =>
    /^(tools\/|src\/(agent\/(types|tool-input)|toolbox\/http\/tool-http|errors)\.ts$)/.test(to)
  expect(importsFrom('tools/').filter(({ to }) => byPath.has(to) && !allowed(to))).toEqual([])
})

test('the environment is read in one place', () => {
  expect(
    files.filter((file) => file.path !== 'src/config.ts' && readsEnvironment(file)).map(({ path }) => path),
  ).toEqual([])
})

test('a seam has five methods at most, the ones that ARCHITECTURE.md names', () => {
  const rows = tableUnder('| seam |', textOf('ARCHITECTURE.md'))
  for (const [seam, methods] of rows) {
    const written = [...methods!.matchAll(/`(\w+)`/g)].map(([, method]) => method)
    expect(methodsOf(codeIn(seam)), codeIn(seam)).toEqual(written)
    expect(written.length).toBeLessThanOrEqual(5)
  }
})

interface Import {
  from: string
  to: string
}

function allImports(): Import[] {
  return files.flatMap((file) => file.imports.map((to) => ({ from: file.path, to })))
}

function ownImports(): Import[] {
  return allImports().filter(({ to }) => /^(src|tools|test|prompts)\//.test(to))
}

function importsFrom(folder: string): Import[] {
  return allImports().filter(({ from }) => from.startsWith(folder))
}

/** Rows of the form `| 2 | `src/base/http/tool-http.ts` `src/base/http/` | … |`. */
function readRooms(text: string): Room[] {
  const rows = [...text.matchAll(/^\| (\d+) \| ([^|]+) \|/gm)]
  return rows.map(([, depth, paths]) => ({
    depth: Number(depth),
    paths: [...paths!.matchAll(/`([^`]+)`/g)].map(([, path]) => path!),
  }))
}

function longestMatch(path: string): string | undefined {
  const holds = (room: string) => (room.endsWith('/') ? path.startsWith(room) : path === room)
  const matches = rooms.flatMap(({ paths }) => paths).filter(holds)
  return matches.sort((a, b) => b.length - a.length)[0]
}

function roomOf(path: string): Room | undefined {
  const match = longestMatch(path)
  return rooms.find(({ paths }) => match !== undefined && paths.includes(match))
}

/** The methods of an interface, as it is declared. */
function methodsOf(name: string): string[] {
  const methods: string[] = []
  for (const { tree } of files.filter(({ text }) => text.includes(`interface ${name}`)))
    visit(tree, (node) => {
      if (!ts.isInterfaceDeclaration(node) || node.name.text !== name) return
      methods.push(...node.members.filter(ts.isMethodSignature).map((member) => member.name.getText()))
    })
  return methods
}

/** Every way that leads from a file back to itself, each told once. */
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

/** The longest way from import to import among the files of a folder, types counted. */
function longestChain(folder: string): string[] {
  const chains = new Map<string, string[]>()
  const chainFrom = (path: string): string[] => {
    const known = chains.get(path)
    if (known) return known
    const inside = (byPath.get(path)?.imports ?? []).filter((to) => to.startsWith(folder) && byPath.has(to))
    const chain = [path, ...(inside.map(chainFrom).sort((a, b) => b.length - a.length)[0] ?? [])]
    chains.set(path, chain)
    return chain
  }
  const all = files.filter(({ path }) => path.startsWith(folder)).map(({ path }) => chainFrom(path))
  return all.sort((a, b) => b.length - a.length)[0] ?? []
}

/** Base names that more than one file has, each with the paths. */
function repeatedNames(sources: SourceFile[]): string[] {
  const paths = new Map<string, string[]>()
  for (const { path } of sources) {
    const name = path
      .split('/')
      .at(-1)!
      .replace(/\.[jt]s$/, '')
    paths.set(name, [...(paths.get(name) ?? []), path])
  }
  const repeated = [...paths].filter(([name, { length }]) => length > 1 && name !== 'index' && name !== 'types')
  return repeated.map(([name, same]) => `${name}: ${same.join(' ')}`)
}

function importsOnlyTypes(from: string, to: string): boolean {
  const name = to.split('/').at(-1)!
  const declarations = byPath.get(from)!.tree.statements.filter(ts.isImportDeclaration)
  const wanted = declarations.filter(
    ({ moduleSpecifier }) => ts.isStringLiteral(moduleSpecifier) && moduleSpecifier.text.endsWith(`/${name}`),
  )
  return wanted.every(({ importClause }) => importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword)
}

/** What a module takes from modules of its own folder, by the names that it has there. */
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
  let reads = false
  visit(tree, (node) => {
    const isEnv =
      ts.isPropertyAccessExpression(node) &&
      node.name.text === 'env' &&
      /^(globalThis\.)?process$/.test(node.expression.getText())
    const takesEnv = ts.isImportSpecifier(node) && node.name.text === 'env'
    if (isEnv || takesEnv) reads = true
  })
  return reads
}
