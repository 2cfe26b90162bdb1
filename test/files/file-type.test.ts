/** A file's type by its content, and the sentence about a file that is not read. */
import { unzipSync, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { fileTypeOf } from '../../src/files/file-type.ts'
import { docxOf, fixture, outcomeOf, pdfOf, textFile, xlsxOf, zipOf } from '../harness/file-corpus.ts'

const bytes = (latin1: string) => Buffer.from(latin1, 'latin1')

test.each([
  ['pdf', fixture('handbook.pdf')],
  ['docx', fixture('handbook.docx')],
  ['odt', fixture('handbook.odt')],
  ['pptx', fixture('rollout.pptx')],
  ['odp', fixture('rollout.odp')],
  ['xlsx', fixture('sales.xlsx')],
  ['ods', fixture('sales.ods')],
  ['html', fixture('handbook.html')],
  ['transcript', textFile('clip', 'WEBVTT\n\n')],
])('a %s is known by its content, whatever it is called', (kind, file) => {
  expect(fileTypeOf({ ...file, name: 'picture.png.exe' })).toMatchObject({ kind })
})

test('a repacked OpenDocument is recognized', () => {
  const { bytes } = fixture('handbook.odt')
  expect(fileTypeOf({ name: 'a', bytes: zipSync(unzipSync(bytes)) })).toEqual({ kind: 'odt' })
})

test.each([
  ['png', '\x89PNG\r\n\x1a\n\0\0'],
  ['jpeg', '\xff\xd8\xff\xe0'],
  ['gif', 'GIF89a..'],
  ['webp', 'RIFF\0\0\0\0WEBPVP8 '],
])('a %s is a picture, even when it is called report.pdf', (picture, content) => {
  expect(fileTypeOf({ name: 'report.pdf', bytes: bytes(content) })).toEqual({ picture })
})

test.each([
  ['a.csv', 'csv'],
  ['a.tsv', 'csv'],
  ['a.md', 'markdown'],
  ['README.MD', 'markdown'],
  ['a.py', 'code'],
  ['Dockerfile', 'code'],
  ['a.json', 'json'],
  ['a.srt', 'transcript'],
  ['a.log', 'text'],
  ['report.pdf', 'text'],
])('of text the name tells the flavour: %s is %s', (name, kind) => {
  expect(fileTypeOf(textFile(name, 'one, two\n'))).toEqual({ kind, encoding: 'utf-8' })
})

test.each([
  ['a file of spaces', textFile('a.txt', ' \n '), 'The file is empty.'],
  [
    'an Office file with a password',
    {
      name: 'a.docx',
      bytes: bytes(`\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1${'\0'.repeat(512)}${[...'EncryptedPackage'].join('\0')}`),
    },
    'password',
  ],
  ['an old Word file', fixture('handbook.doc'), 'Save it as docx'],
  ['RTF', fixture('handbook.rtf'), 'Save it as docx'],
  ['a zip', textFile('a.zip', zipOf({ 'a.txt': 'x' })), 'An archive is not read'],
  ['a video', { name: 'a.mp4', bytes: bytes('\0\0\0\x18ftypmp42') }, 'A recording is not read'],
  ['anything else', { name: 'a.bin', bytes: bytes('\x01\0\x02\x03') }, 'I cannot read this kind of file'],
  ['half a docx', { name: 'a.docx', bytes: fixture('handbook.docx').bytes.subarray(0, 3000) }, 'The file is damaged'],
])('%s gets a sentence, and no parser', (_, file, sentence) => {
  expect(fileTypeOf(file)).toEqual({ fault: expect.stringContaining(sentence) })
  expect(fileTypeOf(file)).toEqual({ fault: expect.stringMatching(/^[A-Z].*\.$/) })
})

test.each([
  ['an empty file', textFile('a.txt', ''), 'The file is empty.'],
  ['a pdf with a password', fixture('locked.pdf'), 'password'],
  ['an OpenDocument with a password', textFile('a.odt', lockedOdt()), 'password'],
  ['a picture, read as text', { name: 'a.png', bytes: bytes('\x89PNG\r\n\x1a\n') }, 'This is a picture'],
  [
    'a scanned pdf',
    textFile(
      'a.pdf',
      pdfOf([[], []], () => Buffer.from('0 0 m 9 9 l S')),
    ),
    'Its 2 pages hold no text that can be read: it was probably scanned.',
  ],
  ['a broken pdf', textFile('a.pdf', '%PDF-1.7\nnothing follows'), 'The file is damaged'],
  ['a broken docx', textFile('a.docx', docxOf('<w:p><w:r>')), 'The file is damaged'],
  ['half an odt', { name: 'a.odt', bytes: fixture('handbook.odt').bytes.subarray(0, 3000) }, 'The file is damaged'],
  ['a broken xlsx', textFile('a.xlsx', zipOf({ 'xl/workbook.xml': '<oops' })), 'The file is damaged'],
  ['a pptx without slides', textFile('a.pptx', zipOf({ 'ppt/presentation.xml': '<a/>' })), 'has no slides'],
  ['an empty workbook', textFile('a.xlsx', xlsxOf('')), 'empty'],
  ['an empty docx', textFile('a.docx', docxOf('<w:p/>')), 'The file contains no text.'],
])('%s gets a sentence', async (_, file, sentence) => {
  const { fault } = await outcomeOf(file)
  expect(fault).toContain(sentence)
  expect(fault).toMatch(/^[A-Z].*\.$/)
})

function lockedOdt(): Uint8Array {
  const mimetype = 'application/vnd.oasis.opendocument.text'
  const manifest =
    '<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>'
  return zipOf({ mimetype, 'content.xml': 'x', 'META-INF/manifest.xml': manifest })
}
