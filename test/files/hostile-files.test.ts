/** Files made to harm their reader: none stops the process, all are ended in time and within the worker's memory. */
import fc from 'fast-check'
import { unzipSync, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { readMembers } from '../../src/files/zip-members.ts'
import { PARSE_LIMITS } from '../../src/files/parse-limits.ts'
import { createFileParsers } from '../../src/files/parse-file.ts'
import type { FileBytes, ZipLimits } from '../../src/files/types.ts'
import { docxOf, fixture, outcomeOf, pdfOf, sheetRow, textFile, xlsxOf, zipOf } from '../harness/file-corpus.ts'

const MEBIBYTE = 1024 * 1024
const word = (text: string) => docxOf(`<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`)

test('a zip bomb is refused before it is unpacked', async () => {
  const bomb = textFile('a.docx', word('x'.repeat(4 * MEBIBYTE)))
  const refusal = (why: string) => `The file unpacks to more than is read here (${why}), so it was not opened.`
  const within = (zip: Partial<ZipLimits>) => ({ zip: { ...PARSE_LIMITS.zip, ...zip } })
  expect(await outcomeOf(bomb)).toEqual({ fault: refusal('it is packed like a zip bomb') })
  expect(await outcomeOf(bomb, within({ totalBytes: 2 * MEBIBYTE }))).toEqual({ fault: refusal('over 2 MB') })
  expect(await outcomeOf(bomb, within({ entries: 2 }))).toEqual({ fault: refusal('over 2 parts') })
})

test('a zip that lies about its sizes is unpacked no further than it says', () => {
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

test('a pdf that inflates far beyond the memory of a file ends its worker, not the process', async () => {
  const bytes = pdfOf([['']], () => Buffer.alloc(400 * MEBIBYTE, ' '))
  const before = process.memoryUsage.rss()
  let most = 0
  const look = setInterval(() => (most = Math.max(most, process.memoryUsage.rss() - before)), 10)
  const { fault } = await outcomeOf(textFile('a.pdf', bytes), { memoryMb: 128 })
  clearInterval(look)
  expect(fault).toContain('needs more memory than a file may take here')
  expect(most / MEBIBYTE).toBeLessThan(400)
})

test.each([
  [
    'a cell in the last corner of a sheet',
    'a.xlsx',
    xlsxOf(`${sheetRow(1, [1])}<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>`),
  ],
  [
    'rows as wide as a sheet can be',
    'a.xlsx',
    xlsxOf(
      `${Array.from({ length: 20_000 }, (_, i) => sheetRow(i + 1, [1])).join('')}<row r="20001"><c r="XFD20001"><v>1</v></c></row>`,
    ),
  ],
])('%s costs a worker at most: a sentence says so', async (_, name, bytes) => {
  const { fault } = await outcomeOf(textFile(name, bytes), { memoryMb: 400 })
  expect(fault).toMatch(/needs more memory than a file may take here|takes more than 12 seconds/)
})

test.each([
  ['tags that are never closed', 'a.html', `<html>${'<div>'.repeat(1_000_000)}`],
  ['tags that were never opened', 'a.html', `<html>${'<b>'.repeat(100_000)}${'</i>'.repeat(1_000_000)}`],
])('%s end with their time', async (_, name, text) => {
  const { file, fault } = await outcomeOf(textFile(name, text), { timeoutMs: 2000 })
  expect(file ?? fault).toBeDefined()
  if (fault) expect(fault).toMatch(/takes more than 2 seconds to read|holds no text/)
})

test.each([
  ['a line of 20 MB', 'a.txt', 'a'.repeat(20 * MEBIBYTE)],
  ['brackets ten million deep', 'a.json', '['.repeat(10_000_000)],
  ['20 MB of ampersands', 'a.html', `<html>${'&'.repeat(20 * MEBIBYTE)}`],
  ['20 MB of commas', 'a.csv', ','.repeat(20 * MEBIBYTE)],
  ['20 MB of quotes', 'a.csv', `"${'"'.repeat(20 * MEBIBYTE)}`],
  ['captions of half-open tags', 'a.vtt', `WEBVTT\n\n00:01.000 --> 00:02.000\n${'<v '.repeat(5_000_000)}`],
])('%s: an end within the time of one file', async (_, name, text) => {
  // Seconds of the clock, of which a busy machine gives a file but some: four times as many as it has where it is alone.
  const { file, fault } = await outcomeOf(textFile(name, text), { timeoutMs: 4 * PARSE_LIMITS.timeoutMs })
  expect(file ?? fault).toBeDefined()
  expect(fault ?? '').not.toContain('seconds')
})

test('an entity that a document declares is not expanded', async () => {
  const bomb = '<!DOCTYPE x [<!ENTITY a "boom"><!ENTITY b "&a;&a;&a;&a;">]>'
  const content = `${bomb}<office:document-content xmlns:office="o" xmlns:text="t"><text:p>before &b; after</text:p></office:document-content>`
  const mimetype = 'application/vnd.oasis.opendocument.text'
  const { file } = await outcomeOf(textFile('a.odt', zipOf({ mimetype, 'content.xml': content })))
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

/** A change inside of a packed file leaves the zip as it should be: it reaches the parser. */
function mutated(one: Mutation): FileBytes {
  const { name, bytes } = one.seed
  if (!one.isInside || bytes[0] !== 0x50) return { name, bytes: broken(bytes, one) }
  const members = unzipSync(bytes)
  const names = Object.keys(members).filter((member) => /^(?:content|(?:word|ppt|xl)\/.*)\.(?:xml|rels)$/.test(member))
  const chosen = names[Math.floor(one.member * (names.length - 1))] ?? ''
  return { name, bytes: zipSync({ ...members, [chosen]: broken(members[chosen] ?? bytes, one) }) }
}

test(
  'files broken at random give text or a sentence, one after the other, in the same process',
  { timeout: 180_000 },
  async () => {
    const parser = createFileParsers({
      limits: { ...PARSE_LIMITS, timeoutMs: 10_000, questionMs: 180_000 },
    }).forQuestion('U0')
    const files = fc.sample(mutation, { seed: 12, numRuns: 40 }).map(mutated)
    const outcomes = await Promise.all(files.map((file) => parser.parse(file)))
    for (const { file, fault } of outcomes) {
      if (file) expect(file.sections.some(({ lines }) => lines > 0)).toBe(true)
      else expect(fault).toMatch(/^[A-Z].*\.$/)
    }
    // Some are read in spite of it, some are not: both ways were walked.
    const read = outcomes.filter(({ file }) => file).length
    expect(read).toBeGreaterThan(5)
    expect(read).toBeLessThan(35)
  },
)
