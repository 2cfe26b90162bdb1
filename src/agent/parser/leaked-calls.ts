import { readFields, type LeakedInput } from './leaked-input.ts'
import { readArguments } from './loose-json.ts'
import { actionAt, faultAt, QUOTED, type Match, type ModelOutput } from './model-output.ts'
import { isQuoted } from './quoted-call.ts'
import { matchAt, nextLine } from './text-lines.ts'
import { listedTool, toolNamed } from './tool-names.ts'

/**
 * Native tool calls that leak into the text, in their vendors' syntaxes. This table covers calls whose name stands
 * outside the arguments. `json-action.ts` reads calls that are JSON with the tool's name inside.
 */
interface Syntax {
  /** The opening of a call, up to its arguments; `name` is the tool. Used for sticky and global searches. */
  opens: string
  /** The end of the call. Arguments that are not JSON are complete only with it. */
  closes: string
}

const NAME = '(?<name>[^\\s<>\\[\\](){}"\'=|｜,;]{1,100}?)'
const BAR = '[|｜]'
const GAP = '[▁_ ]'

const SYNTAXES: Syntax[] = [
  // Qwen-Coder, Seed, Llama 3.1: <function=search><parameter=query>x</parameter></function>,
  // <function=search>{…}</function>
  {
    opens: `<function(?:=["']?${NAME}["']?(?:>|\\s{0,3}(?=\\{))|\\((?<other>[^\\s()]{1,100})\\)>)`,
    closes: '</function>',
  },
  // Claude, MiniMax, DeepSeek's DSML, Step: <invoke name="search"><parameter name="query">x</parameter></invoke>
  {
    opens: `<(?:[a-z]{1,12}:|${BAR}DSML${BAR})?invoke name=["']${NAME}["']>`,
    closes: `</(?:[a-z]{1,12}:|${BAR}DSML${BAR})?invoke>`,
  },
  // Grok and their kin: <function_call name="search">
  {
    opens: `<(?:[a-z]{1,12}:)?(?:function_call|tool_call|tool_use|tool|function|call|action)\\s(?:[a-z_]{1,20}=["'][^"'<>\\n]{0,60}["']\\s)?name=["']${NAME}["'][^<>\\n]{0,80}>`,
    closes: '</(?:[a-z]{1,12}:)?(?:function_call|tool_call|tool_use|tool|function|call|action)>',
  },
  // Mistral: [TOOL_CALLS]search[ARGS]{…}
  {
    opens: `\\[TOOL_CALLS\\]\\s{0,3}${NAME}(?:\\[CALL_ID\\][\\w-]{0,60})?(?:\\[ARGS\\]|(?=\\s{0,3}\\{))`,
    closes: '(?!)',
  },
  // DeepSeek: <｜tool▁call▁begin｜>function<｜tool▁sep｜>search\n```json\n{…}\n```<｜tool▁call▁end｜>, and without "function"
  {
    opens: `<${BAR}tool${GAP}call${GAP}begin${BAR}>\\s{0,3}(?:function\\s{0,3}<${BAR}tool${GAP}sep${BAR}>\\s{0,3})?${NAME}\\s{0,3}(?:<${BAR}tool${GAP}sep${BAR}>(?!\\s{0,9}<[a-z]{1,12}:?invoke)|(?=[\`{\\n]))`,
    closes: `<${BAR}tool${GAP}call${GAP}end${BAR}>`,
  },
  // Kimi: <|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>{…}<|tool_call_end|>
  {
    opens: `<\\|tool_call_begin\\|>\\s{0,3}${NAME}\\s{0,3}<\\|tool_call_argument_begin\\|>`,
    closes: '<\\|tool_call_end\\|>',
  },
  // GLM, LongCat: <tool_call>search\n<arg_key>query</arg_key>\n<arg_value>x</arg_value>\n</tool_call>
  {
    opens: `<(?:\\w{1,16}_)?tool_calls?>\\s{0,9}${NAME}\\s{0,9}(?=[{\`]|<(?:\\w{1,16}_)?arg_key>|</(?:\\w{1,16}_)?tool_calls?>)`,
    closes: '</(?:\\w{1,16}_)?tool_calls?>',
  },
  // Phi, Granite, Gemma: <|tool_call|>search{…}, <|tool_call>call:search{…}, <start_function_call>call:search{…}
  {
    opens: `<(?:\\|tool_calls?(?:_begin|_start)?\\|?|start_function_call|tool_call)>\\s{0,9}(?:call:)?${NAME}\\s{0,3}(?=\\{)`,
    closes: '(?!)',
  },
  // gpt-oss (harmony): <|channel|>commentary to=functions.search <|constrain|>json<|message|>{…}<|call|>, stripped too
  {
    opens: `(?:(?:<\\|channel\\|>|<\\|start\\|>|assistant|commentary|analysis)[^\\n<]{0,30}|^\\s{0,9})\\bto=${NAME}(?:<\\|channel\\|>\\w{1,20})?\\s{0,3}(?:<\\|constrain\\|>)?(?:(?<=[\\s>])\\w{1,10}\\s{0,3})?(?:<\\|message\\|>|(?=\\{))`,
    closes: '<\\|(?:call|end|return)\\|>|$',
  },
  // Functionary
  { opens: `(?:^|\\n)[ \\t\u200b]{0,8}>>>\\s{0,3}${NAME}[ \\t\u200b]{0,8}\\n`, closes: '(?=>>>)|$' },
  { opens: `<\\|recipient\\|>\\s{0,3}${NAME}\\s{0,3}<\\|content\\|>`, closes: '<\\|(?:stop|from)\\|>|$' },
  // Name and arguments in elements of their own: <tool_name>search</tool_name><parameters>…</parameters>
  {
    opens: `<(?<tag>tool_name|function_name|tool|action|name)>\\s{0,9}${NAME}\\s{0,9}</\\k<tag>>\\s{0,9}(?=<(?:parameters|arguments|args|tool_input|action_input|input|params)>)`,
    closes: '</(?:parameters|arguments|args|tool_input|action_input|input|params)>',
  },
]

