/** A table of 20,000 orders, the same each time: too long for a prompt, so questions about it need SQL. */

export const SALES_ROWS = 20_000

const REGIONS = ['North', 'South', 'East', 'West', 'Overseas']
const PRODUCTS: [name: string, cents: number][] = [
  ['Desk lamp', 4950],
  ['Office chair', 18_900],
  ['Standing desk', 42_900],
  ['Monitor arm', 8990],
  ['Bookshelf', 12_900],
  ['Footrest', 3495],
]
const DAY_MS = 86_400_000
const FROM = Date.UTC(2025, 0, 1)

/** Some orders have no day, as in real tables. */
const UNDATED = 90

export function salesCsv(): string {
  // MINSTD: https://doi.org/10.1145/63039.63042
  let state = 20_260_101
  const below = (limit: number) => (state = (state * 48_271) % 2_147_483_647) % limit
  const lines = Array.from({ length: SALES_ROWS }, (_, i) => {
    const region = REGIONS[Math.min(below(REGIONS.length), below(REGIONS.length + 2))] ?? ''
    const [product, cents] = PRODUCTS[below(PRODUCTS.length)] ?? ['', 0]
    const units = 1 + below(1 + below(9))
    // Later months sell more.
    const at = FROM + Math.max(below(365), below(365)) * DAY_MS
    const day = below(UNDATED) === 0 ? '' : new Date(at).toISOString().slice(0, 10)
    return [100_001 + i, day, region, product, units, ((units * cents) / 100).toFixed(2)].join(',')
  })
  return `Order,Day,Region,Product,Units,Revenue\n${lines.join('\n')}\n`
}
