import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { ROOT } from '../../src/base/package-root.ts'
import { sourcesIn, visit } from '../harness/source.ts'

/** The files that declare the seams between the boxes. */
const CONTRACTS = [
  'src/agent/contracts/dialect.ts',
  'src/agent/contracts/model.ts',
  'src/agent/contracts/run-events.ts',
  'src/agent/contracts/tool.ts',
  'src/agent/run-state.ts',
  'src/agent/run-progress.ts',
  'src/question/answer.ts',
  'src/stores/history/types.ts',
  'src/stores/limits/usage-limits.ts',
  'src/stores/limits/rate-limiter.ts',
  'src/queue/types.ts',
  'src/stores/runs/types.ts',
  'src/stores/runs/stored-run.ts',
  'src/telemetry/telemetry-event.ts',
  'src/telemetry/question-attempt.ts',
  'tools/tool-settings.ts',
]

/** What a model's input or a custom tool's file sets, in a form that a schema checks. */
const FROM_OUTSIDE = new Set(['FilePart.sheet', 'FilePart.range', 'Tool.returnDirect'])

const paths = sourcesIn('src', 'tools')
  .map(({ path }) => path)
  .filter((path) => path.endsWith('.ts'))
const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path))
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
/** Only our own files: no package uses a contract, and the packages' types are four times as long as ours. */
const program = ts.createProgram(
  paths.map((path) => join(ROOT, path)),
  { ...options, noEmit: true, noResolve: true },
)
// Created first, because it binds the trees, which sets the parents of nodes.
const checker = program.getTypeChecker()
const fileAt = (path: string) => program.getSourceFile(join(ROOT, path))

interface Member {
  name: string
  place: string
  declaration: ts.Declaration
}

const members = CONTRACTS.flatMap((path) => {
  const file = fileAt(path)
  return file ? optionalMembersOf(file) : []
})

test('every optional member of a contract is set by something in src/ or tools/', { timeout: 240_000 }, () => {
  const files = paths.flatMap((path) => fileAt(path) ?? [])
  expect(CONTRACTS.filter((path) => !fileAt(path))).toEqual([])
  expect(members.length).toBeGreaterThan(50)
  const unset = unsetOf(files, checker, members).map(({ place }) => place)
  expect(unset.filter((place) => !FROM_OUTSIDE.has(place))).toEqual([])
})

test('a member counts as set only for its own contract', () => {
  const source = `
    interface Tool { hidden?: string; shown?: string; late?: string; never?: string }
    interface Other { hidden?: string }
    export const other: Other = { hidden: 'x' }
    const parts = { shown: 'x' }
    export const tool: Tool = { ...parts }
    export const copy: Tool = { ...tool }
    tool.late = 'x'
    declare const z: { object(shape: Record<string, unknown>): unknown }
    export const schema = z.object({ never: 1 })`
  const host = ts.createCompilerHost({})
  const file = ts.createSourceFile('sample.ts', source, ts.ScriptTarget.Latest, true)
  const sample = ts.createProgram(
    ['sample.ts'],
    { noLib: true },
    {
      ...host,
      getSourceFile: (name) => (name === 'sample.ts' ? file : undefined),
    },
  )
  const types = sample.getTypeChecker()
  const unset = unsetOf([file], types, optionalMembersOf(file))
  expect(unset.map(({ place }) => place)).toEqual(['Tool.hidden', 'Tool.never'])
})

function optionalMembersOf(file: ts.SourceFile): Member[] {
  const found: Member[] = []
  visit(file, (node) => {
    // The members of a function's own parameters belong to no contract.
    if (ts.findAncestor(node, ts.isParameter)) return
    const isMember = ts.isPropertySignature(node) || ts.isMethodSignature(node)
    if (!isMember || !node.questionToken || !ts.isIdentifier(node.name)) return
    const owner = ts.findAncestor(node, (one) => ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one))
    const ownerName =
      owner && (ts.isInterfaceDeclaration(owner) || ts.isTypeAliasDeclaration(owner)) ? owner.name.text : ''
    found.push({ name: node.name.text, place: `${ownerName}.${node.name.text}`, declaration: node })
  })
  return found
}

/**
 * Returns the members that nothing sets: no object literal of the contract, or without a known type, and no assignment.
 * Types are computed only while a member with that name is left, because they are expensive.
 */
function unsetOf(files: readonly ts.SourceFile[], types: ts.TypeChecker, members: Member[]): Member[] {
  let left = members
  const isLeft = (name: string) => left.some((member) => member.name === name)
  const note = (name: string, symbol: ts.Symbol | undefined, from?: ts.Symbol) => {
    const signatures = signaturesOf(symbol)
    const claims = signatures.filter((one) => !from?.declarations?.includes(one))
    left = left.filter((one) => (signatures.length > 0 ? !claims.includes(one.declaration) : one.name !== name))
  }
  const noteIn = (literal: ts.Expression, name: string, from?: ts.Symbol) => {
    const wanted = types.getContextualType(literal)
    // An object for a package.
    if (wanted && wanted.flags & ts.TypeFlags.Any) return
    note(name, wanted?.getProperty(name), from)
  }
  for (const file of files)
    visit(file, (node) => {
      if (!ts.isIdentifier(node) || !isLeft(node.text)) return
      const literal = literalOf(node)
      const assigned = isAssigned(node.parent) && types.getSymbolAtLocation(node)
      if (literal && !isSchema(literal)) noteIn(literal, node.text)
      if (assigned) note(node.text, assigned)
    })
  // An object that is spread sets its members too, unless it is a copy of the same contract.
  for (const file of files)
    visit(file, (node) => {
      if (left.length === 0 || !ts.isSpreadAssignment(node)) return
      for (const part of types.getTypeAtLocation(node.expression).getProperties())
        if (isLeft(part.name)) noteIn(node.parent, part.name, part)
    })
  return left
}

/** Returns the object literal whose member has this name. */
function literalOf(name: ts.Identifier): ts.ObjectLiteralExpression | undefined {
  const { parent } = name
  const isName = ts.isObjectLiteralElementLike(parent) && parent.name === name
  return isName && ts.isObjectLiteralExpression(parent.parent) ? parent.parent : undefined
}

function signaturesOf(symbol: ts.Symbol | undefined): ts.Declaration[] {
  return symbol?.declarations?.filter((one) => ts.isPropertySignature(one) || ts.isMethodSignature(one)) ?? []
}

/** Returns whether `parent` is the left side of an assignment: `run.finalTurn = …`. */
function isAssigned(parent: ts.Node): boolean {
  if (!ts.isPropertyAccessExpression(parent) || !ts.isBinaryExpression(parent.parent)) return false
  const { left, operatorToken } = parent.parent
  return left === parent && ASSIGNMENTS.has(operatorToken.kind)
}

const ASSIGNMENTS = new Set([ts.SyntaxKind.EqualsToken, ts.SyntaxKind.QuestionQuestionEqualsToken])

/** Returns whether an object is a zod schema, which only says what may be set. */
function isSchema({ parent }: ts.Node): boolean {
  return ts.isCallExpression(parent) && parent.expression.getText() === 'z.object'
}
