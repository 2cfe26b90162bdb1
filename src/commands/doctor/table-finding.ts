import type { Config } from '../../config.ts'
import { messageOf } from '../../base/errors.ts'
import { fileParsers } from '../../files/parse-file.ts'
import { queryFiles } from '../../files/query-files.ts'
import { messageTables } from '../../files/run-tables.ts'
import { findingsAbout, type Finding } from './finding.ts'

const tools = findingsAbout('tools')
const NAME = 'query_table'
const SAMPLE = {
  name: 'sample',
  columns: ['city', 'sum'],
  rows: [
    ['Ulm', '1,250.5'],
    ['Oslo', '2'],
  ],
}
const SQL = 'SELECT sum("sum") AS total FROM sample'
const TOTAL = '1252.5'
const QUERY_MS = 30_000

/** Asks a table of two rows in the process that reads files, which is where SQL runs. */
export async function tableFinding({ ROLE }: Config, now: () => number): Promise<Finding> {
  if (ROLE === 'front') return tools.ok(NAME, 'On. Not tried.')
  const parser = fileParsers.forQuestion('doctor', now)
  const signal = AbortSignal.timeout(QUERY_MS)
  try {
    const { text } = await queryFiles({ sql: SQL }, messageTables([SAMPLE]), parser, 1000, signal)
    if (text.includes(`\n${TOTAL}`)) return tools.ok(NAME, 'On, and it answers.')
    return tools.fault(NAME, `It adds up a table wrongly: ${TOTAL} is not in "${text.slice(0, 200)}".`)
  } catch (error) {
    return tools.fault(NAME, `Tables cannot be queried: ${messageOf(error)} Check the memory that the bot may use.`)
  }
}
