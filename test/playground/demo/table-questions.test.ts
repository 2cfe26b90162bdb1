/** The playground's questions about its table of 20,000 orders, and about a pasted table: the demo asks them of query_table. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlayground, type Playground } from '../../../playground/main.ts'
import { salesCsv, SALES_ROWS } from '../../../playground/samples/sales.ts'
import { GENERAL, type SayOptions } from '../../../playground/slack/slack.ts'

let playground: Playground
beforeAll(async () => {
  playground = await startPlayground({ PLAYGROUND_PORT: '0' }, { paceMs: 0 })
})
afterAll(() => playground.stop())

const CSV = salesCsv()
const ORDERS = CSV.trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split(','))
  .map(([, day = '', region = '', product = '', , revenue = '']) => ({
    day,
    region,
    product,
    cents: Math.round(100 * Number(revenue)),
  }))

function sums(key: 'region' | 'product'): [string, number][] {
  const all = new Map<string, number>()
  for (const order of ORDERS) all.set(order[key], (all.get(order[key]) ?? 0) + order.cents)
  return [...all].sort((one, other) => other[1] - one[1])
}

async function ask(question: string, how: Omit<SayOptions, 'text'>) {
  const { slack } = playground
  const { thread } = await slack.mention(question, how)
  const replies = () => slack.replies(GENERAL, thread)
  const isDone = () => replies().some((one) => slack.shown(one).includes('Show work'))
  await slack.until(isDone, `the answer to “${question}”`)
  const text = replies()
    .map((one) => slack.shown(one))
    .join('\n')
  return { text, blocks: JSON.stringify(replies().map(({ blocks }) => blocks)) }
}

const withSales = { files: [{ name: 'sales.csv', bytes: CSV }] }
const money = (cents: number) => String(cents / 100)

test('the table is the same each time, and has 20,000 rows, some without a day', () => {
  expect(ORDERS).toHaveLength(SALES_ROWS)
  expect(salesCsv()).toBe(CSV)
  expect(ORDERS.filter(({ day }) => day === '').length).toBeGreaterThan(100)
})

test('which region had the highest revenue: all rows count, with a chart and the file as the source', async () => {
  const [[best, cents]] = sums('region') as [[string, number]]
  const { text, blocks } = await ask('Which region had the highest revenue?', withSales)
  expect(text).toContain(`*${best}*, with ${money(cents)}`)
  expect(text).toContain('sales.csv, query: SELECT')
  expect(text).not.toContain('⚠')
  expect(blocks).toContain('"type":"data_visualization"')
})

test('the revenue by month and region is a chart of lines', async () => {
  const { blocks } = await ask('Draw the revenue by month and region', withSales)
  expect(blocks).toContain('"type":"line"')
  expect(blocks.match(/"name":"(?:North|South|East|West|Overseas)","data"/g)).toHaveLength(5)
})

test('what was sold in March, the average per product, and what is missing', async () => {
  const march = ORDERS.filter(({ day }) => day.startsWith('2025-03'))
  const sold = await ask('What did we sell in March?', withSales)
  expect(sold.text).toContain(
    `*${money(march.reduce((sum, { cents }) => sum + cents, 0))}*, from ${march.length} orders`,
  )
  const [[product, cents]] = sums('product') as [[string, number]]
  const mean = cents / ORDERS.filter((order) => order.product === product).length / 100
  const average = await ask('What is the average revenue per product?', withSales)
  expect(average.text).toContain(`${product}: ${String(Number(mean.toFixed(2)))}`)
  const missing = ORDERS.filter(({ day }) => day === '').length
  expect((await ask('How many orders have no day?', withSales)).text).toContain(`*${missing}* orders have no Day`)
})

test('a pasted table is added up by query_table', async () => {
  const rows = [
    ['Yarn', 'Cones'],
    ['Merino', '1417'],
    ['Tussah', '17'],
  ].map((row) => row.map((text) => ({ type: 'raw_text', text })))
  const { text } = await ask('Add up the cones', { extra: { attachments: [{ blocks: [{ type: 'table', rows }] }] } })
  expect(text).toContain('The column “Cones” adds up to *1434*.')
  expect(text).not.toContain('⚠')
})
