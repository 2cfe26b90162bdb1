/** Questions about tables, from the message to the answer: all rows are counted, and the result is a source. */
import { expect, test } from 'vitest'
import { SHOW_WORK } from '../../src/slack/format/action-ids.ts'
import { startBot, type TestBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { fixture } from '../harness/file-corpus.ts'
import { act, finish } from '../harness/played-model.ts'
import { textFile } from '../harness/said-files.ts'

const bot = await startBot(fileEnds())
const { model } = bot

const promptOf = ({ model }: TestBot, key: string, n = -1) => model.about(key).at(n)?.prompt ?? ''
const query = (sql?: string, more = {}) =>
  act('I query it.', 'query_table', JSON.stringify({ ...(sql && { sql }), ...more }))

const LINES = Array.from(
  { length: 20_000 },
  (_, i) => `${['North', 'South', 'West'][i % 3]},${i % 100}.25,2024-0${(i % 9) + 1}-15`,
)
const SALES = textFile('sales.csv', `region,revenue,day\n${LINES.join('\n')}\n`)

test('a sum over 20,000 rows is exact, and its query is a source with a link to the file', async () => {
  model.on(
    'which region had the highest revenue',
    query(),
    query('SELECT region, sum(revenue) AS total FROM sales GROUP BY region ORDER BY total DESC', { chart: true }),
    finish('South, with 331,666.75.'),
  )
  const thread = await bot.mention('which region had the highest revenue?', { files: [SALES] })
  const shown = await thread.ended()
  const prompt = promptOf(bot, 'which region had the highest revenue')
  const total = (rest: number) =>
    LINES.filter((_, i) => i % 3 === rest).length * 0.25 +
    Array.from({ length: 20_000 }, (_, i) => (i % 3 === rest ? i % 100 : 0)).reduce((a, b) => a + b)
  expect(prompt).toContain('Table "sales", 20,000 rows:')
  expect(prompt).toContain(`"region" text: 'North', 'South', 'West'`)
  for (const [i, region] of ['North', 'South', 'West'].entries()) expect(prompt).toContain(`${region} | ${total(i)}`)
  expect(prompt).toContain('sales has 20,000 rows; no cell that was used is empty.')
  expect(shown).toContain('sales.csv, query: SELECT region, sum(revenue)')
  expect(JSON.stringify(thread.messages())).toContain('"type":"data_visualization","title":"total"')
})

const TOTALS = 'SELECT region, sum(revenue) AS total FROM sales GROUP BY region ORDER BY total DESC'

const RIGHT = [
  'North has 331,699.75, and South 331,666.75.',
  'North has about 332,000, or 0.33 million.',
  'North hat 331.699,75.',
  'North is 33 ahead of South, and 66.25 ahead of West.',
  'North has 33.3 % of the revenue.',
  'All three have 995,000 together.',
  'On average a region has 331,666.67.',
]
const WRONG = [
  'North has 331,966.75.',
  'North is 143 ahead of South.',
  'North has 36.8 % of the revenue.',
  'All three have 985,000 together.',
  'On average a region has 341,666.67.',
  'South has 31,666.75.',
]

test.each([...RIGHT.map((answer) => [true, answer] as const), ...WRONG.map((answer) => [false, answer] as const)])(
  'a figure from a result is found in it, one of wrong arithmetic is not: %s %s',
  async (isRight, answer) => {
    const key = `compare the regions ${[...RIGHT, ...WRONG].indexOf(answer)}x`
    model.on(key, query(TOTALS), finish(answer))
    const thread = await bot.mention(key, { files: [SALES] })
    const shown = await thread.ended()
    if (isRight) expect(shown).not.toContain('⚠')
    else expect(shown).toMatch(/⚠ 1 of \d figures is not in any source/)
  },
)

test('Show work names the cell that a figure is from', async () => {
  model.on('name the cell', query(TOTALS), finish('West has 331,633.5.'))
  const thread = await bot.mention('name the cell', { files: [SALES] })
  await thread.ended()
  await thread.press(SHOW_WORK)
  const modal = await bot.modal()
  await bot.slack.until(() => modal.shown().includes('Where the figures'), 'the figures')
  expect(modal.shown()).toMatch(/331,633\.5: step 1 \[1\], row 3 \(West\), total/)
  expect(modal.shown()).toContain('SELECT region, sum(revenue) AS total')
})

test('several series are drawn as the kind of chart that was asked for', async () => {
  const sql = (rest: string) => `SELECT substr(day, 1, 7) AS month, ${rest} FROM sales GROUP BY month ORDER BY month`
  model.on(
    'draw the months',
    query(sql(`sum(iif(region = 'North', revenue, 0)) AS north, sum(revenue) AS total`), { chart: 'area' }),
    query(`SELECT region, count(*) AS rows FROM sales GROUP BY region ORDER BY region`, { chart: 'pie' }),
    finish('Here they are.'),
  )
  const thread = await bot.mention('draw the months', { files: [SALES] })
  await thread.ended()
  const blocks = (thread.messages().at(-1)?.blocks ?? []) as { type: string; chart?: object; text?: string }[]
  const charts = blocks.filter(({ type }) => type === 'data_visualization').map(({ chart }) => chart)
  expect(charts).toMatchObject([
    {
      type: 'area',
      series: [{ name: 'north' }, { name: 'total' }],
      axis_config: { categories: Array.from({ length: 9 }, (_, i) => `2024-0${i + 1}`), x_label: 'month' },
    },
    { type: 'pie', segments: [{ label: 'North', value: 6667 }, { label: 'South' }, { label: 'West', value: 6666 }] },
  ])
  expect(thread.messages().at(-1)?.text).toMatch(/month|2024-01 +\d/)
})

test('each sheet of a workbook is a table, and a mistake in SQL is explained', async () => {
  model.on(
    'what is the revenue in the book',
    query('SELECT sum(revenu) FROM sales_sales_2026'),
    query('SELECT sum(Revenue) FROM sales_sales_2026'),
    finish('1250.5.'),
  )
  const thread = await bot.mention('what is the revenue in the book?', { files: [fixture('sales.xlsx')] })
  const shown = await thread.ended()
  const prompt = promptOf(bot, 'what is the revenue in the book')
  expect(prompt).toMatch(/no such column: revenu.*"City", "Revenue", "Closed"/)
  expect(prompt).toContain('1250.5')
  expect(prompt).toContain('Rows of totals are left out (row 5: Total 2501)')
  expect(shown).toContain('sales.xlsx, sheet "Sales 2026", query:')
})

test('a table pasted into a message is queried without any file', async () => {
  const cell = (text: string) => ({ type: 'raw_text', text })
  const rows = [
    ['Yarn', 'Cones'],
    ['Wool', '1,200'],
    ['Silk', '34'],
  ].map((row) => row.map(cell))
  model.on('how many cones', query('SELECT sum(Cones) AS cones FROM the_table'), finish('1,234 cones.'))
  const thread = await bot.mention('how many cones?', {
    extra: { attachments: [{ blocks: [{ type: 'table', rows }] }] },
  })
  await thread.ended()
  expect(promptOf(bot, 'how many cones', 0)).toContain('Some of them: the_table.')
  expect(promptOf(bot, 'how many cones')).toContain('1234')
})

test('a file whose end is missing is refused, never counted in part', async () => {
  const long = textFile('huge.csv', `n,text\n${`1,${'x'.repeat(2000)}\n`.repeat(4200)}`)
  model.on('how many rows are there', query('SELECT count(*) FROM huge'), finish('I cannot count it.'))
  await (await bot.mention('how many rows are there?', { files: [long] })).ended()
  expect(promptOf(bot, 'how many rows are there')).toMatch(/huge\.csv cannot be queried: it is too large to keep whole/)
})

test('all rows of a result are sent as a csv file on request, and 50 are shown', async () => {
  model.on(
    'send me the northern rows',
    query("SELECT _row, region FROM sales WHERE region = 'North' ORDER BY _row", { file: 'north.csv' }),
    finish('Here it is.'),
  )
  const thread = await bot.mention('send me the northern rows', { files: [SALES] })
  await thread.ended()
  expect(promptOf(bot, 'send me the northern rows')).toContain('The first 50 of 6,667 rows:')
  expect(JSON.stringify(thread.messages())).toContain('north.csv')
})
