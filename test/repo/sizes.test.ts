import ts from 'typescript'
import { expect, test } from 'vitest'
import { commentsOf, functionsOf, median, sourcesIn, visit, type SourceFile } from '../harness/source.ts'

const code = sourcesIn('src', 'tools', 'playground')
const tests = sourcesIn('test')
const all = [...code, ...tests]

const sum = (files: SourceFile[]) => files.reduce((lines, file) => lines + file.lines, 0)
const functions = code.flatMap((file) =>
  functionsOf(file).map((one) => ({ ...one, place: `${file.path}:${one.line} ${one.name}` })),
)

test('no file of the code is over 300 lines', () => {
  expect(code.filter((file) => file.lines > 300).map((file) => `${file.path} ${file.lines}`)).toEqual([])
})

test('no function is over 60 lines', () => {
  expect(functions.filter((one) => one.lines > 60).map((one) => `${one.place} ${one.lines}`)).toEqual([])
})

test('no function takes more than three parameters', () => {
  expect(functions.filter((one) => one.parameters > 3).map((one) => one.place)).toEqual([])
})

test('nothing is of type any', () => {
  expect(all.flatMap((file) => places(file, (node) => node.kind === ts.SyntaxKind.AnyKeyword))).toEqual([])
})

test('no comment silences the compiler or the linter, or puts work off', () => {
  const silences = /@ts-(ignore|expect-error|nocheck)|eslint-disable|prettier-ignore|\b(TODO|FIXME|XXX|HACK)\b/
  const suspects = all.filter(({ text }) => silences.test(text))
  const found = suspects.flatMap((file) => commentsOf(file).map((comment) => ({ ...comment, path: file.path })))
  expect(found.filter(({ text }) => silences.test(text)).map(({ path, line }) => `${path}:${line}`)).toEqual([])
})

test('no test is skipped, singled out or left for later', () => {
  // The harness may leave out what needs a program that is not installed; it does so loudly, and never in CI.
  const files = tests.filter((file) => !file.path.startsWith('test/harness/'))
  expect(files.flatMap((file) => places(file, isSkip))).toEqual([])
})

test('no test mocks a module or spies on one', () => {
  expect(tests.flatMap((file) => places(file, isMock))).toEqual([])
})

test('the sizes, for the record', () => {
  const commented = code.flatMap(commentsOf).reduce((lines, { text }) => lines + text.split('\n').length, 0)
  const share = (100 * commented) / sum(code)
  const ratio = sum(tests) / sum(code)
  console.info(
    `${code.length} files, ${sum(code)} lines, median ${median(code.map((file) => file.lines))}; ` +
      `${functions.length} functions, median ${median(functions.filter((one) => one.name !== '').map((one) => one.lines))}; ` +
      `comments ${share.toFixed(1)} % (12-20); tests ${ratio.toFixed(2)} times the code (1.2-2)`,
  )
  expect(code.length).toBeGreaterThan(0)
})

function places(file: SourceFile, isFault: (node: ts.Node) => boolean): string[] {
  const found: string[] = []
  visit(file.tree, (node) => {
    if (!isFault(node)) return
    const { line } = file.tree.getLineAndCharacterOfPosition(node.getStart(file.tree))
    found.push(`${file.path}:${line + 1}`)
  })
  return found
}

const SKIPS = new Set(['skip', 'only', 'todo', 'skipIf', 'runIf', 'fails'])

/** `test.skip`, `describe.each(…).only`, and `t.skip()` inside a test. */
function isSkip(node: ts.Node): boolean {
  if (!ts.isPropertyAccessExpression(node) || !SKIPS.has(node.name.text)) return false
  return /^(test|it|describe|t|context|ctx)\b/.test(node.expression.getText())
}

const MOCKS = new Set(['mock', 'doMock', 'spyOn', 'stubGlobal', 'hoisted'])

function isMock(node: ts.Node): boolean {
  return ts.isPropertyAccessExpression(node) && node.expression.getText() === 'vi' && MOCKS.has(node.name.text)
}
