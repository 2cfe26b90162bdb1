/** Checks the samples of sent blocks against the code: no builder of blocks is missing. */
import ts from 'typescript'
import { expect, test } from 'vitest'
import { SENT } from '../harness/sent-blocks.ts'
import { sourcesIn, visit, type SourceFile } from '../harness/source.ts'

const files = ['format', 'approvals', 'display', 'views', 'intake', 'listeners'].flatMap((room) =>
  sourcesIn(`src/slack/${room}`),
)
const short = ({ path }: SourceFile) => path.replace('src/slack/', '')

/** Matches the type of a function or value that returns or contains blocks. */
const OF_BLOCKS = /\b(?:Content|View|ModalView|HomeView|KnownBlock|ShownBlock|\w+Block|Forms|TableForms|TaskUpdate)\b/

/** Returns exported functions that return blocks, and exported views. */
function buildersOf(file: SourceFile): string[] {
  return file.tree.statements.flatMap((one) => {
    const isExported =
      ts.canHaveModifiers(one) && ts.getModifiers(one)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
    if (!isExported) return []
    if (ts.isFunctionDeclaration(one)) return OF_BLOCKS.test(one.type?.getText() ?? '') ? [one.name?.text ?? ''] : []
    if (!ts.isVariableStatement(one)) return []
    return one.declarationList.declarations.filter(isView).map(({ name }) => name.getText())
  })
}

/** Returns whether a variable is a view: `= noteModal(…)` and such, or an object. */
function isView({ initializer, type }: ts.VariableDeclaration): boolean {
  if (type && OF_BLOCKS.test(type.getText())) return true
  return (
    initializer !== undefined &&
    ts.isCallExpression(initializer) &&
    /Modal|View|Content/.test(initializer.expression.getText())
  )
}

test('the catalogue contains exactly the block builders that listeners, displays, views and approvals use', () => {
  const builders = files.flatMap((file) => buildersOf(file).map((name) => `${short(file)} ${name}`))
  expect(Object.keys(SENT).sort()).toEqual(builders.sort())
})

/**
 * Types in the code that are not part of Block Kit: chunks of streams, answers to Slack's deliveries, Markdown's and
 * the run's own.
 */
const NOT_OF_BLOCKS = [
  ...['markdown_text', 'plan_update', 'task_update', 'blocks'],
  ...['message_action', 'view_submission', 'ephemeral', 'in_channel'],
  ...['answer', 'blockquote', 'def', 'stop', 'text', 'code', 'space'],
]

test('each kind of block and element in the code is in a sample of the catalogue', () => {
  const written = new Set(files.flatMap(typesIn))
  expect(written.size).toBeGreaterThan(25)
  const sampled = JSON.stringify(Object.values(SENT).flatMap((make) => make()))
  const missing = [...written].filter((type) => !NOT_OF_BLOCKS.includes(type) && !sampled.includes(`"type":"${type}"`))
  expect(missing).toEqual([])
})

/**
 * Returns the types in object literals, such as `type: 'section'`, with any kind of const assertion, and in conditional
 * expressions.
 */
function typesIn({ tree }: SourceFile): string[] {
  const found: string[] = []
  visit(tree, (node) => {
    if (!ts.isPropertyAssignment(node) || node.name.getText() !== 'type') return
    visitStrings(node.initializer, (text) => found.push(text))
  })
  return found
}

function visitStrings(node: ts.Node, tell: (text: string) => void): void {
  if (ts.isStringLiteral(node)) tell(node.text)
  if (ts.isAsExpression(node)) visitStrings(node.expression, tell)
  if (ts.isConditionalExpression(node)) for (const one of [node.whenTrue, node.whenFalse]) visitStrings(one, tell)
}
