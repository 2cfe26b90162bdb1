/** 120 questions over twelve messy tables: the result of the right SQL is right in each. */
import { describe, expect, test } from 'vitest'
import { queryTables } from '../../../src/files/tables/query-tables.ts'
import { MESSY_TABLES } from './messy-tables.ts'

const shown = (rows: readonly (readonly (string | null)[])[]) =>
  rows.map((row) => row.map((cell) => cell ?? '∅').join('|')).join(' / ')

describe.each(MESSY_TABLES)('$about', ({ table, questions }) => {
  test.each(questions)('%s', async (sql, expected) => {
    const { result, fault } = await queryTables({ sql, tables: [table], timeoutMs: 5000 }, Date.now)
    expect(fault ?? shown(result?.rows ?? [])).toBe(expected)
  })
})

test('there are 120 questions', () => {
  expect(MESSY_TABLES.flatMap(({ questions }) => questions)).toHaveLength(120)
})
