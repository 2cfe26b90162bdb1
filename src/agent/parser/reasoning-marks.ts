/**
 * The marks between which models put what they think before they speak, of every vendor in one table. Read by one cutter
 * (`src/agent/observation-cut.ts`), for the stream and for whole texts alike.
 */

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
export const OPENING = new RegExp(MARKS.flatMap(({ open, first }) => (first ? [] : [open])).join('|'), 'iu')

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
  if (!MAY_OPEN.test(line)) return undefined
  for (const { pattern, close, first: onlyFirst } of OPENINGS) {
    const match = onlyFirst && !first ? null : pattern.exec(line)
    if (match)
      return { before: (match[1] ?? '').length, length: match[0].length, close: closing(close(related(match[2]))) }
  }
  return undefined
}

/** No mark is without one of these. */
const MAY_OPEN = /[<[◁`]|^\s*(?:analysis|here)/i

/** The closing marks that may stand without an opening one, which some templates put into the prompt. */
export const LONE_CLOSING = new RegExp(
  `</${PREFIX}${WORD}\\s{0,3}>|\\[/(?:think(?:ing)?|reasoning)\\]|<\\|(?:/|end_(?:of_)?)${WORD}\\|>|<\\|${WORD}_end\\|>|◁/${WORD}▷|<unused95>|<channel\\|>|<\\|inner_suffix\\|>|assistantfinal`,
  'giu',
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
