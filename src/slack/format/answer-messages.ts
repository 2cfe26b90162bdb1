/**
 * Builds the messages of an answer (why it ended early, text, tables, charts, sources, footer) and splits what is too
 * long. The messages of a live stream: display/stream-message.ts.
 */
import type { Tokens } from 'marked'
import { cutText } from '../../base/cut-text.ts'
import {
  buttons,
  clipSection,
  context,
  section,
  type AnswerView,
  type Content,
  type Forms,
  type ShownBlock,
} from './blocks.ts'
import { understoodLine } from './step-message.ts'
import { parseMarkdown } from './bounded-lexer.ts'
import { chartBlock, CHARTS_A_MESSAGE, chartText } from './chart-block.ts'
import { escapeText, shorten, unescapeText } from './escape.ts'
import { MAY_HAVE_FORMULA, withReadableFormulas } from './latex.ts'
import { linkPolicy, renderLink, type LinkPolicy } from './links.ts'
import { cellParts, code, fence, monospaceTable, toMrkdwn, type RenderLink, type TextPiece } from './markdown.ts'
import { BEST_ANSWER, STOPPED } from './messages.ts'
import { plainContext, plainLines } from './plain-elements.ts'
import { packPieces, SECTION_CHARS } from './split-text.ts'
import { TABLE_CHARS, tableForms, type TableForms } from './table-blocks.ts'

/** Slack's limits (https://docs.slack.dev/reference/block-kit/blocks), with a margin. */
const MESSAGES_AN_ANSWER = 5
/** Characters in all blocks of a message, and how many of them the body of the answer may use at most. */
const MESSAGE_CHARS = 12_800
const BODY_CHARS = 4 * SECTION_CHARS
/** Characters reserved below the answer besides its footer, for the line about a cut and the buttons. */
const BELOW_CHARS = 300
/** Only this much of an answer's Markdown is parsed: a little more than fits into its messages. */
const ANSWER_CHARS = 60_000

/** Builds the final answer: one message, or several if it is too long. The last one has the footer and the buttons. */
export function answerContents(view: AnswerView): Content[] {
  const link = linkWriter(view)
  const head = view.understood ? [understoodLine(view.understood)] : []
  if (view.stopped) head.push(`_${STOPPED[view.stopped]}${view.gaveUp ? '' : ` ${BEST_ANSWER}`}_`)
  if (view.againBy) head.push(`_Asked again by ${escapeText(view.againBy)}_`)
  const footer = footerLines(view, link)
  const charts = chartsOf(view)
  const around = [...head, view.warning ?? '', ...plainLines(view.done), ...footer].reduce(
    (sum, line) => sum + line.length,
    BELOW_CHARS,
  )
  const max = Math.min(BODY_CHARS, MESSAGE_CHARS - around - charts.reduce((sum, { chars }) => sum + chars, 0))
  const messages = inMessages(unitsOf(view.text, link, max), max)
  const rest = messages.slice(MESSAGES_AN_ANSWER).flatMap((units) => units.flatMap(({ texts }) => texts))
  const shown = messages.slice(0, MESSAGES_AN_ANSWER)
  return shown.map((units, i) => {
    const parts = { head: i === 0 ? head : [], units }
    return i < shown.length - 1 ? contentOf(parts) : lastContent(parts, view, footer, charts, rest)
  })
}

/** Renders the links of one answer. The link policy is computed at the first link. */
function linkWriter(view: AnswerView): RenderLink {
  let policy: LinkPolicy | undefined
  return (link) => renderLink(link, (policy ??= linkPolicy(view)))
}

/** The smallest unit of a message: a section's text, or a table. A table's `texts` are its simplest form. */
interface MessageUnit {
  texts: string[]
  table?: TableForms
}

