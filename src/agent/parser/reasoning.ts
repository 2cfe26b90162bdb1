/**
 * Reasoning that models write before their turn: `<think>` and its kin. The marks of every vendor stand in one table.
 * `ObservationCut` finds reasoning by them, in a stream and in whole texts alike; `withoutReasoning` drops it.
 */
import { nextLine } from './text-lines.ts'

/** A stretch of reasoning, marks included, as offsets. One that is not over ends at Infinity. */
export interface ReasoningSpan {
  start: number
  end: number
}

/** Reasoning that begins: the length of what stands before its mark, the length with the mark, and what ends it. */
export interface Opening {
  before: number
  length: number
  close: RegExp
}

interface Marks {
  open: string
  /** Made for the word in the opening mark, so that an inner block does not end the outer one. */
  close(word: string): string
  /** Only where the whole output begins. */
  first?: boolean
}

const PLAIN =
  '(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflections?|analysis|scratch[_-]?pad|monologue|rationale|deliberations?|plan(?:ning)?|cot|思考)'
const WORD = `((?!end)(?:(?:ant|inner|internal|[a-z]{1,12}(?:[_-][a-z]{1,8})?[_-])${PLAIN}|${PLAIN})(?:_fast(?:er)?|[_-](?:process|content|block|trace))?)`
const PREFIX = '(?:[a-z]{1,16}:)?'

const MARKS: Marks[] = [
  // <think>, <thinking>, <seed:think>, <longcat_think>, <antThinking>, <reasoning>, <scratchpad> …
  { open: `<${PREFIX}${WORD}(?:\\s[^<>\\n]{0,60})?>`, close: (word) => `</${PREFIX}${word}\\s{0,3}>` },
  // Magistral
  { open: '\\[(think(?:ing)?|reasoning|analysis|scratchpad)\\]', close: (word) => `\\[/${word}\\]` },
  // OpenThinker, Sky-T1, Cohere, Solar
  {
    open: `<\\|(?:(?:start|begin)_(?:of_)?)?${WORD}(?:_(?:start|begin))?\\|>`,
    close: (word) => `<\\|(?:/|end_(?:of_)?)${word}\\|>|<\\|${word}_end\\|>|<\\|end\\|>`,
  },
  // Kimi-VL
  { open: `◁${WORD}▷`, close: (word) => `◁/${word}▷` },
  // Gemma, Apertus
  { open: '<unused94>', close: () => '<unused95>' },
  { open: '<\\|channel>(thought|analysis|thinking)', close: () => '<channel\\|>' },
  { open: '<\\|inner_prefix\\|>', close: () => '<\\|inner_suffix\\|>' },
  // gpt-oss (harmony), whole and with its tokens stripped
  {
    open: '(?:<\\|start\\|>(?:assistant)?)?<\\|channel\\|>(?:analysis|thinking)(?![^<\\n]{0,40}to=)[^<\\n]{0,40}<\\|message\\|>',
    close: () => '<\\|(?:end|return|call|start)\\|>',
  },
  { open: 'analysis[\\p{Lu}"“(\\d]', close: () => 'assistant ?(?:final|commentary)', first: true },
  // Templates whose role is the thinking
  { open: '<\\|im_start\\|>(?:assistant[_ ])?(?:think|thinking|analysis|reasoning)\\n', close: () => '<\\|im_end\\|>' },
  // Granite 3.2, and what interfaces wrap reasoning in
  {
    open: "Here(?: is|['’]s) my (?:thought|thinking|reasoning) process:",
    close: () => "here(?: is|['’]s) my (?:response|answer):",
    first: true,
  },
  {
    open: '<details type="reasoning"[^<>\\n]{0,80}>|(?:<details>\\s{0,3})?<summary>[^<\\n]{0,20}(?:think|thought|reason)[^<\\n]{0,40}</summary>',
    close: () => '</details>',
  },
  {
    open: `\`\`\`(?:think|thinking|thoughts?|reasoning|analysis)[ \\t]{0,3}\\n`,
    close: () => '\\n```[ \\t]{0,3}(?=\\n|$)',
  },
  { open: '<!--', close: () => '-->' },
]

/** An opening mark anywhere in a text. */
const OPENING = new RegExp(MARKS.flatMap(({ open, first }) => (first ? [] : [open])).join('|'), 'iu')

