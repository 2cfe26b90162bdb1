/**
 * Reasoning that models write before their turn: `<think>` and its variants. One table holds the marks of every vendor.
 * `ObservationCut` uses them to find reasoning, in streams and in complete texts. `withoutReasoning` drops it.
 */
import { nextLine } from './text-lines.ts'

/** A stretch of reasoning as offsets, marks included. Open reasoning ends at Infinity. */
export interface ReasoningSpan {
  start: number
  end: number
}

interface Marks {
  open: string
  /** Built from the word in the opening mark, so that an inner block does not end the outer one. */
  close(word: string): string
  /** Whether it counts only at the start of the output. */
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
  // Templates with a thinking role
  { open: '<\\|im_start\\|>(?:assistant[_ ])?(?:think|thinking|analysis|reasoning)\\n', close: () => '<\\|im_end\\|>' },
  // Granite 3.2, and wrappers that user interfaces put around reasoning
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

/** Matches before the mark on its line: white space, the tokens that open a turn, the label of a thought. */
const BEFORE =
  '((?:[\\s\\u200b-\\u200d\\u2060\\ufeff]{1,20}|<[|｜](?:im_start|start_header_id|end_header_id|begin_of_text|assistant|Assistant|START_OF_TURN_TOKEN|CHATBOT_TOKEN)[|｜]>(?:assistant)?|<start_of_turn>(?:model)?|<s>|<bos>){0,6}(?:[*_]{0,3}(?:thoughts?|思考|想法)[ *_]{0,4}[:：][ *_]{0,4})?)'

const OPENINGS = MARKS.map(({ open, close, first }) => ({
  // Marks that are words match case-sensitively, to tell them from prose.
  pattern: new RegExp(`^${BEFORE}(?:${open})`, first ? 'u' : 'iu'),
  close,
  first: first ?? false,
}))
const CLOSINGS = new Map<string, RegExp>()

/**
 * The reasoning that a line, or the start of one, opens: the length of the text before its mark, the length including
 * the mark, and the pattern that ends it. `first`: the output begins with this line.
 */
export function opensReasoning(
  line: string,
  first: boolean,
): { before: number; length: number; close: RegExp } | undefined {
  for (const { pattern, close, first: onlyFirst } of OPENINGS) {
    const match = onlyFirst && !first ? null : pattern.exec(line)
    if (match)
      return { before: (match[1] ?? '').length, length: match[0].length, close: closing(close(related(match[2]))) }
  }
  return undefined
}

/** A cheap check before `opensReasoning`: every line that opens reasoning contains one of these. */
export const MAY_OPEN_REASONING = /[<[◁`]|^\s*(?:analysis|here)/i

/** Closing marks that may lack an opening one, because some templates put it into the prompt. */
const LONE_CLOSING = new RegExp(
  `</${PREFIX}${WORD}\\s{0,3}>|\\[/(?:think(?:ing)?|reasoning)\\]|<\\|(?:/|end_(?:of_)?)${WORD}\\|>|<\\|${WORD}_end\\|>|◁/${WORD}▷|<unused95>|<channel\\|>|<\\|inner_suffix\\|>|assistantfinal`,
  'iu',
)

/** The longest closing mark, in characters. */
export const LONGEST_CLOSING = 64

/** `thinking` also closes `think`, and `thoughts` closes `thought`. */
function related(word = ''): string {
  return word.replace(/(?:ing|s)?$/i, '(?:ing|s)?')
}

function closing(source: string): RegExp {
  const known = CLOSINGS.get(source)
  if (known) return known
  const made = new RegExp(source, 'giu')
  // Models invent words without end, so the cache is bounded.
  if (CLOSINGS.size < 200) CLOSINGS.set(source, made)
  return made
}

/**
 * Drops reasoning: the `spans` that `ObservationCut` found, and everything before a closing mark without an opening one
 * (the prompt of some models contains the opening mark). A mark counts only at the start of a line (or after a label
 * there) and before the first action or answer, because an answer may mention it.
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
 * The end of a closing mark that has no opening one. It must begin or end its line. If nothing follows, it must begin
 * its line, because an answer may end with the name of a mark.
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

/** The longest beginning of a text in which a mark of reasoning is looked for. */
const MAX_MARK = 300

/** The words of a text that is reasoning from its beginning, without its marks. Undefined for any other text. */
export function wordsOfReasoning(text: string): { words: string; isOpen: boolean } | undefined {
  const opening = opensReasoning(text.slice(0, MAX_MARK), true)
  if (opening && !/^(?:<(?!!)|\[|◁)/.test(text.slice(opening.before))) return undefined
  const words = text.slice(opening?.length ?? 0)
  const end = words.search(opening?.close ?? LONE_CLOSING)
  if (!opening && end < 0) return undefined
  return { words: (end < 0 ? words : words.slice(0, end)).trim(), isOpen: end < 0 }
}

/** A cheap check before `withoutReasoning` if no reasoning was opened: every closing mark contains one of these. */
export const MAY_END_REASONING = /[<◁]|\[\/|assistantfinal/iu
