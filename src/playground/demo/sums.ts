import { answered, type Move, type Plan, type Rule } from './plan.ts'

const NUMBER_WORDS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
/** A number as it may stand in words of arithmetic; `it` is the result before. */
const NUMBER = '(\\(?-?\\d[\\d.]*\\)?|it)'

/** Words of arithmetic and what they mean, in the order in which they are replaced. */
const WORDS: [RegExp, string][] = [
  [/[×·]/g, '*'],
  [/÷/g, '/'],
  [/[−–]/g, '-'],
  [/(\d),(?=\d{3}\b)/g, '$1'],
  [/\bpercent\b/g, '%'],
  [new RegExp(`${NUMBER}\\s*% of\\s*`, 'g'), '$1/100*'],
  [/\bthe (square|cube) root\b/g, '$1 root'],
  [new RegExp(`\\bsquare root of ${NUMBER}`, 'g'), 'sqrt($1)'],
  [new RegExp(`\\bcube root of ${NUMBER}`, 'g'), '$1^(1/3)'],
  [/\bsquared\b/g, '^2'],
  [/\bcubed\b/g, '^3'],
  [/\bhalved(?: again)?\b/g, '/2'],
  [/\bdoubled(?: again)?\b/g, '*2'],
  [
    new RegExp(`\\b(?:raised )?to the (?:power (?:of )?)?(\\(?-?\\d[\\d.]*\\)?)(?:st|nd|rd|th)?(?: power)?`, 'g'),
    '^$1',
  ],
  [new RegExp(`\\bdividing (.+) by ${NUMBER}`, 'g'), '($1)/$2'],
  [new RegExp(`\\bhalf (?:of )?${NUMBER}`, 'g'), '$1/2'],
  [new RegExp(`\\ba third of ${NUMBER}`, 'g'), '$1/3'],
  [new RegExp(`\\ba quarter of ${NUMBER}`, 'g'), '$1/4'],
  [new RegExp(`\\b(?:twice|double) ${NUMBER}`, 'g'), '2*$1'],
  [/\bplus\b/g, '+'],
  [/\bminus\b/g, '-'],
  [/\b(?:times|multiplied by)\b/g, '*'],
  [/\b(?:divided by|over)\b/g, '/'],
]

