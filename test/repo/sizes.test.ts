import ts from 'typescript'
import { expect, test } from 'vitest'
import { commentsOf, sourcesIn, visit, type SourceFile } from '../harness/source.ts'

const code = sourcesIn('src', 'tools', 'playground')
const tests = sourcesIn('test')
const all = [...code, ...tests]

const sum = (files: SourceFile[]) => files.reduce((lines, file) => lines + file.lines, 0)

test('no comment silences the compiler or the linter, or postpones work', () => {
  const silences = /@ts-(ignore|expect-error|nocheck)|eslint-disable|prettier-ignore|\b(TODO|FIXME|XXX|HACK)\b/
  const suspects = all.filter(({ text }) => silences.test(text))
  const found = suspects.flatMap((file) => commentsOf(file).map((comment) => ({ ...comment, path: file.path })))
  expect(found.filter(({ text }) => silences.test(text)).map(({ path, line }) => `${path}:${line}`)).toEqual([])
})

test('no test is skipped, focused or a todo', () => {
  // The harness may skip what needs a program that is not installed. It says so, and never skips in CI.
  const files = tests.filter((file) => !file.path.startsWith('test/harness/'))
  expect(files.flatMap((file) => places(file, SKIP, isSkip))).toEqual([])
})

test('no test mocks a module or spies on one', () => {
  expect(tests.flatMap((file) => places(file, MOCK, isMock))).toEqual([])
})

test('the sizes are within the limits', () => {
  const comments = code.flatMap(({ text }) => text.match(/^\s*(\/\/|\/?\*)/gm) ?? [])
  const share = (100 * comments.length) / sum(code)
  const ratio = sum(tests) / sum(code)
  console.info(
    `${code.length} files, ${sum(code)} lines; ` +
      `comments ${share.toFixed(1)} % (12-20); tests ${ratio.toFixed(2)} times the code (1.2-2)`,
  )
  expect(code.length).toBeGreaterThan(0)
  expect(tests.length).toBeGreaterThan(0)
})

/** Returns the property accesses that are faults. Only files that contain such a name are parsed. */
function places(file: SourceFile, name: RegExp, isFault: (node: ts.PropertyAccessExpression) => boolean): string[] {
  const found: string[] = []
  if (!name.test(file.text)) return found
  visit(file.tree, (node) => {
    if (!ts.isPropertyAccessExpression(node) || !name.test(`.${node.name.text}`) || !isFault(node)) return
    const { line } = file.tree.getLineAndCharacterOfPosition(node.getStart(file.tree))
    found.push(`${file.path}:${line + 1}`)
  })
  return found
}

const SKIP = /\.\s*(?:skip|only|todo|skipIf|runIf|fails)\b/

/** Returns whether a call skips: `test.skip`, `describe.each(…).only`, or `t.skip()` inside a test. */
function isSkip({ expression }: ts.PropertyAccessExpression): boolean {
  return /^(test|it|describe|t|context|ctx)\b/.test(expression.getText())
}

const MOCK = /\.\s*(?:mock|doMock|spyOn|stubGlobal|hoisted)\b/

function isMock({ expression }: ts.PropertyAccessExpression): boolean {
  return expression.getText() === 'vi'
}
