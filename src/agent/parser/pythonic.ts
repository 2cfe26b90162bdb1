import { nextLine } from './fences.ts'
import type { LeakedCall } from './leaked-fields.ts'
import { readArguments } from './loose-json.ts'
import { listedTool } from './names.ts'
import type { ModelOutput } from './model-output.ts'

/**
 * What may stand before a call in Python on its line: a list, `print(`, an assignment, marks of a template, the call before
 * it in the same list.
 */
const BEGIN =
  /(?:[ \t`]|<[|｜]?[\w▁:/]{1,30}[|｜]?>){0,6}(?:\w{1,12}\n)?(?<wrap>(?:\[|print\(|await |return |[a-z_]\w{0,40} ?= ?){0,3})(?<name>[\p{L}_][\p{L}\p{N}_.]{0,100})\(/iuy
const NEXT = /[ \t]{0,4},\s{0,9}(?<name>[\p{L}_][\p{L}\p{N}_.]{0,100})\(/uy
/** What may stand after it. */
const END = /[\])]{0,3}[ \t;`]{0,4}(?:#[^\n]{0,200})?(?=\n|$|<)/y

/**
 * The first call that is written in Python on a line of its own, from `from` on: `[search(query="x"), other()]`,
 * `print(default_api.search(query="x"))`, `result = search("x")`. Only of listed tools: in prose, much looks like a call.
 */
export function readPythonic(turn: ModelOutput, from: number): LeakedCall | undefined {
  for (let at = from; at < turn.text.length; at = nextLine(turn.text, at)) {
    const begins = matchAt(BEGIN, turn.text, at) ?? (at === from && from > 0 ? matchAt(NEXT, turn.text, at) : null)
    const name = begins?.groups?.['name'] ?? ''
    const tool = begins ? listedTool(name, turn.tools) : undefined
    const call = begins && tool ? readCallAt(turn.text, begins, tool) : undefined
    if (call) return call
  }
  return undefined
}

function readCallAt(text: string, begins: RegExpExecArray, tool: string): LeakedCall | undefined {
  const args = readArguments(text, begins.index + begins[0].length)
  const isMarked = /[<[`]|print\(|=/.test(begins[0])
  if (!args.ok) return args.cut && isMarked ? { ok: false, at: begins.index, end: Infinity } : undefined
  const follows = matchAt(END, text, args.end) ?? matchAt(NEXT, text, args.end)
  const input = inputOf(args.named, args.positional)
  return follows && input !== undefined ? { ok: true, at: begins.index, end: args.end, tool, input } : undefined
}

/** Named arguments are fields, a lone one without a name is the input; several of those are nobody's. */
function inputOf(named: Record<string, unknown>, positional: unknown[]): unknown {
  if (positional.length === 0) return named
  return positional.length === 1 && Object.keys(named).length === 0 ? positional[0] : undefined
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at
  return sticky.exec(text)
}
