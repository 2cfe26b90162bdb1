import { readFields, type Fields, type LeakedCall } from './leaked-fields.ts'
import type { Match } from './match.ts'
import { toolNamed } from './names.ts'
import { readPythonic } from './pythonic.ts'
import { thoughtBefore } from './sections.ts'
import type { ModelOutput } from './model-output.ts'

/**
 * Native tool calls that leak into the text, in the syntaxes of their vendors. Where the call is JSON with the tool's name
 * in it, `json-block.ts` reads it; this table is for those whose name stands outside of their arguments.
 */
interface Syntax {
  /** The opening of a call, up to its arguments; `name` is the tool. Sticky and global searches both use it. */
  opens: string
  /** What ends the call; a call whose arguments are no JSON is whole only with it. */
  closes: string
}

const NAME = '(?<name>[^\\s<>\\[\\](){}"\'=|｜,;]{1,100}?)'
const BAR = '[|｜]'
const GAP = '[▁_ ]'

const SYNTAXES: Syntax[] = [
  // Qwen-Coder, Seed, Llama 3.1: <function=search><parameter=query>x</parameter></function>, <function=search>{…}</function>
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
    opens: `(?:<\\|channel\\|>|<\\|start\\|>|assistant|commentary|analysis|^\\s{0,9})[^\\n<]{0,30}\\bto=${NAME}(?:<\\|channel\\|>\\w{1,20})?\\s{0,3}(?:<\\|constrain\\|>)?(?:(?<=[\\s>])\\w{1,10}\\s{0,3})?(?:<\\|message\\|>|(?=\\{))`,
    closes: '<\\|(?:call|end|return)\\|>|$',
  },
  // Functionary
  { opens: `(?:^|\\n)>>>\\s{0,3}${NAME}\\n`, closes: '(?=>>>)|$' },
  { opens: `<\\|recipient\\|>\\s{0,3}${NAME}\\s{0,3}<\\|content\\|>`, closes: '<\\|(?:stop|from)\\|>|$' },
  // Name and arguments in elements of their own: <tool_name>search</tool_name><parameters>…</parameters>
  {
    opens: `<(?<tag>tool_name|function_name|tool|action|name)>\\s{0,9}${NAME}\\s{0,9}</\\k<tag>>\\s{0,9}(?=<(?:parameters|arguments|args|tool_input|action_input|input|params)>)`,
    closes: '</(?:parameters|arguments|args|tool_input|action_input|input|params)>',
  },
]

const TABLE = SYNTAXES.map(({ opens, closes }) => ({ opens: new RegExp(opens, 'giu'), closes }))

/** The first leaked call of a turn. */
export function readLeaked(turn: ModelOutput): Match | undefined {
  const call = leakedCall(turn, 0)
  return call && foundOf(turn, call)
}

/** The leaked call that the value at `at` is (`Action: <function=search>…`), whatever fence or mark stands before it. */
export function readLeakedAt(turn: ModelOutput, at: number): Match | undefined {
  const call = leakedCall(turn, at)
  return call && LEAD.test(turn.text.slice(at, call.at)) ? foundOf(turn, call) : undefined
}

const LEAD = /^(?:\s|`{1,3}(?:\w{1,12}\n)?|<[|｜]?[\w▁:]{1,30}[|｜]?>|\[){0,9}$/

/** The leaked calls of a turn, one after the other, as far as they are whole. */
export function leakedCalls(turn: ModelOutput): LeakedCall[] {
  const calls: LeakedCall[] = []
  for (let call = leakedCall(turn, 0); call; call = calls.length < MOST_CALLS ? leakedCall(turn, call.end) : undefined)
    calls.push(call)
  return calls
}

/** No honest turn asks for more. */
const MOST_CALLS = 50

/** The first call that begins at `from` or after it. */
function leakedCall(turn: ModelOutput, from: number): LeakedCall | undefined {
  const marked = TABLE.flatMap(({ opens, closes }) => markedCall(turn, from, { opens, closes }) ?? [])
  const all = [...marked, readPythonic(turn, from) ?? [], toolElement(turn, from) ?? []].flat()
  return all.sort((a, b) => a.at - b.at)[0]
}

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

/** `<search>\n<query>x</query>\n</search>`, as coding agents are taught: an element named for a listed tool. */
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

function callOf(at: number, tool: string, fields: Fields): LeakedCall {
  return fields.ok ? { ok: true, at, end: fields.end, tool, input: fields.input } : { ok: false, at, end: Infinity }
}

function foundOf(turn: ModelOutput, call: LeakedCall): Match {
  const place = { at: call.at, thought: thoughtBefore(turn.text, turn.sections, call.at) }
  return call.ok
    ? { kind: 'action', ...place, tool: call.tool, input: call.input }
    : { kind: 'fault', ...place, what: 'its tool call breaks off before the end' }
}