const TABLE = SYNTAXES.map(({ opens, closes }) => ({ opens: new RegExp(opens, 'giu'), closes }))

/** A cheap check before the search: every leaked call contains one of these. */
export const MAY_LEAK = /[<(]|\[tool_calls|to=|>>>/iu

/** The first leaked call of a turn that is not only quoted. Without one, a quoted call is a fault. */
export function readLeaked(turn: ModelOutput): Match | undefined {
  let quoted: LeakedCall | undefined
  let call = leakedCallFrom(turn, 0)
  for (let tried = 0; call?.ok && tried < MAX_QUOTED && isQuoted(turn, call); tried++) {
    quoted ??= call
    call = leakedCallFrom(turn, call.end)
  }
  if (call && !(quoted && call.ok && isQuoted(turn, call))) return toMatch(turn, call)
  return quoted && faultAt(turn, quoted.at, QUOTED)
}

/** How many quoted calls are passed over before the turn is given up. */
const MAX_QUOTED = 20

/** The leaked call in the value at `at` (`Action: <function=search>…`), after any fence or mark. */
export function readLeakedAt(turn: ModelOutput, at: number): Match | undefined {
  const call = leakedCallFrom(turn, at)
  return call && LEAD.test(turn.text.slice(at, call.at)) ? toMatch(turn, call) : undefined
}

const LEAD = /^(?:\s|`{1,3}(?:\w{1,12}\n)?|<[|｜]?[\w▁:]{1,30}[|｜]?>|\[){0,9}$/

/** The first call at or after `from`. */
export function leakedCallFrom(turn: ModelOutput, from: number): LeakedCall | undefined {
  const hasMark = MAY_MARK.test(turn.text)
  const marked = hasMark ? TABLE.map(({ opens, closes }) => markedCall(turn, from, { opens, closes })) : []
  const element = turn.text.includes('<', from) ? toolElement(turn, from) : undefined
  const all = [...marked, readPythonic(turn, from), element].filter((call) => call !== undefined)
  return all.sort((a, b) => a.at - b.at)[0]
}

/** A cheap check before the table: every syntax in it contains one of these. */
const MAY_MARK = /<|\[tool_calls|to=|>>>/iu

function markedCall(
  turn: ModelOutput,
  from: number,
  { opens, closes }: { opens: RegExp; closes: string },
): LeakedCall | undefined {
  opens.lastIndex = from
  const match = opens.exec(turn.text)
  const name = match?.groups?.['name'] ?? match?.groups?.['other']
  const tool = name === undefined ? undefined : toolNamed(name, turn.tools)
  if (!match || !tool) return undefined
  const fields = readFields(turn.text, opens.lastIndex, closes)
  return fields && callOf(match.index, tool, fields)
}

const TOOL_ELEMENT = /^[ \t]{0,8}<([\p{L}_][\p{L}\p{N}_.-]{0,60})>/gmu

/**
 * Reads `<search>\n<query>x</query>\n</search>`, the form that coding agents are taught: an element named like a listed
 * tool.
 */
function toolElement({ text, tools }: ModelOutput, from: number): LeakedCall | undefined {
  TOOL_ELEMENT.lastIndex = from
  for (let match = TOOL_ELEMENT.exec(text); match; match = TOOL_ELEMENT.exec(text)) {
    const [all, tool = ''] = match
    if (!tools.includes(tool)) continue
    const fields = readFields(text, match.index + all.length, `</${tool.replaceAll('.', '\\.')}>`)
    return fields && callOf(match.index, tool, fields)
  }
  return undefined
}

function callOf(at: number, tool: string, fields: LeakedInput): LeakedCall {
  return fields.ok ? { ok: true, at, end: fields.end, tool, input: fields.input } : { ok: false, at, end: Infinity }
}

function toMatch(turn: ModelOutput, call: LeakedCall): Match {
  return call.ok
    ? actionAt(turn, call.at, { tool: call.tool, parsed: { ok: true, input: call.input } })
    : faultAt(turn, call.at, 'its tool call breaks off before the end')
}

/**
 * Matches before a Python call on its line: a list, `print(`, an assignment, template marks, the previous call of the
 * list.
 */
const BEGIN =
  /(?:[ \t`]|<[|｜]?[\w▁:/]{1,30}[|｜]?>){0,6}(?:\w{1,12}\n)?(?:call:)?(?<wrap>(?:\[|print\(|await |return |[a-z_]\w{0,40} ?= ?){0,3})(?<name>[\p{L}_][\p{L}\p{N}_.]{0,100})\(/iuy
/** A mark in a line, behind the thought, as LFM writes it: `<|tool_call_start|>[search(query="x")]`. */
const MARKED = /<\|tool_calls?(?:_start|_begin)?\|>(?=\s{0,9}\[?[\p{L}_][\p{L}\p{N}_.]{0,100}\()/giu
const NEXT = /[ \t]{0,4},\s{0,9}(?<name>[\p{L}_][\p{L}\p{N}_.]{0,100})\(/uy
/** Matches after the call. */
const END = /[\])]{0,3}[ \t;`]{0,4}(?:#[^\n]{0,200})?(?=\n|$|<)/y

/**
 * The first Python call on a line of its own at or after `from`: `[search(query="x"), other()]`,
 * `print(default_api.search(query="x"))`, `result = search("x")`. Only listed tools count, because much prose looks
 * like a call.
 */
function readPythonic(turn: ModelOutput, from: number): LeakedCall | undefined {
  let bracket = turn.text.indexOf('(', from)
  let mark = matchAt(MARKED, turn.text, from)
  for (let at = from; at < turn.text.length; at = nextLine(turn.text, at)) {
    if (bracket < at && bracket >= 0) bracket = turn.text.indexOf('(', at)
    if (bracket < 0) return undefined
    if (mark && mark.index < at) mark = matchAt(MARKED, turn.text, at)
    const isMarked = mark !== null && mark.index > at && mark.index < nextLine(turn.text, at)
    const begins =
      matchAt(BEGIN, turn.text, isMarked ? mark!.index : at) ??
      (at === from && from > 0 ? matchAt(NEXT, turn.text, at) : null)
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

/** Named arguments become fields. A single positional argument is the input. Any other mix is rejected. */
function inputOf(named: Record<string, unknown>, positional: unknown[]): unknown {
  if (positional.length === 0) return named
  return positional.length === 1 && Object.keys(named).length === 0 ? positional[0] : undefined
}

/** A leaked call. */
export type LeakedCall =
  | { ok: true; at: number; end: number; tool: string; input: unknown }
  /** The call is incomplete. */
  | { ok: false; at: number; end: number }
