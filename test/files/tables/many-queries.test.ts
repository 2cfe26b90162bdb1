/** Queries of many people at once, and those that are stopped: in processes of their own, within the container's memory. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../../../src/base/package-root.ts'
import { createFileParsers } from '../../../src/files/parse-file.ts'
import { childrenOf, treeMemory } from '../../harness/process-tree.ts'

/** Of the bot, which is the first service with its own limit. */
const LIMIT_MIB = Number(/mem_limit: (\d+)m/.exec(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'))?.[1])
const rows = Array.from(
  { length: 15_000 },
  (_, i) => `${i}\tCustomer ${i % 977}\t${(i % 1000) / 4}\tA note of some words, ${i}`,
)
const tables = [{ name: 't', text: ['id\tcustomer\tamount\tnote', ...rows].join('\n') }]
const ENDLESS = 'with recursive r(x) as (select 1 union all select x + 1 from r) select count(*) from r, t'

test('twenty queries at once stay below the memory of the container', async () => {
  const parsers = createFileParsers()
  const before = treeMemory(process.pid)
  let most = before
  const look = setInterval(() => (most = Math.max(most, treeMemory(process.pid))), 20)
  const sql = 'select customer, sum(amount) s, count(*) n from t group by customer order by s desc, customer limit 3'
  const asked = Array.from({ length: 20 }, (_, i) =>
    parsers.forQuestion(`U${i}`, Date.now).query({ sql, tables, timeoutMs: 5000 }),
  )
  const outcomes = await Promise.all(asked)
  clearInterval(look)
  expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1)
  expect(outcomes[0]?.result?.count).toBe(3)
  expect(LIMIT_MIB).toBeGreaterThan(500)
  // The bot itself takes about 200 MiB; the readers, what is measured here.
  expect(most - before).toBeLessThan(LIMIT_MIB - 250)
})

test('a stop ends a query at once, with its process', async () => {
  const stop = new AbortController()
  const before = childrenOf(process.pid)
  const query = createFileParsers()
    .forQuestion('U1', Date.now)
    .query(
      { sql: ENDLESS, tables: tables.map((table) => ({ ...table, text: 'a\n1\n2' })), timeoutMs: 60_000 },
      stop.signal,
    )
  const ended = query.catch((error: unknown) => error)
  const own = () => childrenOf(process.pid).filter((pid) => !before.includes(pid))
  await expect.poll(own, { timeout: 20_000 }).toHaveLength(1)
  const from = performance.now()
  stop.abort(new Error('stopped'))
  expect(await ended).toMatchObject({ message: 'stopped' })
  expect(performance.now() - from).toBeLessThan(10_000)
  await expect.poll(own, { timeout: 20_000 }).toEqual([])
})
