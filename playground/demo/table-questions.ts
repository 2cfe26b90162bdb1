/** Answers questions about tables with query_table: it reads which columns there are, and writes one SELECT. */
import { simply } from './english.ts'
import type { ReadPrompt } from './read-prompt.ts'
import type { DemoPlan } from './recordings.ts'

interface DemoTable {
  name: string
  numbers: string[]
  texts: string[]
  dates: string[]
}

/** A query, and the answer from its rows. */
interface DemoQuery {
  sql: string
  thought: string
  chart?: 'line' | 'bar' | 'pie'
  answer(rows: string[][]): string
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** Returns a plan if the question may be about a table. `otherwise` answers if no table has its columns. */
export function tablePlan(
  { question, tools }: Pick<ReadPrompt, 'question' | 'tools'>,
  otherwise: () => DemoPlan | undefined,
): DemoPlan | undefined {
  const asked = simply(question)
  if (!tools?.includes('query_table') || !FORMS.some(([form]) => form.test(asked))) return undefined
  return ask(asked, otherwise())
}

function* ask(question: string, other: DemoPlan | undefined): DemoPlan {
  const thought = 'The answer is in a table. I look at its columns first.'
  const described = yield { tool: 'query_table', input: '{}', thought }
  const query = tablesIn(described)
    .toReversed()
    .map((table) => queryFor(question, table))
    .find((one) => one !== undefined)
  if (!query) return other ? yield* other : { answer: 'The table has no column for that.', isUnknown: true }
  const { sql, chart } = query
  const seen = yield {
    tool: 'query_table',
    input: JSON.stringify({ sql, ...(chart && { chart }) }),
    thought: query.thought,
  }
  const rows = rowsIn(seen)
  if (rows.length === 0) return { answer: `The table says: ${seen.split('\n')[0] ?? ''}`, isUnknown: true }
  return { answer: query.answer(rows), isUnknown: false }
}

function tablesIn(described: string): DemoTable[] {
  return described.split(/\n\n(?=Table )/).flatMap((part) => {
    const name = /^Table "((?:[^"]|"")+)", [\d,]+ rows?:/.exec(part)?.[1]
    if (name === undefined) return []
    const columns = [...part.matchAll(/^- "((?:[^"]|"")+)" (text|whole numbers|numbers|dates)/gm)]
    const of = (kind: RegExp) => columns.flatMap(([, column = '', type = '']) => (kind.test(type) ? [column] : []))
    return [{ name, numbers: of(/numbers/), texts: of(/^text/), dates: of(/dates/) }]
  })
}

function rowsIn(seen: string): string[][] {
  const [count = '', , ...lines] = seen.split('\n')
  const end = lines.indexOf('')
  return /rows?:$/.test(count) ? lines.slice(0, end < 0 ? undefined : end).map((line) => line.split(' | ')) : []
}

/** The column that a word of a question names, whatever its number: `regions` is `Region`. */
function columnNamed(columns: readonly string[], words = ''): string | undefined {
  const stem = (word: string) => word.toLowerCase().replace(/(?:es|s)$/, '')
  const wanted = words.split(/\s+/).map(stem)
  return columns.find((column) => column.split(/\s+/).some((word) => wanted.includes(stem(word))))
}

type Groups = Record<string, string | undefined>
type QuestionForm = [form: RegExp, query: (found: Groups, table: DemoTable) => DemoQuery | undefined]

