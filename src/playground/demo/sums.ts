/** Arithmetic and conversions in words, by the calculator. */
import { answered, unknown, type Plan, type Rule } from './plan.ts'

/** A number as it may stand in words of arithmetic; `it` is the result before. */
const N = '(\\(?-?\\d[\\d.]*\\)?|it)'

/** Words of arithmetic and what they mean, in the order in which they are replaced. */
const WORDS: [string, string][] = [
  ['[×·]|(?<=\\d) ?x ?(?=\\d)|\\b(?:times|multiplied by)\\b', '*'],
  ['[−–]|\\bminus\\b', '-'],
  ['(\\d),(?=\\d{3}\\b)', '$1'],
  [`${N}\\s*(?:%|per ?cent) of\\s*`, '$1/100*'],
  [`\\b(?:the )?cube root of ${N}`, '$1^(1/3)'],
  [`\\b(?:the )?(?:square )?root of ${N}`, 'sqrt($1)'],
  ['\\bsquared\\b', '^2'],
  ['\\bcubed\\b', '^3'],
  ['\\bhalved(?: again)?\\b', '/2'],
  ['\\bdoubled(?: again)?\\b', '*2'],
  ['\\b(?:raised )?to the (?:power (?:of )?)?(\\(?-?\\d[\\d.]*\\)?)(?:st|nd|rd|th)?(?: power)?', '^$1'],
  [`\\bdividing (.+) by ${N}`, '($1)/$2'],
  [`\\b(?:the )?half (?:of )?${N}`, '$1/2'],
  [`\\ba third of ${N}`, '$1/3'],
  [`\\ba quarter of ${N}`, '$1/4'],
  [`\\b(?:twice|double) ${N}`, '2*$1'],
  [`\\bthe sum of ${N} and ${N}`, '$1+$2'],
  ['\\bplus\\b', '+'],
  ['÷|\\b(?:divided by|over)\\b', '/'],
  ['\\s+', ' '],
  [' ?([-+*/^()]) ?', '$1'],
]
const NUMBER_WORDS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
/** What people say before a sum. */
const OPENING =
  /^(?:what(?:['’]s| is| are| was| would be)?|how much (?:is|are)|calculate|compute|work out|solve)?\s*(?:the (?:result|value) of )?/

/** The expression that a text means, with `it` for a result before it; nothing where the text is not all arithmetic. */
export function expressionOf(text: string): string | undefined {
  if (text.length > 300) return undefined
  const opened = text
    .toLowerCase()
    .replace(OPENING, '')
    .replace(/(?:[\s?.=]|(?<![\d)])!)+$/, '')
  const counted = opened.replace(/[a-z]+/g, (word) =>
    NUMBER_WORDS.includes(word) ? String(NUMBER_WORDS.indexOf(word)) : word,
  )
  const sum = WORDS.reduce((said, [words, symbols]) => said.replace(new RegExp(words, 'g'), symbols), counted).trim()
  const signs = sum.replace(/\b(?:sqrt|abs|exp|ln|log|sin|cos|tan|pi|e|it)\b/g, '')
  const isSum = /^[\d\s.+\-*/^()!%]*$/.test(signs) && /[-+*/^(!%]/.test(sum.slice(1)) && /\d|it|pi/.test(sum)
  return isSum && !/\d \d/.test(sum) ? sum : undefined
}

/** How a unit is written, how another is, its formula, and how the result is written. */
const UNITS: [RegExp, RegExp, string, string][] = [
  [/^(?:°\s*f|degrees? f\w*|fahrenheit)$/i, /^(?:°\s*c|degrees? c\w*|celsius|centigrade)$/i, '(x-32)*5/9', '°C'],
  [/^(?:°\s*c|degrees? c\w*|celsius|centigrade)$/i, /^(?:°\s*f|degrees? f\w*|fahrenheit)$/i, 'x*9/5+32', '°F'],
  [/^mi(?:les?)?$/i, /^k(?:m|ilomet\w+)$/i, 'x*1.609344', 'km'],
  [/^k(?:m|ilomet\w+)$/i, /^mi(?:les?)?$/i, 'x/1.609344', 'miles'],
  [/^(?:feet|foot|ft)$/i, /^m(?:et\w+)?$/i, 'x*0.3048', 'm'],
  [/^m(?:et\w+)?$/i, /^(?:feet|foot|ft)$/i, 'x/0.3048', 'ft'],
  [/^(?:pounds?|lbs?)$/i, /^k(?:g|ilo\w*)$/i, 'x*0.45359237', 'kg'],
  [/^k(?:g|ilo\w*)$/i, /^(?:pounds?|lbs?)$/i, 'x/0.45359237', 'lb'],
]

/** "54°F in celsius". */
export function conversionOf(text: string): { expression: string; unit: string } | undefined {
  const asked = /(-?\d[\d.,]{0,20}\d|-?\d)\s*([^\d?]{1,30}?)\s+(?:in|into|to|as)\s+([^\d?.!]{1,30})[?.!]*$/i
  const [, value = '', from = '', to = ''] = asked.exec(text.trim().slice(-200)) ?? []
  const [, , formula, unit] = UNITS.find(([one, other]) => one.test(from) && other.test(to)) ?? []
  return formula && unit ? { expression: formula.replace('x', value.replace(/,(?=\d{3})/g, '')), unit } : undefined
}

/** A sum, or a conversion: the formula is known, the result is the calculator’s. */
export const sums: Rule = ({ tools, question }) => {
  const conversion = conversionOf(question)
  const expression = conversion?.expression ?? expressionOf(question)
  const isReady = tools.includes('calculator') && expression !== undefined && !/\bit\b/.test(expression)
  return isReady ? reckon(expression, conversion?.unit) : undefined
}

/** Two digits of a conversion are enough to read. */
function* reckon(input: string, unit: string | undefined): Plan {
  const result = yield { thought: 'This is a sum: the calculator can do it.', tool: 'calculator', input }
  if (!isNumber(result)) return unknown(`The calculator says: ${result}`)
  return answered(
    unit
      ? `That is **${Number(Number(result).toFixed(2))} ${unit}** (${input} = ${result}).`
      : `${input} = **${result}**`,
  )
}

/** Whether the calculator gave a result; everything else that it says is a refusal. */
export function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text))
}
