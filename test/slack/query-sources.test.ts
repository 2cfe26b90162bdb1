/** What counts as a table besides csv files and sheets: tables in documents and pages, and results of the run. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { listen } from '../../playground/base/loopback-server.ts'
import { startBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { docxOf, pdfOf, pptxOf, zipOf } from '../harness/file-corpus.ts'
import { act, finish } from '../harness/played-model.ts'
import { textFile } from '../harness/said-files.ts'

const ORDERS = Array.from({ length: 900 }, (_, i) => ({
  id: `O${i}`,
  paid: { eur: i / 4 },
  city: i % 2 ? 'Ulm' : 'Köln',
}))
const TOOLS = `const rows = ${JSON.stringify(ORDERS)}
const table = '| City | Heads |\\n|---|---|\\n| Ulm | 1.200 |\\n| Köln | 34 |'
export default [
  { name: 'orders', description: 'Lists orders.', run: () => rows },
  { name: 'census', description: 'Counts heads.', run: () => 'The census:\\n' + table },
]`

const ends = fileEnds()
const PAGE = `<html><title>Ports</title><body><h1>Ports</h1><p>${'The ports of the coast, and what they load. '.repeat(20)}</p>
<table><caption>Ships</caption><tr><th>Port</th><th>Ships <sup>[1]</sup></th></tr>
${Array.from({ length: 40 }, (_, i) => `<tr><td><a href="/p${i}">Port ${i}</a></td><td>${i ? `${i},000` : 0}</td></tr>`).join('')}</table></body></html>`

async function folder(): Promise<string> {
  await mkdir(tmpdir(), { recursive: true })
  const dir = await mkdtemp(join(tmpdir(), 'table-tools-'))
  ends.onTestFinished(() => rm(dir, { recursive: true, force: true }))
  await writeFile(join(dir, 'rows.js'), TOOLS)
  return dir
}

const site = await listen((_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE))
ends.onTestFinished(site.close)
const bot = await startBot(ends, {
  env: { CUSTOM_TOOLS_DIR: await folder(), READ_INTERNAL_HOSTS: new URL(site.base).host },
})
const { model } = bot
const query = (sql?: string) => act('I query it.', 'query_table', JSON.stringify({ ...(sql && { sql }) }))
const promptOf = (key: string, n = -1) => model.about(key).at(n)?.prompt ?? ''

test('JSON rows that a tool returned are a table, whole, though the model reads a part of them', async () => {
  model.on(
    'what did Ulm pay',
    act('I list them.', 'orders', ''),
    query('SELECT city, sum("paid.eur") AS eur FROM result_1 GROUP BY city ORDER BY city'),
    finish('Ulm paid 50,625 EUR.'),
  )
  await (await bot.mention('what did Ulm pay?')).ended()
  expect(promptOf('what did Ulm pay', 0)).not.toContain('query_table')
  expect(promptOf('what did Ulm pay', 1)).toMatch(/query_table: Runs one SQL/)
  expect(promptOf('what did Ulm pay', 1)).toMatch(/query this as the table result_1: 900 rows of id, paid\.eur, city/)
  expect(promptOf('what did Ulm pay')).toContain('Köln | 50512.5\nUlm | 50625')
})

test('an earlier result of SQL, and a Markdown table, are tables too', async () => {
  model.on(
    'how many heads in all',
    act('I count them.', 'census', ''),
    query('SELECT City, Heads * 2 AS twice FROM result_1 ORDER BY City'),
    query('SELECT sum(twice) AS heads FROM result_2'),
    finish('2,468.'),
  )
  await (await bot.mention('how many heads in all?')).ended()
  expect(promptOf('how many heads in all', 1)).toContain('the table result_1: 2 rows of City, Heads')
  expect(promptOf('how many heads in all')).toContain('1 row:\nheads\n2468')
})

test('a table of a page is a table, and the page is its source', async () => {
  const url = `${site.base}/ports`
  model.on(
    'how many ships',
    act('I read it.', 'read_page', JSON.stringify({ url })),
    query(),
    query('SELECT sum("Ships") AS ships FROM result_1'),
    finish('780,000 ships.'),
  )
  const thread = await bot.mention(`how many ships, says ${url}?`)
  const shown = await thread.ended()
  expect(promptOf('how many ships', 1)).toContain('the table result_1 (Ports, table "Ships"): 40 rows of Port, Ships')
  expect(promptOf('how many ships', 2)).toContain(
    'Table "result_1", 40 rows:\n- "Port" text\n- "Ships" whole numbers\nFirst rows:\nPort 0 | 0',
  )
  expect(promptOf('how many ships')).toContain('780000')
  expect(shown).toContain('Ports, query: SELECT sum("Ships")')
})

const cellOf = (text: string) => `<w:tc><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:tc>`
const rowOf = (...cells: string[]) => `<w:tr>${cells.map(cellOf).join('')}</w:tr>`
const DOCX = docxOf(
  `<w:p><w:r><w:t>Costs of the year</w:t></w:r></w:p><w:tbl>${rowOf('Item', 'Cost')}${rowOf('Rope', '1.200,50 €')}${rowOf('Sail', '300,00 €')}</w:tbl>`,
)
const shape = (text: string) => `<a:tc><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`
const PPTX = pptxOf([
  `<p:graphicFrame><a:tbl><a:tr>${shape('Item')}${shape('Cost')}</a:tr><a:tr>${shape('Rope')}${shape('1200.5')}</a:tr><a:tr>${shape('Sail')}${shape('300')}</a:tr></a:tbl></p:graphicFrame>`,
])
const odtCell = (text: string) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`
const ODT = zipOf({
  mimetype: 'application/vnd.oasis.opendocument.text',
  'content.xml': `<office:document-content><office:body><office:text><text:p>Costs</text:p><table:table>${[
    ['Item', 'Cost'],
    ['Rope', '1200.5'],
    ['Sail', '300'],
  ]
    .map((row) => `<table:table-row>${row.map(odtCell).join('')}</table:table-row>`)
    .join('')}</table:table></office:text></office:body></office:document-content>`,
})
const HTML =
  '<table><tr><td><table><tr><th>Item</th><th>Cost</th></tr><tr><td>Rope</td><td>1200.5</td></tr><tr><td>Sail</td><td>300</td></tr></table></td></tr></table>'
const MARKDOWN = '# Costs\n\n| Item | Cost |\n|---|---|\n| Rope | 1200.5 |\n| Sail | 300 |\n'
const JSON_ROWS = '[{"Item": "Rope", "Cost": 1200.5}, {"Item": "Sail", "Cost": 300}]'

const word = (x: number, y: number, text: string) => `BT /F1 10 Tf ${x} ${y} Td (${text}) Tj ET`
const PDF = pdfOf([['Item', 'Cost', 'Rope', '1200.5', 'Sail', '300']], (words) =>
  Buffer.from(words.map((text, i) => word(50 + (i % 2) * 150, 700 - Math.floor(i / 2) * 16, text)).join('\n')),
)

test.each<[string, Uint8Array | string]>([
  ['costs.pdf', PDF],
  ['costs.docx', DOCX],
  ['costs.pptx', PPTX],
  ['costs.odt', ODT],
  ['costs.html', HTML],
  ['costs.md', MARKDOWN],
  ['costs.json', JSON_ROWS],
])('a table inside %s is a table', async (name, bytes) => {
  const key = `what does it cost in ${name}`
  model.on(key, query('SELECT sum("Cost") AS cost FROM costs'), finish('1500.5.'))
  const thread = await bot.mention(`${key}?`, { files: [textFile(name, bytes as string)] })
  const shown = await thread.ended()
  expect(promptOf(key, 0)).toContain('Some of them: costs.')
  expect(promptOf(key)).toContain('1 row:\ncost\n1500.5')
  expect(shown).toMatch(new RegExp(`${name}, table [^,]*, query: SELECT sum`))
})