const FORMS: QuestionForm[] = [
  [
    /^which (?<group>\w+) (?:had|has|made|sold|brought(?: in)?) the (?<order>most|highest|least|lowest|fewest)(?: (?<value>\w+))?/i,
    ({ group, order = '', value }, { name, numbers, texts }) => {
      const [by, of] = [columnNamed(texts, group), columnNamed(numbers, value)]
      if (!by || !of) return undefined
      const isLeast = /least|lowest|fewest/i.test(order)
      const direction = isLeast ? 'ASC' : 'DESC'
      return {
        sql: `SELECT ${quoted(by)}, sum(${quoted(of)}) AS total FROM ${quoted(name)} GROUP BY ${quoted(by)} ORDER BY total ${direction}, ${quoted(by)}`,
        thought: `I add up ${of} for each ${by}, and order the sums.`,
        chart: 'bar',
        answer: ([[best = '', total = ''] = [], [next = '', second = ''] = []]) =>
          `**${best}**, with ${total}${next ? `, ${isLeast ? 'before' : 'ahead of'} ${next} with ${second}` : ''}.`,
      }
    },
  ],
  [
    /\b(?:show|draw|chart|plot|compare)\b.*?\b(?<value>\w+) (?:by|per|for each|of each) (?<first>\w+)(?: and (?<second>\w+))?/i,
    ({ value, first = '', second }, { name, numbers, texts, dates }) => {
      const of = columnNamed(numbers, value)
      const [day] = dates
      const isMonth = /^months?$/i.test(first)
      const by = isMonth ? day && `substr(${quoted(day)}, 1, 7)` : quotedOr(columnNamed(texts, first))
      const group = quotedOr(columnNamed(texts, second))
      if (!of || !by) return undefined
      const where = isMonth && day ? ` WHERE ${quoted(day)} IS NOT NULL` : ''
      const groups = group ? `1, ${group}` : '1'
      return {
        sql: `SELECT ${by} AS ${isMonth ? 'month' : quoted(first)}, ${group ? `${group}, ` : ''}sum(${quoted(of)}) AS ${quoted(of)} FROM ${quoted(name)}${where} GROUP BY ${groups} ORDER BY ${groups}`,
        thought: `I add up ${of} by ${[first, second].filter(Boolean).join(' and ')}, and draw it.`,
        chart: isMonth ? 'line' : 'bar',
        answer: (rows) => {
          const most = rows.reduce((one, row) => (Number(row.at(-1)) > Number(one.at(-1)) ? row : one))
          return `Here is the chart. The highest value is **${most.at(-1) ?? ''}** (${most.slice(0, -1).join(', ')}).`
        },
      }
    },
  ],
  [
    /^(?:what did we sell|how much did we sell|what (?:was|were|is|are) (?:the |our )?(?:total )?(?:revenue|sales)) in (?<month>[a-z]+)/i,
    ({ month = '' }, { name, numbers, dates }) => {
      const number = MONTHS.findIndex((one) => one.toLowerCase() === month.toLowerCase()) + 1
      const [day] = dates
      const of = columnNamed(numbers, 'revenue sales amount')
      if (!day || !of || number === 0) return undefined
      return {
        sql: `SELECT sum(${quoted(of)}) AS total, count(*) AS orders FROM ${quoted(name)} WHERE strftime('%m', ${quoted(day)}) = '${String(number).padStart(2, '0')}'`,
        thought: `I add up ${of} of the days in ${MONTHS[number - 1] ?? ''}.`,
        answer: ([[total = '', orders = ''] = []]) =>
          `In ${MONTHS[number - 1] ?? ''} it was **${total}**, from ${orders} orders.`,
      }
    },
  ],
  [
    /^what (?:is|was) the average (?<value>\w+)(?: (?:of|in|by|per|for)(?: (?:an?|the|each))? (?<group>\w+))?/i,
    ({ value, group }, { name, numbers, texts }) => {
      const [of, by] = [columnNamed(numbers, value), columnNamed(texts, group)]
      if (!of) return undefined
      const mean = `round(avg(${quoted(of)}), 2)`
      return {
        sql: by
          ? `SELECT ${quoted(by)}, ${mean} AS average FROM ${quoted(name)} GROUP BY ${quoted(by)} ORDER BY average DESC, ${quoted(by)}`
          : `SELECT ${mean} AS average FROM ${quoted(name)}`,
        thought: `I calculate the mean of ${of}.`,
        answer: (rows) =>
          by
            ? `The average ${of}:\n\n${rows.map((row) => `- ${row.join(': ')}`).join('\n')}`
            : `The average ${of} is **${rows[0]?.[0] ?? ''}**.`,
      }
    },
  ],
  [
    /^how many (?<what>\w+) have no (?<column>\w+)/i,
    ({ what = '', column }, { name, numbers, texts, dates }) => {
      const of = columnNamed([...dates, ...texts, ...numbers], column)
      if (!of) return undefined
      return {
        sql: `SELECT count(*) AS missing FROM ${quoted(name)} WHERE ${quoted(of)} IS NULL`,
        thought: `I count the rows without ${of}.`,
        answer: ([[count = ''] = []]) => `**${count}** ${what} have no ${of}.`,
      }
    },
  ],
  [
    /^(?:add|sum|total)(?: (?:up|this|these|that|all|the|numbers?|column|of|in))* (?<column>[^?]{1,60}?)[?.]?$/i,
    ({ column }, { name, numbers }) => {
      const of = columnNamed(numbers, column)
      if (!of) return undefined
      return {
        sql: `SELECT sum(${quoted(of)}) AS total FROM ${quoted(name)}`,
        thought: `I add up the column “${of}” of the table.`,
        answer: ([[total = ''] = []]) => `The column “${of}” adds up to **${total}**.`,
      }
    },
  ],
]

const quotedOr = (name: string | undefined) => name && quoted(name)

function queryFor(question: string, table: DemoTable): DemoQuery | undefined {
  for (const [form, query] of FORMS) {
    const found = form.exec(question)?.groups
    const made = found && query(found, table)
    if (made) return made
  }
  return undefined
}