function unitsOf(markdown: string, link: RenderLink, max: number): MessageUnit[] {
  const read = readPart(markdown)
  const pieces = toMrkdwn(parseMarkdown(MAY_HAVE_FORMULA.test(read) ? withReadableFormulas(read) : read), link)
  const units: MessageUnit[] = []
  let run: TextPiece[] = []
  const endRun = () => {
    for (const text of packPieces(run)) units.push({ texts: [text] })
    run = []
  }
  for (const piece of pieces) {
    const unit = piece.kind === 'table' ? tableUnit(piece.table, link, max) : undefined
    if (unit) endRun()
    if (unit) units.push(unit)
    else run.push(piece.kind === 'table' ? code(monospaceTable(piece.table)) : piece)
  }
  endRun()
  return units.length > 0 ? units : [{ texts: ['(The answer is empty.)'] }]
}

/** Returns the part of an answer that is parsed. It ends at the end of a paragraph, a line or a word. */
function readPart(markdown: string): string {
  if (markdown.length <= ANSWER_CHARS) return markdown
  const head = cutText(markdown, ANSWER_CHARS)
  const end = ['\n\n', '\n', ' '].map((place) => head.lastIndexOf(place)).find((at) => at > 0.9 * ANSWER_CHARS)
  return head.slice(0, end)
}

/** A table as its own block; undefined if Slack would refuse it or its simplest form does not fit into a message. */
function tableUnit(table: Tokens.Table, link: RenderLink, max: number): MessageUnit | undefined {
  const rows = [table.header, ...table.rows].slice(0, MAX_ROWS)
  const forms = tableForms(
    rows.map((row) => row.map((cell) => cellParts(cell.tokens, link))),
    table.align,
  )
  if (!forms) return undefined
  const aligned = packPieces([code(monospaceTable(table))])
  const texts = lengthOf(aligned) <= max ? aligned : packPieces([code(monospaceTable(table, 0))])
  return lengthOf(texts) <= max ? { texts, table: forms } : undefined
}

/** More than any block accepts. */
const MAX_ROWS = 200

/** Packs the units, in order, into as few messages as possible. The tables of a message have their own limit. */
function inMessages(units: MessageUnit[], max: number): MessageUnit[][] {
  const messages: MessageUnit[][] = []
  let [chars, tableChars] = [Infinity, 0]
  for (const unit of units) {
    const own = unit.table?.chars ?? 0
    const weight = Math.max(lengthOf(unit.texts), own)
    if (chars + weight > max || tableChars + own > TABLE_CHARS) {
      messages.push([])
      chars = tableChars = 0
    }
    messages.at(-1)?.push(unit)
    chars += weight
    tableChars += own
  }
  return messages
}

function lengthOf(texts: string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0)
}

function contentOf({ head, units, tail = [] }: { head: string[]; units: MessageUnit[]; tail?: Forms[] }): Content {
  const firstTable = units.find(({ table }) => table)?.table
  const all = [
    ...(head.length > 0 ? [[context(head)] satisfies Forms] : []),
    ...units.flatMap((unit) => unitForms(unit, firstTable)),
    ...tail,
  ]
  const simpler = new Map<ShownBlock, ShownBlock[]>()
  for (const [best, ...forms] of all) {
    let block: ShownBlock | undefined = best
    for (const form of forms) {
      if (block) simpler.set(block, form)
      block = form[0]
    }
  }
  return {
    text: clipSection([...head, ...units.flatMap(({ texts }) => texts)].join('\n\n')),
    blocks: all.map(([block]) => block),
    ...(simpler.size > 0 ? { simpler } : {}),
  }
}

/** A message may contain only one block of type `table`, so only its first table falls back to that. */
function unitForms({ texts, table }: MessageUnit, firstTable: TableForms | undefined): Forms[] {
  const sections = texts.map(section)
  if (!table) return sections.map((block) => [block])
  return [table === firstTable ? [table.dataTable, [table.table], sections] : [table.dataTable, sections]]
}

