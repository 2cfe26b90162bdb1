/** Hostile files: none stops the bot, and each is read or refused within its time and memory limits. */
import fc from 'fast-check'
import { unzipSync, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { readMembers } from '../../src/files/zip-members.ts'
import { PARSE_LIMITS } from '../../src/files/parse-file.ts'
import { createFileParsers } from '../../src/files/parse-file.ts'
import { BOUNDED_BY_KERNEL } from '../../src/files/parser-process.ts'
import type { FileBytes, ZipLimits } from '../../src/files/types.ts'
import {
  docxOf,
  fixture,
  hungryPdf,
  outcomeOf,
  parsed,
  pdfOf,
  sheetRow,
  textFile,
  xlsxOf,
  zipOf,
} from '../harness/file-corpus.ts'

const MEBIBYTE = 1024 * 1024
const odtOf = (content: string | Uint8Array) =>
  zipOf({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': content })
const word = (text: string) => docxOf(`<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`)

test('a zip bomb is refused before it is unpacked', async () => {
  const bomb = textFile('a.docx', word('x'.repeat(4 * MEBIBYTE)))
  const refusal = (why: string) => `The file is too large when unpacked (${why}), so I did not open it.`
  const within = (zip: Partial<ZipLimits>) => ({ zip: { ...PARSE_LIMITS.zip, ...zip } })
  expect(await outcomeOf(bomb)).toEqual({ fault: refusal('it is packed like a zip bomb') })
  expect(await outcomeOf(bomb, within({ totalBytes: 2 * MEBIBYTE }))).toEqual({ fault: refusal('over 2 MB') })
  expect(await outcomeOf(bomb, within({ entries: 2 }))).toEqual({ fault: refusal('over 2 parts') })
})

test('a zip that understates its sizes is unpacked no further than stated', () => {
  const zip = zipOf({ 'content.xml': 'x'.repeat(5 * MEBIBYTE) })
  const directory = Buffer.from(zip).lastIndexOf('PK\x01\x02', undefined, 'latin1')
  new DataView(zip.buffer, zip.byteOffset).setUint32(directory + 24, 1000, true)
  let inflated: number
  try {
    inflated = readMembers(zip, () => true, PARSE_LIMITS.zip)['content.xml']?.length ?? 0
  } catch {
    inflated = 0
  }
  expect(inflated).toBeLessThanOrEqual(1000)
})

test.each([
  ['the kernel', true],
  ['its reader itself, without the kernel’s limit', false],
])(
  'a pdf that inflates beyond the memory limit: its process is ended by %s, and the next file is read',
  async (_, isBounded) => {
    const bytes = hungryPdf()
    const limits = { ...PARSE_LIMITS, timeoutMs: 4 * PARSE_LIMITS.timeoutMs }
    const parser = createFileParsers({ limits, isBounded: isBounded && BOUNDED_BY_KERNEL }).forQuestion('U0', Date.now)
    const { fault, killed } = await parser.parse(textFile('a.pdf', bytes))
    expect(fault).toContain('needs too much memory to read')
    expect(killed).toBe(true)
    expect((await parser.parse(textFile('b.txt', 'still here'))).file?.sections[0]?.text).toBe('still here')
  },
)

test.each([
  ['a text', textFile('a.txt', Buffer.alloc(16 * MEBIBYTE, 0x80))],
  ['a text document', textFile('a.odt', odtOf(Buffer.alloc(16 * MEBIBYTE, 0x80)))],
])('%s of 16 MB that is not UTF-8 is read or refused', async (_, file) => {
  const { file: read, fault } = await outcomeOf(file, { timeoutMs: 4 * PARSE_LIMITS.timeoutMs })
  expect(read?.notes ?? fault).toBeDefined()
})

test('a file of 16 MB takes almost no CPU time in the bot’s own process', async () => {
  const blankAtFirst = Buffer.alloc(16 * MEBIBYTE, 0x80).fill(' ', 0, 4096)
  const parser = createFileParsers().forQuestion('U0', Date.now)
  const before = process.cpuUsage()
  await parser.parse(textFile('a.txt', blankAtFirst))
  const { user, system } = process.cpuUsage(before)
  // CPU time of a few ms for the pipes. Reading each byte individually would take seconds.
  expect((user + system) / 1e6).toBeLessThan(1.5)
})

test('a page that takes too long is left out with a note, and the others are read', async () => {
  const drawing = ([line = '']: string[]) =>
    Buffer.from(`BT /F1 10 Tf 50 740 Td (${line}) Tj ET ${line === 'two' ? 'q '.repeat(500_000) : ''}`)
  const pdf = textFile('a.pdf', pdfOf([['one'], ['two'], ['three']], drawing))
  const { file } = await outcomeOf(pdf, { timeoutMs: 60_000, pageMs: 4000 })
  expect(file?.sections.map(({ text }) => text)).toEqual(['one', '', 'three'])
  expect(file?.notes).toEqual(['Not read because it takes too long: page 2.'])
  const alone = await outcomeOf(textFile('a.pdf', pdfOf([['two']], drawing)), { timeoutMs: 60_000, pageMs: 2000 })
  expect(alone.fault).toBe('The file contains no text except on page 1, which takes too long to read.')
})

test.each([
  [
    'a cell in the last corner of a sheet',
    xlsxOf(`${sheetRow(1, [1])}<row r="1048576"><c r="XFD1048576"><v>the end</v></c></row>`),
  ],
  [
    'rows as wide as a sheet can be',
    xlsxOf(
      `${Array.from({ length: 20_000 }, (_, i) => sheetRow(i + 1, [1])).join('')}<row r="20001"><c r="XFD20001" t="str"><v>the end</v></c></row>`,
    ),
  ],
])('%s: the file is read within its memory', async (_, bytes) => {
  const { sections } = await parsed(textFile('a.xlsx', bytes))
  expect(sections[0]?.text.slice(-7)).toBe('the end')
})

const times = (count: number, text: string) => text.repeat(count)

test.each([
  ['tags that are never closed', 'a.html', `<html>${times(1_000_000, '<div>')}the end`],
  ['tags that were never opened', 'a.html', `<html>${times(100_000, '<b>')}${times(1_000_000, '</i>')}the end`],
  ['cells behind many blocks', 'a.html', `<html><td>${times(200_000, '<p>')}${times(200_000, '<td>')}the end`],
  ['short rows', 'a.csv', `${times(2_000_000, 'a\n')}the end`],
  ['empty lines', 'a.txt', `a${times(1_000_000, '\n')}the end`],
])('%s: the file is read to its end in time', async (_, name, text) => {
  const { sections } = await parsed(textFile(name, text))
  expect(sections[0]?.text.slice(-7)).toBe('the end')
})

test('a document with parts nested too deeply is refused', async () => {
  const { fault } = await outcomeOf(textFile('a.odt', odtOf(times(100_000, '<a>'))))
  expect(fault).toBe('The file is damaged: its parts are nested too deeply.')
})

test.each([
  ['a line of 20 MB', 'a.txt', 'a'.repeat(20 * MEBIBYTE)],
  ['brackets ten million deep', 'a.json', '['.repeat(10_000_000)],
  ['20 MB of ampersands', 'a.html', `<html>${'&'.repeat(20 * MEBIBYTE)}`],
  ['20 MB of commas', 'a.csv', ','.repeat(20 * MEBIBYTE)],
  ['20 MB of quotes', 'a.csv', `"${'"'.repeat(20 * MEBIBYTE)}`],
  ['captions of half-open tags', 'a.vtt', `WEBVTT\n\n00:01.000 --> 00:02.000\n${'<v '.repeat(5_000_000)}`],
])('%s: the file is read or refused within its time limit', async (_, name, text) => {
  // Wall-clock seconds. A busy machine gives a process only a part of them, so the limit is four times the usual one.
  const { file, fault } = await outcomeOf(textFile(name, text), { timeoutMs: 4 * PARSE_LIMITS.timeoutMs })
  expect(file ?? fault).toBeDefined()
  expect(fault ?? '').not.toContain('seconds')
})

test('entities that a document declares are not expanded', async () => {
  const bomb = '<!DOCTYPE x [<!ENTITY a "boom"><!ENTITY b "&a;&a;&a;&a;">]>'
  const content = `${bomb}<office:document-content xmlns:office="o" xmlns:text="t"><text:p>before &b; after</text:p></office:document-content>`
  const { file } = await outcomeOf(textFile('a.odt', odtOf(content)))
  expect(file?.sections[0]?.text).toContain('before')
  expect(file?.sections[0]?.text).not.toContain('boom')
})

const SEEDS = [
  'handbook.docx',
  'handbook.odt',
  'handbook.pdf',
  'rollout.pptx',
  'rollout.odp',
  'sales.xlsx',
  'sales.ods',
  'handbook.html',
].map(fixture)

const share = fc.double({ min: 0, max: 1, noNaN: true })
const mutation = fc.record({
  seed: fc.constantFrom(...SEEDS),
  isInside: fc.boolean(),
  member: share,
  cut: fc.option(share, { freq: 3 }),
  changes: fc.array(fc.tuple(share, fc.integer({ min: 0, max: 255 })), { maxLength: 20 }),
})
type Mutation = typeof mutation extends fc.Arbitrary<infer One> ? One : never

function broken(bytes: Uint8Array, { cut, changes }: Mutation): Uint8Array {
  const copy = Uint8Array.from(bytes.subarray(0, Math.ceil(bytes.length * (cut ?? 1))))
  for (const [at, value] of changes) copy[Math.floor(at * (copy.length - 1))] = value
  return copy
}

/** A change inside a packed file keeps the zip valid, so that it reaches the parser. */
function mutated(one: Mutation): FileBytes {
  const { name, bytes } = one.seed
  if (!one.isInside || bytes[0] !== 0x50) return { name, bytes: broken(bytes, one) }
  const members = unzipSync(bytes)
  const names = Object.keys(members).filter((member) => /^(?:content|(?:word|ppt|xl)\/.*)\.(?:xml|rels)$/.test(member))
  const chosen = names[Math.floor(one.member * (names.length - 1))] ?? ''
  return { name, bytes: zipSync({ ...members, [chosen]: broken(members[chosen] ?? bytes, one) }) }
}

test('files damaged at random are read or refused with a sentence', { timeout: 180_000 }, async () => {
  const parser = createFileParsers({
    limits: { ...PARSE_LIMITS, timeoutMs: 10_000, questionMs: 180_000 },
  }).forQuestion('U0', Date.now)
  const files = fc.sample(mutation, { seed: 12, numRuns: 40 }).map(mutated)
  const outcomes = await Promise.all(files.map((file) => parser.parse(file)))
  for (const { file, fault } of outcomes) {
    if (file) expect(file.sections.some(({ lines }) => lines > 0)).toBe(true)
    else expect(fault).toMatch(/^[A-Z].*\.$/)
  }
  // Some files are still read, and some are not, so both branches are covered.
  const read = outcomes.filter(({ file }) => file).length
  expect(read).toBeGreaterThan(5)
  expect(read).toBeLessThan(35)
})
