import { isSpace, trimWhile } from './text-lines.ts'

/** Characters that models put around a tool's name: quotes, backticks, bold, brackets, a full stop. */
const DECORATION = new Set('"\'`*_“”‘’「」【】[](){}<>《》:：.,;。，；!！\\@')
const LONGEST_NAME = 100

const NONE =
  /^(?:none|null|nil|n\/?a|nothing|no (?:further )?(?:action|tool|need)|not? (?:needed|required|applicable)|无|無|没有|不需要|沒有)(?![\p{L}\p{N}_])/iu
const FINISH = new Set(['finalanswer', 'finish', '最终答案', '最終答案', '最终回答'])
/** Other names that end a run, if no tool has the name. */
const ALSO_FINISH = new Set(
  (
    'answer final finalresponse finished respond submitanswer submitfinalanswer provideanswer providefinalanswer ' +
    'giveanswer givefinalanswer returnanswer respondtouser 答案 回答 完成 最終回答'
  ).split(' '),
)

/** A cheap check before `namesFinish` for the exact name of a listed tool: every name that ends a run matches this. */
export const MAY_FINISH = /f|[^\0-\x7f]/i

/** Words around a tool's name: "Use the search tool", "调用 search 工具". */
const BEFORE =
  /^(?:(?:please |i will |let me )?(?:use|using|call|calling|invoke|run|execute|try|使用|调用|調用)\s*(?:the\s)?|the\s|(?:tool|function|name|工具)\s?[:：]\s?)\s*/iu