/** What may stand before the mark on its line: white space, the tokens that open a turn, the label of a thought. */
const BEFORE =
  '((?:[\\s\\u200b-\\u200d\\u2060\\ufeff]{1,20}|<[|｜](?:im_start|start_header_id|end_header_id|begin_of_text|assistant|Assistant|START_OF_TURN_TOKEN|CHATBOT_TOKEN)[|｜]>(?:assistant)?|<start_of_turn>(?:model)?|<s>|<bos>){0,6}(?:[*_]{0,3}(?:thoughts?|思考|想法)[ *_]{0,4}[:：][ *_]{0,4})?)'

const OPENINGS = MARKS.map(({ open, close, first }) => ({
  // A mark that is a word is told from prose by its capitals.
  pattern: new RegExp(`^${BEFORE}(?:${open})`, first ? 'u' : 'iu'),
  close,
  first: first ?? false,
}))
const CLOSINGS = new Map<string, RegExp>()

/** The reasoning that a line, or the beginning of one, opens. `first`: the output begins with it. */
export function opensReasoning(line: string, first: boolean): Opening | undefined {
  for (const { pattern, close, first: onlyFirst } of OPENINGS) {
    const match = onlyFirst && !first ? null : pattern.exec(line)
    if (match)
      return { before: (match[1] ?? '').length, length: match[0].length, close: closing(close(related(match[2]))) }
  }
  return undefined
}

/** A cheap look before `opensReasoning`: no line without one of these opens reasoning. */
export const MAY_OPEN_REASONING = /[<[◁`]|^\s*(?:analysis|here)/i

/** The closing marks that may stand without an opening one, which some templates put into the prompt. */
const LONE_CLOSING = new RegExp(
  `</${PREFIX}${WORD}\\s{0,3}>|\\[/(?:think(?:ing)?|reasoning)\\]|<\\|(?:/|end_(?:of_)?)${WORD}\\|>|<\\|${WORD}_end\\|>|◁/${WORD}▷|<unused95>|<channel\\|>|<\\|inner_suffix\\|>|assistantfinal`,
  'iu',
)

/** No closing mark is longer than this. */
export const LONGEST_CLOSING = 64

/** `think` is closed by `thinking` too, `thought` by `thoughts`. */
function related(word = ''): string {
  return word.replace(/(?:ing|s)?$/i, '(?:ing|s)?')
}

function closing(source: string): RegExp {
  const known = CLOSINGS.get(source)
  if (known) return known
  const made = new RegExp(source, 'giu')
  // A model invents words without end; the table of them stays small.
  if (CLOSINGS.size < 200) CLOSINGS.set(source, made)
  return made
}

/**
 * Drops what a model wrote as reasoning: the `spans` that `ObservationCut` found in the text, and all before a closing
 * mark without an opening one, which stands in the prompt of some models. A mark counts where it begins a line (or follows
 * a label there) before the first action or answer: an answer may speak of it.
 */
export function withoutReasoning(text: string, spans: ReasoningSpan[]): string {
  let kept = ''
  let from = 0
  for (const { start, end } of spans) {
    kept += text.slice(from, start)
    from = end
  }
  const rest = kept + text.slice(from)
  const closing = loneClosing(rest)
  return closing === undefined ? rest : rest.slice(closing)
}

/**
 * Where a closing mark without an opening one ends that ends reasoning: it begins or ends its line. Where nothing follows, so
 * that all was reasoning, it is its whole line: an answer may end with its name.
 */
function loneClosing(text: string): number | undefined {
  const match = LONE_CLOSING.exec(text)
  if (!match) return undefined
  const [start, end] = [match.index, match.index + match[0].length]
  const lineAt = text.lastIndexOf('\n', start) + 1
  const begins = text.slice(lineAt, start).trim() === ''
  const ends = text.slice(end, nextLine(text, end)).trim() === ''
  const standsAlone = text.slice(end).trim() === '' ? begins : begins || ends
  const isGlued = match[0] === 'assistantfinal' && /^\s{0,20}(?:analysis|commentary)/.test(text)
  if (!(standsAlone || isGlued) || OPENING.test(text.slice(0, start))) return undefined
  return end
}

/** A cheap look before `withoutReasoning`, where no reasoning was opened: no closing mark is without one of these. */
export const MAY_END_REASONING = /[<◁]|\[\/|assistantfinal/iu