/** What people say before a sum. */
const OPENING =
  /^(?:(?:and|then|please|so|now)[,\s]+)*(?:(?:can|could) you (?:tell me |please )?)?(?:what(?:['’]s| is| are| was| would be)?|how much (?:is|are)|calculate|compute|work out|evaluate|tell me)?\s*(?:the (?:result|value|sum) of )?\s*/i

/** The expression that a text means, with `it` for a result before it; nothing where the text is not all arithmetic. */
export function expressionOf(text: string): string | undefined {
  let sum = text
    .toLowerCase()
    .replace(OPENING, '')
    .replace(/(?:[\s?.=]|(?<![\d)])!)+$/, '')
  NUMBER_WORDS.forEach((word, value) => (sum = sum.replaceAll(new RegExp(`\\b${word}\\b`, 'g'), String(value))))
  for (const [words, symbols] of WORDS) sum = sum.replace(words, symbols)
  sum = sum
    .replace(/\s+/g, ' ')
    .replace(/\s*([-+*/^()])\s*/g, '$1')
    .trim()
  const letters = sum.replace(/\b(?:sqrt|abs|exp|ln|log|sin|cos|tan|pi|e|it)\b/g, '')
  const isSum = /^[\d\s.+\-*/^()!%]*$/.test(letters) && /[-+*/^(!%]/.test(sum.slice(1)) && /\d|it|pi/.test(sum)
  return isSum && !/\d \d/.test(sum) ? sum : undefined
}

/** A unit's name and how a value in it becomes one in another. */
const CONVERSIONS: { from: RegExp; to: RegExp; formula: (x: string) => string; unit: string }[] = [
  {
    from: /°\s*f|degrees? f\w*|fahrenheit/i,
    to: /celsius|°\s*c|centigrade/i,
    formula: (x) => `(${x}-32)*5/9`,
    unit: '°C',
  },
  { from: /°\s*c|degrees? c\w*|celsius/i, to: /fahrenheit|°\s*f/i, formula: (x) => `${x}*9/5+32`, unit: '°F' },
  { from: /miles?|mi\b/i, to: /kilomet|km\b/i, formula: (x) => `${x}*1.609344`, unit: 'km' },
  { from: /kilomet\w+|km\b/i, to: /miles?/i, formula: (x) => `${x}/1.609344`, unit: 'miles' },
  { from: /feet|foot|ft\b/i, to: /met(?:re|er)s?|m\b/i, formula: (x) => `${x}*0.3048`, unit: 'm' },
  { from: /met(?:re|er)s?|m\b/i, to: /feet|ft\b/i, formula: (x) => `${x}/0.3048`, unit: 'ft' },
  { from: /pounds?|lbs?\b/i, to: /kilograms?|kg\b/i, formula: (x) => `${x}*0.45359237`, unit: 'kg' },
  { from: /kilograms?|kg\b/i, to: /pounds?|lbs?\b/i, formula: (x) => `${x}/0.45359237`, unit: 'lb' },
]

/** "54°F in celsius". */
export function conversionOf(text: string): { expression: string; unit: string } | undefined {
  const asked = /(-?\d[\d.,]*\d|-?\d)\s*([^\d?]{1,30}?)\s+(?:in|into|to|as)\s+([^\d?]{1,30})\??$/i.exec(text.trim())
  if (!asked) return undefined
  const [, value = '', from = '', to = ''] = asked
  const found = CONVERSIONS.find((one) => one.from.test(from) && one.to.test(to))
  return found && { expression: found.formula(value.replace(/,(?=\d{3})/g, '')), unit: found.unit }
}

/** Sums, one after the other: "29 to the power 0.23, and half of it". */
export const sums: Rule = (asked) => {
  if (!asked.tools.includes('calculator')) return undefined
  const conversion = conversionOf(asked.question)
  if (conversion) return convert(conversion)
  const parts = asked.question.split(/[,;.?]?\s+and(?: then)?\s+|\?\s+/).filter(Boolean)
  const expressions = parts.map(expressionOf)
  const known = expressions.filter((one) => one !== undefined)
  return known.length > 0 && known.length === parts.length && !/\bit\b/.test(known[0] ?? '') ? reckon(known) : undefined
}

/** One call of the calculator; a refusal is given back as it is. */
export function* calculate(expression: string, why: string): Generator<Move, string, string> {
  return yield { thought: why, tool: 'calculator', input: expression }
}

/** Whether the calculator gave a result; everything else that it says is a refusal. */
export function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text))
}

/** Each sum may use the one before it. All results are the calculator’s; the answer lists them. */
function* reckon(expressions: string[]): Plan {
  const lines: string[] = []
  let last = ''
  for (const expression of expressions) {
    const sum = expression.replace(/\bit\b/g, last)
    last = yield* calculate(
      sum,
      lines.length === 0 ? 'This is a sum: the calculator can do it.' : 'Now the next sum, with that result.',
    )
    if (!isNumber(last)) return answered(`The calculator says: ${last}`, 'The calculator could not do it.')
    lines.push(`${sum} = **${last}**`)
  }
  return answered(lines.join('\n\n'))
}

/** The formula is known, the result is the calculator’s; two digits are enough to read. */
function* convert({ expression, unit }: { expression: string; unit: string }): Plan {
  const result = yield* calculate(
    expression,
    'This is a conversion: I know its formula, and the calculator does the sum.',
  )
  if (!isNumber(result)) return answered(`The calculator says: ${result}`, 'The calculator could not do it.')
  const short = Number(Number(result).toFixed(2))
  return answered(`That is **${short} ${unit}** (${expression} = ${result}).`)
}
