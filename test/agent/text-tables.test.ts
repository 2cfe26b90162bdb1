/** Tables in the texts of tools. */
import { expect, test } from 'vitest'
import { tablesInText } from '../../src/agent/text-tables.ts'
import { plainFile } from '../../src/files/parsers/plain-lines.ts'
import { cpuClock } from '../harness/cpu-clock.ts'

const rowsOf = (text: string) =>
  tablesInText(text).map((table) => table.text.replaceAll('\t', '|').replaceAll('\n', ' / '))

test.each<[string, string, string[]]>([
  ['a list of objects', '[{"a": 1, "b": "x"}, {"a": 2, "c": true}]', ['a|b|c / 1|x| / 2||true']],
  ['a list inside an object', '{"total": 2, "items": [{"a": 1}, {"a": 2}]}', ['a / 1 / 2']],
  ['two lists', '{"one": [{"a": 1}, {"a": 2}], "two": [{"b": 3}, {"b": 4}]}', ['a / 1 / 2', 'b / 3 / 4']],
  [
    'objects inside rows',
    '[{"user": {"name": "Ada"}, "tags": ["x", "y"]}, {"user": null}]',
    ['user.name|tags|user / Ada|x, y| / ||'],
  ],
  ['names and rows apart', '{"columns": ["a", "b"], "rows": [[1, 2], [3, 4]]}', ['a|b / 1|2 / 3|4']],
  ['names with types', '{"fields": [{"name": "a"}, {"name": "b"}], "values": [[1, null]]}', ['a|b / 1|']],
  ['lists under a list of names', '[["a", "b"], [1, 2], [3, 4]]', ['a|b / 1|2 / 3|4']],
  ['JSON lines', '{"a": 1}\n{"a": 2}\n', ['a / 1 / 2']],
  ['words around it', 'Here are the rows:\n\n```json\n[{"a": 1}, {"a": 2}]\n```\nThat is all.', ['a / 1 / 2']],
  [
    'digits',
    '[{"id": 1234567890123456789, "p": 12.10}, {"id": 2, "p": 0.30}]',
    ['id|p / 1234567890123456789|12.10 / 2|0.30'],
  ],
  ['line breaks and tabs in cells', '[{"a": "x\\ty\\nz"}, {"a": "b"}]', ['a / x y z / b']],
  [
    'Markdown',
    'Sales:\n\n| City | Sum |\n|:--|--:|\n| **Ulm** | 1,5 |\n| [Köln](https://a.example/x) | 2 |\n\nEnd',
    ['City|Sum / Ulm|1,5 / Köln|2'],
  ],
  ['Markdown without outer marks', 'a | b\n- | -\n1 | x\\|y\n2', ['a|b / 1|x|y']],
  ['one object', '{"a": 1, "b": [1, 2, 3]}', []],
  ['one row', '[{"a": 1}]', []],
  ['broken JSON', '[{"a": 1}, {"a": 2', []],
  ['prose with marks', 'Either a | b or c | d.\nNothing - more.', []],
  ['a rule alone', '|---|---|\n', []],
])('%s', (...[, text, expected]) => {
  expect(rowsOf(text)).toEqual(expected)
})

test('a Markdown table has the name of the heading above it', () => {
  expect(tablesInText('## Sales ##\n\n| a | b |\n|---|---|\n| 1 | 2 |').map(({ name }) => name)).toEqual(['Sales'])
})

const NAMES = Array.from({ length: 200 }, (_, i) => `c${i}`)

test.each([
  ['objects', `[${JSON.stringify(Object.fromEntries(NAMES.map((name) => [name, 1])))}${',{}'.repeat(650_000)}]`],
  ['Markdown', `${NAMES.join('|')}\n${NAMES.map(() => '-').join('|')}\n${'|\n'.repeat(900_000)}`],
])('a table of more than 400,000 cells is refused before they are filled in: %s', (_, text) => {
  const cpuMs = cpuClock()
  expect(tablesInText(text)).toEqual([{ name: '', text: '', refused: 'it is too large to keep whole' }])
  expect(cpuMs()).toBeLessThan(3000)
})

test('a file says that its table is too large', () => {
  const text = `[{"a": 1, "b": 2}${',{}'.repeat(210_000)}]`
  expect(plainFile(text, 'json', 1_000_000).tables).toEqual([{ text: '', refused: 'it is too large to keep whole' }])
})

test.each([
  '['.repeat(200_000),
  '{"a":'.repeat(200_000),
  '|'.repeat(400_000),
  '|-'.repeat(100_000) + '\n' + '|-'.repeat(100_000),
  '\n|'.repeat(200_000),
  '{}\n'.repeat(100_000),
])('hostile text is read in linear time: %#', (text) => {
  const cpuMs = cpuClock()
  tablesInText(text)
  expect(cpuMs()).toBeLessThan(3000)
})
