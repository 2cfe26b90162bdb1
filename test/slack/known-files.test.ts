/** Files with known answers: a model that uses the tools finds them, and people see their sources. */
import { expect, test, vi } from 'vitest'
import { startBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { fixture, pdfOf, sheetRow, xlsxOf } from '../harness/file-corpus.ts'
import { act, finish, type PlayedRequest } from '../harness/played-model.ts'
import { textFile } from '../harness/said-files.ts'

vi.setConfig({ testTimeout: 180_000 })

const bot = await startBot(fileEnds())
const { model } = bot

/** Returns the tool's last output. */
function observation({ prompt }: PlayedRequest): string {
  return prompt.slice(prompt.lastIndexOf('Observation:'))
}

/** Functions that restart the model's script, by the question's key. */
const plans = new Map<string, () => void>()

/** Makes the model answer from a tool's output, and report the output if it has no answer. */
function follow(key: string, calls: [tool: string, input: object][], answer: RegExp): void {
  const plan = (request: PlayedRequest, n: number) => {
    const call = calls[n]
    if (call) return act('I look it up.', call[0], JSON.stringify(call[1]))
    const seen = observation(request)
    return finish(answer.exec(seen)?.[0] ?? `Not found in: ${seen}`)
  }
  plans.set(key, () => model.decide(key, plan))
}

async function answerTo(key: string, files: NonNullable<Parameters<typeof bot.mention>[1]>['files'] = []) {
  // Retried if a busy machine took longer to read a file than a question waits.
  for (let tries = 1; ; tries++) {
    plans.get(key)?.()
    const thread = await bot.mention(key, { files })
    const answer = await thread.ended()
    if (tries === 3 || !thread.shown().join().includes('takes more than 20 seconds')) return answer
  }
}

function manual(): Uint8Array {
  const facts: Record<number, string> = { 17: 'The red valve closes at 12 bar.', 288: 'The spare fuse has 63 ampere.' }
  const pages = Array.from({ length: 300 }, (_, i) => [
    ...Array.from(
      { length: 25 },
      (_, line) => `Page ${i + 1}, line ${line + 1}: press the button and wait for the lamp.`,
    ),
    facts[i + 1] ?? 'Nothing else is on this page.',
  ])
  return pdfOf(pages)
}

test('a PDF of 300 pages is searched, then read, and the page is a source', async () => {
  follow(
    'ampere of the fuse',
    [
      ['search_file', { query: 'spare fuse ampere' }],
      ['read_file', { file: 'manual.pdf', pages: '288' }],
    ],
    /63 ampere/,
  )
  const shown = await answerTo('ampere of the fuse', [{ name: 'manual.pdf', bytes: manual() }])
  expect(shown).toContain('63 ampere')
  expect(shown).toContain('manual.pdf, page 288')
  expect(Math.max(...model.about('ampere of the fuse').map(({ prompt }) => prompt.length))).toBeLessThan(20_000)
})

test('a sheet of 100,000 rows is searched, then read by its range', async () => {
  const rows = Array.from({ length: 100_000 }, (_, i) =>
    sheetRow(i + 1, [`Order ${i + 1}`, i === 87_653 ? 'Quito' : 'Oslo']),
  )
  follow(
    'which order went to Quito',
    [
      ['search_file', { query: 'Quito' }],
      ['read_file', { sheet: 'Data', range: 'A87654:B87654' }],
    ],
    /Order \d+\tQuito/,
  )
  const shown = await answerTo('which order went to Quito', [{ name: 'orders.xlsx', bytes: xlsxOf(rows.join('')) }])
  expect(shown).toMatch(/Order 87654\s+Quito/)
  expect(shown).toContain('orders.xlsx, sheet "Data"')
  expect(model.about('which order went to Quito').at(-1)?.prompt).toContain('100,000 rows')
})

test.each<[string, [string, object], RegExp]>([
  ['handbook.pdf', ['search_file', { query: 'hotel night' }], /140/],
  ['handbook.docx', ['search_file', { query: 'days a year' }], /30 days a year/],
  ['handbook.odt', ['read_file', {}], /Zoë Åström/],
  ['rollout.pptx', ['read_file', { pages: '1' }], /pilot begins in Oslo/],
  ['rollout.odp', ['search_file', { query: 'late delivery' }], /Ingrid/],
  ['sales.xlsx', ['search_file', { query: 'revenue of Zurich' }], /Zürich\t1250\.5/],
  ['sales.ods', ['read_file', { range: 'A1:C9' }], /Zürich\t1250\.5/],
])('the answer that stands in %s is found', async (name, call, answer) => {
  const key = `asked of ${name}`
  follow(key, [call], answer)
  expect((await answerTo(key, [fixture(name)])).replace(/\s+/g, ' ')).toMatch(
    new RegExp(answer.source.replace('\\t', ' ')),
  )
})

test('a table in an old encoding is decoded correctly', async () => {
  const bytes = Buffer.from('Name;Straße\nMüller;Größe 7\n'.repeat(3), 'latin1')
  follow('where is Müller', [['search_file', { query: 'müller' }]], /Müller\tGröße 7/)
  expect(await answerTo('where is Müller', [{ name: 'old.csv', bytes }])).toMatch(/Müller\s+Größe 7/)
})

test('words at the end of long paragraphs are found and shown', async () => {
  const filler = 'nothing of interest stands here '.repeat(55)
  const text = [1, 2, 3, 4, 5].map((n) => `${filler}the badger number ${n} sleeps`).join('\n')
  follow('how many badgers', [['search_file', { query: 'badger' }]], /badger number 3 sleeps/)
  expect(await answerTo('how many badgers', [textFile('tale.txt', text)])).toContain('badger number 3 sleeps')
})