const AFTER =
  /(?:\s+(?:#|\/\/|--)[^\n]*|\s*(?:tool|function|api|工具|函数)|\.(?:call|run|invoke|execute)|[:#]\d{1,3})$/iu
const TAGS = /<?\/?[a-z_]{1,20}>|<\/[a-z_]{1,20}/gi
/** Matches between a namespace and a name: `functions.search`, `mcp__web__search`, `web/search`, `web::search`. */
const NAMESPACE = /^\S*(?:__|::|->|[./:\\])(?=[^\s./:\\])/u

/**
 * Resolves the name that a model wrote: to a listed tool's exact spelling, or to the written name without decoration.
 * Undefined if it is not a name.
 */
export function toolNamed(written: string, tools: string[]): string | undefined {
  const listed = listedTool(written, tools)
  if (listed !== undefined) return listed
  const name = withClosingPair(bareName(written), written)
  return name && name.length <= LONGEST_NAME && !name.includes('\n') ? name : undefined
}

/** Pairs that stay part of a name that contains one half. */
const PAIRS = ['""', "''", '``', '()', '[]', '{}', '<>', '“”', '‘’', '「」', '【】', '《》']

/** Restores the half of a pair that the name lost: `find "x"`, `lookup[x]`. */
function withClosingPair(name: string, written: string): string {
  const at = written.indexOf(name)
  const [before, after] = [written[at - 1] ?? '', written[at + name.length] ?? '']
  const count = (char: string) => name.split(char).length - 1
  for (const [open = '', close = ''] of PAIRS) {
    const isHalf = open === close ? count(open) % 2 === 1 : count(open) !== count(close)
    if (isHalf && after === close) return name + after
    if (isHalf && before === open) return before + name
  }
  return name
}

/**
 * Finds the listed tool by its exact name, then without decoration and case, then without separators, then without a
 * namespace and the words around it.
 */
export function listedTool(written: string, tools: string[]): string | undefined {
  if (written.length > 2 * LONGEST_NAME) return undefined
  const exact = written.trim()
  if (tools.includes(exact)) return exact
  const name = bareName(written)
  if (tools.includes(name)) return name
  const { folded, squashed } = indexOf(tools)
  const found = folded.get(fold(name)) ?? squashed.get(squash(name))?.tool ?? withoutNamespace(name, indexOf(tools))
  return found ?? mangled(name, indexOf(tools))
}

/** The one tool that is named within a namespace or a phrase, or whose own namespace the model omitted. */
function withoutNamespace(written: string, { folded, squashed, own }: ToolIndex): string | undefined {
  const phrase = bareName(written.replace(TAGS, '').replace(BEFORE, '').replace(AFTER, ''))
  for (const name of [phrase, ownName(phrase)].map(squash)) {
    const found = [squashed.get(name), name.endsWith('tool') ? squashed.get(name.slice(0, -4)) : undefined]
    const [first] = found.filter((one) => one !== undefined).sort((a, b) => a.at - b.at)
    if (name !== '' && first) return first.tool
  }
  const alone = phrase === '' ? undefined : own.get(squash(phrase))
  return (/^mcp[_-]/i.test(phrase) ? prefixed(fold(phrase), folded) : undefined) ?? alone
}

/**
 * The one tool whose name a gateway mangled: `functions_read_file_3`, `search<|channel|>commentary`. Undefined if
 * several tools could be meant.
 */
function mangled(written: string, { squashed }: ToolIndex): string | undefined {
  const name = written.replace(/<?[|｜].{0,80}$/u, '')
  const bare = name.replace(MANGLED_BEFORE, '')
  const names = [name, bare, name.replace(MANGLED_AFTER, ''), bare.replace(MANGLED_AFTER, '')]
  const found = new Set(names.filter((one) => one !== written).flatMap((one) => squashed.get(squash(one))?.tool ?? []))
  return found.size === 1 ? [...found][0] : undefined
}

const MANGLED_BEFORE = /^(?:functions?|tools?|default_api|api|call)[_.:-]/i
const MANGLED_AFTER = /[_.:#-]\d{1,4}$/

/** The tool with the longest name behind an `mcp_…` namespace. */
function prefixed(phrase: string, folded: ToolIndex['folded']): string | undefined {
  for (let at = phrase.indexOf('_'); at >= 0; at = phrase.indexOf('_', at + 1)) {
    const tool = folded.get(phrase.slice(at + 1))
    if (tool !== undefined) return tool
  }
  return undefined
}

/**
 * Tools by the forms of their names. The first tool of a form wins. An index makes a thousand tools and as many lines
 * fast.
 */
interface ToolIndex {
  folded: Map<string, string>
  squashed: Map<string, { tool: string; at: number }>
  /** The tools by their names without a namespace. Undefined if several tools share one. */
  own: Map<string, string | undefined>
}

const indexes = new WeakMap<readonly string[], ToolIndex>()

function indexOf(tools: readonly string[]): ToolIndex {
  const known = indexes.get(tools)
  if (known) return known
  const index: ToolIndex = { folded: new Map(), squashed: new Map(), own: new Map() }
  for (const [at, tool] of tools.entries()) {
    const [folded, squashed, bare] = [fold(tool), squash(tool), ownName(tool)]
    if (!index.folded.has(folded)) index.folded.set(folded, tool)
    if (squashed !== '' && !index.squashed.has(squashed)) index.squashed.set(squashed, { tool, at })
    const own = squash(bare)
    if (bare !== tool) index.own.set(own, index.own.has(own) ? undefined : tool)
  }
  indexes.set(tools, index)
  return index
}

/** A name without its namespace. */
function ownName(name: string): string {
  return bareName(name.replace(NAMESPACE, ''))
}

/** A name without the characters that models put around it. */
function bareName(written: string): string {
  const text = ASCII.test(written) ? written : written.replace(EMOJI_BEFORE, '').replace(EMOJI_AFTER, '')
  return trimWhile(text, (char) => DECORATION.has(char) || isSpace(char))
}

const EMOJI = '(?![\\d#*©®])\\p{Extended_Pictographic}[\\ufe0f\\u200d\\p{Emoji_Modifier}]{0,4}'
const EMOJI_BEFORE = new RegExp(`^\\s{0,4}(?:${EMOJI}\\s{0,4}){1,4}`, 'u')
const EMOJI_AFTER = new RegExp(`(?:\\s{0,4}${EMOJI}){1,4}\\s{0,4}$`, 'u')

/** Returns whether the model wants no tool: `Action: None` and its variants. */
export function namesNothing(written: string): boolean {
  return NONE.test(bareName(written.slice(0, LONGEST_NAME)))
}

/** Returns whether `Final Answer`, `Finish` or a variant is in place of a tool. */
export function namesFinish(written: string, tools: string[]): boolean {
  if (written.length > LONGEST_NAME) return false
  const names = [squash(bareName(written)), squash(ownName(bareName(written)))]
  return names.some((name) => FINISH.has(name) || (ALSO_FINISH.has(name) && !listedTool(written, tools)))
}

function fold(name: string): string {
  return (ASCII.test(name) ? name : name.normalize('NFKC')).toLowerCase()
}

const ASCII = /^[\0-\x7f]*$/

/** Removes separators: models swap spaces, dashes and underscores, and escape underscores. */
function squash(name: string): string {
  return fold(name).replace(/[\s_\\-]/g, '')
}
