/** Collects the texts that a run has read, each with a name for its source. */
import type { Step, ToolStep } from '../../agent/contracts/run-events.ts'
import type { MessageTable, Source } from '../../agent/contracts/evidence.ts'
import type { Turn } from '../../stores/history/types.ts'
import { inputText } from '../../agent/tool-input.ts'
import { withoutEcho } from './strip-repeated-input.ts'
import type { ReadText } from './read-text.ts'

interface RunTexts {
  question: string
  steps: readonly Step[]
  /** The sources of the answer, in the order of their numbers. */
  sources: readonly Source[]
  /** The messages of the thread, and the tables in them. */
  said?: string
  tables?: readonly MessageTable[]
  turns?: readonly Turn[]
  /** The part of the files that is in the first prompt. */
  filesText?: string
  /** The remembered texts, a line for each. */
  remembered?: string
}

export const REMEMBERED = 'remembered thing'
/** An answer shows at most this many sources. */
const NUMBERED = 5

/**
 * Returns the texts that a run has read. @returns undefined if it read nothing but the question and its own earlier
 * answers
 */
export function readTexts({
  question,
  steps,
  sources,
  said = '',
  tables = [],
  turns = [],
  filesText = '',
  remembered = '',
}: RunTexts): ReadText[] | undefined {
  const fromSteps = steps.flatMap((step, i) => (step.kind === 'tool' ? stepTexts(step, i + 1, sources) : []))
  const thread = [...turns.map((turn) => turn.said ?? ''), said].filter((text) => text !== '').join('\n')
  const openings = filesText === '' ? [] : pagesIn(filesText, 'the files')
  const queried = steps.flatMap((step) => (step.kind === 'tool' ? queriedFiles(step) : []))
  const files = openings.map((one) => ({
    ...one,
    isOpening: true as const,
    ...(queried.some((title) => title.startsWith(`${fileOf(one.place)}, `)) && { isQueried: true as const }),
  }))
  const earlier = turns.flatMap((turn) => turn.tables ?? []).map((one) => ({ ...one, name: `${one.name} from before` }))
  const rows = [...tables, ...earlier].flatMap(rowTexts)
  if (fromSteps.length === 0 && thread === '' && rows.length === 0 && files.length === 0 && remembered === '')
    return undefined
  const lines = remembered.split('\n').filter((line) => line !== '')
  const added = steps.flatMap((step) => (step.kind === 'message' ? [step.text] : []))
  return [
    { place: 'the question', text: [question, ...added].join('\n') },
    ...(turns.length > 0 ? [{ place: 'earlier in this conversation', text: turns.map(turnText).join('\n') }] : []),
    ...rows,
    ...(thread === '' ? [] : [{ place: 'the thread', text: thread }]),
    ...files,
    ...lines.map((text, i) => ({ place: `${REMEMBERED} ${i + 1}`, text })),
    ...fromSteps,
  ]
}

function turnText({ question, answer }: Turn): string {
  return `${question}\n${answer}`
}

/** The rows of a table, each with a place of its own; then all of it, for the units and totals of its columns. */
function rowTexts({ name, columns, rows }: MessageTable): ReadText[] {
  const lines = rows.map((row) => row.join(' | '))
  const places = rows.map(([label = ''], i) => {
    const about = label === '' || label.length > LABEL_CHARS ? '' : ` (${label})`
    return `${name}, row ${i + 1}${about}`
  })
  const whole = { place: name, text: [columns.join(' | '), ...lines].join('\n') }
  return [...lines.map((text, i) => ({ place: places[i] ?? name, text })), whole]
}

const LABEL_CHARS = 60

