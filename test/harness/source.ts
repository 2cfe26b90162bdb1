import { posix } from 'node:path'
import ts from 'typescript'
import { filesIn, textOf } from './project-files.ts'

/** One source file of the project. Its path is relative to the root. Its tree is parsed on first use. */
export class SourceFile {
  readonly path: string
  readonly text: string
  #tree: ts.SourceFile | undefined
  #imports: string[] | undefined

  constructor(path: string) {
    this.path = path
    this.text = textOf(path)
  }

  get tree(): ts.SourceFile {
    return (this.#tree ??= ts.createSourceFile(this.path, this.text, ts.ScriptTarget.Latest, true))
  }

  get lines(): number {
    return this.text.trimEnd().split('\n').length
  }

  /** Its imports and re-exports, including types: paths of the project's files, names of packages. */
  get imports(): string[] {
    return (this.#imports ??= importsOf(this.tree))
  }
}

/** Returns every source file below these folders of the project: TypeScript, and the page's JavaScript. */
export function sourcesIn(...folders: string[]): SourceFile[] {
  return folders
    .flatMap(filesIn)
    .filter((path) => /\.[jt]s$/.test(path))
    .map((path) => new SourceFile(path))
}

function importsOf(tree: ts.SourceFile): string[] {
  const names: ts.Node[] = []
  for (const statement of tree.statements)
    if (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) names.push(...moduleOf(statement))
  if (tree.text.includes('import(')) visit(tree, (node) => names.push(...importedInside(node)))
  const folder = posix.dirname(tree.fileName)
  const texts = names
    .filter(ts.isStringLiteral)
    .map(({ text }) => (text.startsWith('.') ? posix.join(folder, text) : text))
  return [...new Set(texts)]
}

function moduleOf({ moduleSpecifier }: ts.ImportDeclaration | ts.ExportDeclaration): ts.Node[] {
  return moduleSpecifier ? [moduleSpecifier] : []
}

/** `import('x')`, as a call or inside a type. */
function importedInside(node: ts.Node): ts.Node[] {
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return [node.argument.literal]
  const isCall = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
  return isCall ? node.arguments.slice(0, 1) : []
}

/** Calls `see` with every node of a tree, the outer ones first. */
export function visit(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node)
  ts.forEachChild(node, (child) => visit(child, see))
}

function lineOf(tree: ts.SourceFile, position: number): number {
  return tree.getLineAndCharacterOfPosition(position).line + 1
}

/** Returns the comments of a file, each with its first line. */
export function commentsOf({ tree, text }: SourceFile): { line: number; text: string }[] {
  const found = new Map<number, string>()
  const take = (ranges: ts.CommentRange[] | undefined) => {
    for (const { pos, end } of ranges ?? []) found.set(pos, text.slice(pos, end))
  }
  const see = (node: ts.Node) => {
    take(ts.getLeadingCommentRanges(text, node.pos))
    take(ts.getTrailingCommentRanges(text, node.end))
    for (const child of node.getChildren(tree)) see(child)
  }
  see(tree)
  return [...found].map(([position, comment]) => ({ line: lineOf(tree, position), text: comment }))
}
