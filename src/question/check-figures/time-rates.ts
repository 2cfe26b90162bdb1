/** Finds the factors that rates name: `a month` may be a twelfth of a year, `a second` of an hour. */

const PER = '(?:(?:per|an?|each|every|pro|par|por|al|im|je)[ \\u00a0-]|/ ?)'
const PERIODS: [words: string, adverbs: string, factors: number[]][] = [
  ['years?|annum|jahr|ans?|année|año|anno|jaar', 'yearly|annual(?:ly)?|jährlich|annuels?|anual', [12, 52, 365]],
  ['quarter|quartal', 'quarterly', [3, 4]],
  ['months?|mo|monat|mois|mes|maand|mese', 'monthly|monatlich\\p{L}*|mensuel\\p{L}*|mensual\\p{L}*', [12, 30]],
  ['weeks?|wk|woche|semaine|semana|settimana', 'weekly|wöchentlich', [52, 7]],
  ['day|tag|jour|día|giorno|dag', 'daily|täglich', [7, 24, 30, 31, 365]],
  ['hour|hr|h|stunde|heure|hora', 'hourly|stündlich', [24, 60, 168, 3600]],
  ['minute|min|minuto', '(?!)', [60, 1440]],
  ['second|sec|s|sekunde|seconde|segundo', 'rps|qps|tps', [60, 3600, 86_400, 604_800]],
  ['thousand|1,000|1000|tausend|mille|mil', '‰', [1000]],
  ['100,?000', '(?!)', [100_000]],
  ['million|mio', '(?!)', [1e6]],
  ['square foot|sq ft|ft²', '(?!)', [10.76391]],
]
const RATES = PERIODS.map(([words, adverbs, factors]): [RegExp, number[]] => [
  new RegExp(`(?:^|[^\\p{L}])${PER}(?:${words})(?!\\p{L})|(?<!\\p{L})(?:${adverbs})(?!\\p{L})`, 'iu'),
  factors,
])
const CENTS = /\b(?:cents?|pence|paise|centimes?|ct)\b/i

/** Returns the factors of the rates in the words after a figure. */
export function ratesIn(text: string): number[] {
  return [...RATES.flatMap(([words, factors]) => (words.test(text) ? factors : [])), ...(CENTS.test(text) ? [100] : [])]
}
