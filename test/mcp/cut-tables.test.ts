/** A server's text that was cut has no tables, because they would pass for whole ones. */
import { expect, onTestFinished, test } from 'vitest'
import { startChangingServer } from '../harness/mcp/changing-server.ts'
import { openMcp, use } from '../harness/mcp/mcp-servers.ts'

test.each([
  ['whole JSON lines', '{"a": 1}\n', 3, undefined],
  ['cut JSON lines', '{"a": 1}\n', 40_000, []],
  ['a cut table in Markdown', '| a | b |\n|---|---|\n', 40_000, []],
])('%s', async (_, line, count, tables) => {
  const server = await startChangingServer([{ name: 'look' }])
  server.answer = () => line.repeat(count)
  const { servers } = openMcp({ onTestFinished }, { rows: { url: server.url } })
  const output = await use(servers.of('rows'), 'look')
  expect('text' in output && output.tables).toEqual(tables)
})
