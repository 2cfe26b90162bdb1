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
  'src/telemetry/attempt.ts',
  'tools/tool-settings.ts',
]

const paths = sourcesIn('src', 'tools')
  .map(({ path }) => path)
  .filter((path) => path.endsWith('.ts'))
const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path))
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
const program = ts.createProgram(
  paths.map((path) => join(ROOT, path)),
  { ...options, noEmit: true },
)
// Made first: it binds the trees, which knows the parents of their nodes.
const checker = program.getTypeChecker()
const fileAt = (path: string) => program.getSourceFile(join(ROOT, path))

interface Member {
  name: string
  place: string
  declaration: ts.Node
}

const members = CONTRACTS.flatMap((path) => {
  const file = fileAt(path)
  return file ? optionalMembersOf(file) : []
})

test('every optional member of a contract is set by something in src/ or tools/', { timeout: 240_000 }, () => {
  const isSet = settersIn(
    paths.flatMap((path) => fileAt(path) ?? []),
    checker,
    members,
  )
  expect(CONTRACTS.filter((path) => !fileAt(path))).toEqual([])
  expect(members.length).toBeGreaterThan(50)
  expect(members.filter((member) => !isSet(member)).map(({ place }) => place)).toEqual([])
})

test('the search for what sets a member knows which contract it belongs to', () => {
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
  const declared = optionalMembersOf(file)
  const isSet = settersIn([file], types, declared)
  const unset = declared.filter((member) => !isSet(member))
  expect(unset.map(({ place }) => place)).toEqual(['Tool.hidden', 'Tool.never'])
})

function optionalMembersOf(file: ts.SourceFile): Member[] {
  const found: Member[] = []
  visit(file, (node) => {
    // Those of a function's own parameters belong to no contract.
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
 * Tells of a member whether it is set: in an object that is made for its contract, or for none in particular, or later.
 */
function settersIn(
  files: readonly ts.SourceFile[],
  types: ts.TypeChecker,
  wanted: Member[],
): (member: Member) => boolean {
  const names = new Set(wanted.map(({ name }) => name))
  const declared = new Set<ts.Node>()
  const unclaimed = new Set<string>()
  const note = (name: string, symbol: ts.Symbol | undefined, from?: ts.Symbol) => {
    const claims = signaturesOf(symbol).filter((one) => !from?.declarations?.includes(one))
    for (const claim of claims) declared.add(claim)
    if (signaturesOf(symbol).length === 0) unclaimed.add(name)
  }
  const wantedBy = (literal: ts.Expression) => types.getContextualType(literal)
  for (const file of files)
    visit(file, (node) => {
      // What is spread into an object sets it too, unless it is a copy of the same contract.
      if (ts.isSpreadAssignment(node))
        for (const part of types.getTypeAtLocation(node.expression).getProperties())
          if (names.has(part.name)) note(part.name, wantedBy(node.parent)?.getProperty(part.name), part)
      if (!ts.isIdentifier(node) || !names.has(node.text)) return
      const { parent } = node
      if (
        ts.isObjectLiteralElementLike(parent) &&
        parent.name === node &&
        ts.isObjectLiteralExpression(parent.parent)
      ) {
        if (!isSchema(parent.parent)) note(node.text, wantedBy(parent.parent)?.getProperty(node.text))
      } else if (isAssigned(parent)) note(node.text, types.getSymbolAtLocation(node))
    })
  return ({ declaration, name }) => declared.has(declaration) || unclaimed.has(name)
}

function signaturesOf(symbol: ts.Symbol | undefined): ts.Declaration[] {
  return symbol?.declarations?.filter((one) => ts.isPropertySignature(one) || ts.isMethodSignature(one)) ?? []
}

/** `parent` is the left side of an assignment: `run.finalTurn = …`. */
function isAssigned(parent: ts.Node): boolean {
  if (!ts.isPropertyAccessExpression(parent) || !ts.isBinaryExpression(parent.parent)) return false
  const { left, operatorToken } = parent.parent
  return left === parent && ASSIGNMENTS.has(operatorToken.kind)
}

const ASSIGNMENTS = new Set([ts.SyntaxKind.EqualsToken, ts.SyntaxKind.QuestionQuestionEqualsToken])

/** A zod schema only says what may be set. */
function isSchema({ parent }: ts.Node): boolean {
  return ts.isCallExpression(parent) && parent.expression.getText() === 'z.object'
}