/** `rest`: the mrkdwn texts that did not fit. */
function lastContent(
  parts: { head: string[]; units: MessageUnit[] },
  view: AnswerView,
  footer: string[],
  charts: DrawnChart[],
  rest: string[],
): Content {
  const { questionId = '', text } = view
  const unread = text.slice(readPart(text).length)
  const more = lengthOf(rest) + unread.length
  const warning: Forms[] = view.warning ? [[context([escapeText(view.warning)])]] : []
  const done = plainLines(view.done).map((text): Forms => [plainContext(text)])
  const last: Forms[] = footer.length > 0 ? [[context(footer)]] : []
  const below: Forms[] = [...warning, ...done, ...last, ...buttons(questionId)]
  const contentWith = (lines: string[]) => {
    const tail = [...charts.map(({ forms }) => forms), ...lines.map((line): Forms => [context([line])]), ...below]
    return withChartTexts(contentOf({ ...parts, tail }), charts)
  }
  if (more === 0) return contentWith([])
  const about = `About ${more.toLocaleString('en-US')} more characters are`
  const without = contentWith([`✂️ _This answer is too long for Slack. ${about} not shown._`])
  if (questionId === '') return without
  const file = restFile({ rest, unread, questionId })
  return {
    ...contentWith([`✂️ _This answer is too long for messages. ${about} in the file below._`]),
    file: { ...file, without },
  }
}

/** Clients that draw no charts, notifications and screen readers have the text alone. */
function withChartTexts(content: Content, charts: readonly DrawnChart[]): Content {
  const texts = charts.map(({ text }) => fence(text))
  return charts.length === 0 ? content : { ...content, text: clipSection([content.text, ...texts].join('\n\n')) }
}

/** Slack accepts snippets of up to a megabyte; a character may take four bytes. */
const FILE_CHARS = 200_000

/** Builds the file with the rest of an answer: the remaining mrkdwn as plain text, then the unparsed Markdown. */
function restFile({ rest, unread, questionId }: { rest: string[]; unread: string; questionId: string }) {
  const text = [...rest.map(plainOf), ...(unread === '' ? [] : [unread.trimStart()])].join('\n\n')
  // The file is found again by its name after a crash, so the name contains the question's id.
  const name = `answer-${questionId.replace(/[^\w.-]+/g, '-').slice(-80)}.txt`
  return { name, title: 'The rest of the answer', text: cutText(text, FILE_CHARS) }
}

/** Converts mrkdwn to plain text. A link becomes its label and its address. */
function plainOf(mrkdwn: string): string {
  return unescapeText(
    mrkdwn.replace(/<(https?:[^<>|]{1,3000})(?:\|([^<>]{0,700}))?>/g, (_, url: string, label?: string) =>
      label === undefined ? url : `${label} (${url})`,
    ),
  )
}

type DrawnChart = ReturnType<typeof chartsOf>[number]

/** The last charts, each also as text: a chart may become text, so it needs that much room. */
function chartsOf({ series = [] }: AnswerView) {
  const blocks = series.flatMap((one) => chartBlock(one) ?? []).slice(-CHARTS_A_MESSAGE)
  return blocks.map((block) => {
    const words = chartText(block)
    const piece = code(words)
    const forms: Forms = [block, packPieces([piece]).map(section)]
    return { forms, text: piece.text, chars: Math.max(LEAST_CHART_CHARS, words.length + 100) }
  })
}

const LEAST_CHART_CHARS = 1000

/** Only these are numbered. */
export const SOURCES_SHOWN = 5

function footerLines(view: AnswerView, link: RenderLink): string[] {
  const links = view.sources
    .slice(0, SOURCES_SHOWN)
    .map((source, i) => `[${i + 1}] ${link({ label: shorten(source.title, 80), href: source.url })}`)
  while (links.join(' · ').length > SECTION_CHARS - 'Sources: '.length) links.pop()
  const sources = links.length > 0 ? `Sources: ${links.join(' · ')}` : ''
  return [sources, escapeText(view.footer)].filter((line) => line !== '')
}
