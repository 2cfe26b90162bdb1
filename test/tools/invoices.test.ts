import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../../src/base/package-root.ts'
import { invoices } from '../../tools/examples/invoices/index.ts'
import { exampleFiles } from '../../tools/index.ts'
import { runTool, toolContext } from '../harness/tool-context.ts'

/** Uses a tool like a bracket action: one text for its only field. */
async function act(tool: string, text: string): Promise<string> {
  const field = tool === 'GetInvoice' ? 'company' : 'quantities'
  return (await runTool(invoices(), { tool, input: { [field]: text } }, toolContext())).text
}

test('the question of “ReAct with LangChain” is answered with 21100', async () => {
  const [c, f, a, e] = [
    await act('GetInvoice', 'C'),
    await act('GetInvoice', 'F'),
    await act('GetInvoice', 'A'),
    await act('GetInvoice', 'E'),
  ]
  const [first, second] = [await act('Total', `${c} ${f}`), await act('Total', `${a} ${e}`)]
  expect(await act('Diff', `${first} ${second}`)).toBe('21100')
})

test('amounts are text for the model and a series for people', async () => {
  const { text, series } = await runTool(
    invoices(),
    { tool: 'GetInvoice', input: { company: 'all companies' } },
    toolContext(),
  )
  expect(text).toBe('A: 2000\nB: 1500\nC: 20000\nD: 6700\nE: 1000\nF: 4100')
  expect(series?.points.map(({ label, value }) => `${label}: ${value}`).join('\n')).toBe(text)
})

test('every observation in the worked examples matches the tools’ real output', async () => {
  const [file = ''] = exampleFiles({ TOOLS: ['invoices'] })
  const examples = await readFile(join(ROOT, file), 'utf8')
  const steps = [...examples.matchAll(/^Action: (GetInvoice|Diff|Total)\[(.*)\]\nObservation: (.*)$/gm)]
  expect(steps).toHaveLength(12)
  for (const [, tool = '', input = '', observation] of steps) expect(await act(tool, input)).toBe(observation)
  expect(examples.match(/^Action: Finish\[\d+\]$/gm)).toHaveLength(3)
})

test.each([
  ['GetInvoice', 'company a', '2000'],
  ['GetInvoice', '"F"', '4100'],
  ['Total', '1500, 20000, 6700', '28200'],
  ['Diff', '1500 2000', '500'],
])('%s[%s] is %s', async (tool, input, output) => {
  expect(await act(tool, input)).toBe(output)
})

test.each([
  ['GetInvoice', 'Z', 'There is no invoice of "Z", only of A, B, C, D, E, F.'],
  ['GetInvoice', '__proto__', 'There is no invoice of "__proto__"'],
  ['Diff', '1', 'Diff takes two numbers.'],
  ['Diff', '1 2 3', 'Diff takes two numbers.'],
  ['Total', 'a b', 'Give numbers with spaces between'],
  ['Total', '', 'Give numbers with spaces between'],
])('%s[%s] is refused with a sentence', async (tool, input, sentence) => {
  await expect(act(tool, input)).rejects.toThrow(sentence)
})