/** The loop's own texts are not sources. The input of a write is one, because it took effect. */
function stepTexts({ action, observation, begun }: ToolStep, n: number, sources: readonly Source[]): ReadText[] {
  if (!observation || observation.hint) return []
  const numbers = (observation.sources ?? []).map(({ url }) => sources.findIndex((source) => source.url === url) + 1)
  const cited = [...new Set(numbers)]
    .filter((number) => number > 0 && number <= NUMBERED)
    .map((number) => `[${number}]`)
  const place = [`step ${n}`, ...(cited.length > 0 ? [cited.join('')] : [])].join(' ')
  const input = observation.ok ? inputText(action.input) : ''
  const named = [...(observation.sources ?? []).flatMap(({ title, url }) => [title, url]), observation.file?.name ?? '']
  const names = [...named, ...(begun === undefined ? namesIn(input) : [input])].filter((name) => name !== '')
  const isOfFile = /^(?:read|search)_file$/.test(action.tool)
  const cells = action.tool === 'query_table' ? cellTexts(observation.text, place) : []
  const read = isOfFile ? pagesIn(observation.text, place) : [...cells, { place, text: observation.text }]
  const texts = begun === undefined ? withoutEcho(read, action.input) : read
  return names.length === 0 ? texts : [...texts, { place, text: names.join('\n') }]
}

/** The titles of the tables that a query has counted: `sales.csv, query: …`. */
function queriedFiles({ action, observation }: ToolStep): string[] {
  return action.tool === 'query_table' ? (observation?.sources ?? []).map(({ title }) => title) : []
}

/** `book.xlsx` of `book.xlsx, sheet "Sales", A1:C20`. */
const fileOf = (place: string) => place.replace(/, (?:pages?|slides?|sheet|lines?|rows?) .*$/, '')

/** The cells and the columns of a query's result: below the line that counts the rows, and the names of the columns. */
function cellTexts(text: string, place: string): ReadText[] {
  const [count = '', head = '', ...lines] = text.split('\n')
  if (!/rows?:$/.test(count)) return []
  const columns = head.split(' | ')
  const end = lines.indexOf('')
  const rows = lines.slice(0, end < 0 ? lines.length : end).map((line) => line.split(' | '))
  if (rows.some((cells) => cells.length !== columns.length)) return []
  const cells = rows.flatMap((row, i) => {
    const [label = ''] = row
    const about = row.length > 1 && label !== '' && label.length <= LABEL_CHARS ? ` (${label})` : ''
    return row.map((cell, at) => ({ place: `${place}, row ${i + 1}${about}, ${columns[at]}`, text: cell }))
  })
  const wholes = columns.map((name, at) => ({
    place: `${place}, ${name}`,
    text: rows.map((row) => row[at] ?? '').join('\n'),
  }))
  return [...cells, ...wholes].map((one) => ({ ...one, isCell: true as const }))
}

/** The addresses and file names in the input of a call that found something there. */
function namesIn(input: string): string[] {
  return input
    .slice(0, 10_000)
    .split(/[\s"'`<>{}[\]()\\,]+/)
    .filter((name) => /\p{L}.*[.@]|[.@].*\p{L}/u.test(name))
}

const FILE_HEAD =
  /^(?:File )?(.{1,200}?)(?:, ((?:pages?|slides?|sheet|lines?|rows?) [^\n]{1,200}):|, (?:not )?all of it: .*)$/
const PAGE_HEAD = /^\[((?:page|slide) \d{1,6})\]$/

/** Splits the text of files at their pages. `[page 3]` is above a page, `handbook.pdf, pages 3-5:` above a part. */
function pagesIn(text: string, place: string): ReadText[] {
  const texts: { place: string; lines: string[] }[] = [{ place, lines: [] }]
  let file: string | undefined
  for (const line of text.split('\n')) {
    const head = line.length < 500 ? FILE_HEAD.exec(line) : null
    const page = file === undefined ? undefined : PAGE_HEAD.exec(line)?.[1]
    if (head?.[1] !== undefined) file = head[1]
    if (head || page !== undefined) texts.push({ place: placeOf([file, page ?? head?.[2]], place), lines: [] })
    texts.at(-1)?.lines.push(page === undefined ? line : '')
  }
  return texts.map(({ place: at, lines }) => ({ place: at, text: lines.join('\n') })).filter((one) => one.text !== '')
}

function placeOf(parts: (string | undefined)[], place: string): string {
  const name = parts.filter((part) => part !== undefined).join(', ')
  return /^step/.test(place) ? `${name} (${place})` : name
}
