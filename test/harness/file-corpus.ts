/**
 * Files for the tests: those of `test/fixtures/files`, which LibreOffice made, and generated ones that are too large,
 * unusual or broken to store.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { strToU8, zipSync, type ZipOptions } from 'fflate'
import { fileTypeOf } from '../../src/files/file-type.ts'
import { createFileParsers } from '../../src/files/parse-file.ts'
import { PARSE_LIMITS } from '../../src/files/parse-file.ts'
import { parsePlain } from '../../src/files/parsers/plain-lines.ts'
import type { FileBytes, ParsedFile, ParseLimits, ParseOutcome } from '../../src/files/types.ts'
import { ROOT } from '../../src/base/package-root.ts'

export const FIXTURES = join(ROOT, 'test', 'fixtures', 'files')

export function fixture(name: string): FileBytes {
  return { name, bytes: readFileSync(join(FIXTURES, name)) }
}

export function textFile(name: string, text: string | Uint8Array): FileBytes {
  return { name, bytes: typeof text === 'string' ? strToU8(text) : text }
}

/** Returns a parser's result for the file, within these limits. */
export function outcomeOf(file: FileBytes, limits: Partial<ParseLimits> = {}): Promise<ParseOutcome> {
  return createFileParsers({ limits: { ...PARSE_LIMITS, ...limits } })
    .forQuestion('U0', Date.now)
    .parse(file)
}

/** Returns the parsed file, with a time limit for a busy machine. */
export async function parsed(file: FileBytes, limits: Partial<ParseLimits> = {}): Promise<ParsedFile> {
  const outcome = await outcomeOf(file, { timeoutMs: 4 * PARSE_LIMITS.timeoutMs, ...limits })
  if (!outcome.file) throw new Error(`${file.name}: ${outcome.fault}`)
  return outcome.file
}

/** Returns the file as the parser of plain texts reads it, in this process, which saves starting a reader's. */
export function parsedHere(file: FileBytes, limits: Partial<ParseLimits> = {}): ParsedFile {
  const type = fileTypeOf(file)
  if (!('kind' in type)) throw new Error(`${file.name} is not text.`)
  return parsePlain({ ...file, ...type, limits: { ...PARSE_LIMITS, ...limits } })
}

/** OpenDocument requires that `mimetype` is not compressed. */
export function zipOf(members: Record<string, string | Uint8Array>): Uint8Array {
  const packed = Object.entries(members).map(([name, text]): [string, [Uint8Array, ZipOptions]] => [
    name,
    [typeof text === 'string' ? strToU8(text) : text, { level: name === 'mimetype' ? 0 : 6 }],
  ])
  return zipSync(Object.fromEntries(packed))
}

/** Returns a PDF whose pages show these lines. `content` replaces the drawing of a page. */
export function pdfOf(pages: string[][], content = (lines: string[]) => Buffer.from(drawing(lines))): Uint8Array {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${pages.length}/Kids[${pages.map((_, i) => `${4 + 2 * i} 0 R`).join(' ')}]>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
    ...pages.flatMap((lines, i) => {
      const stream = deflateSync(content(lines)).toString('latin1')
      return [
        `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents ${5 + 2 * i} 0 R/Resources<</Font<</F1 3 0 R>>>>>>`,
        `<</Filter/FlateDecode/Length ${stream.length}>>\nstream\n${stream}\nendstream`,
      ]
    }),
  ]
  let text = '%PDF-1.4\n'
  const places = objects.map((object, i) => {
    const at = text.length
    text += `${i + 1} 0 obj\n${object}\nendobj\n`
    return `${String(at).padStart(10, '0')} 00000 n \n`
  })
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`
  return Buffer.from(
    `${text}${table}trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  )
}

function drawing(lines: string[]): string {
  const shown = lines.map((line) => `(${line.replace(/[()\\]/g, '\\$&')}) Tj T*`)
  return `BT /F1 10 Tf 12 TL 50 740 Td ${shown.join('\n')} ET`
}

const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006'

const relation = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="${OFFICE}/relationships/${type}" Target="${target}"/>`
const relations = (...all: string[]) =>
  `<Relationships xmlns="${PACKAGE}/relationships">${all.join('')}</Relationships>`

/** Returns a workbook with one sheet of this `sheetData`. Its name is not escaped. */
export function xlsxOf(sheetData: string, name = 'Data'): Uint8Array {
  return zipOf({
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"/>`,
    '_rels/.rels': relations(relation('r1', 'officeDocument', 'xl/workbook.xml')),
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets><sheet name="${name}" sheetId="1" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(relation('r1', 'worksheet', 'worksheets/sheet1.xml')),
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${sheetData}</sheetData></worksheet>`,
  })
}

export function sheetRow(number: number, cells: (string | number)[]): string {
  const written = cells.map((cell, i) => {
    const at = `r="${String.fromCharCode(65 + i)}${number}"`
    return typeof cell === 'number'
      ? `<c ${at}><v>${cell}</v></c>`
      : `<c ${at} t="inlineStr"><is><t>${cell}</t></is></c>`
  })
  return `<row r="${number}">${written.join('')}</row>`
}

/** Returns a pdf of some kB that needs more memory than one file may use. */
export function hungryPdf(): Uint8Array {
  return pdfOf([['']], () => Buffer.alloc(400 * 1024 * 1024, ' '))
}

/** Returns a Word document with this body. */
export function docxOf(body: string): Uint8Array {
  const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'
  const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
  return zipOf({
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="${type}"/></Types>`,
    '_rels/.rels': relations(relation('r1', 'officeDocument', 'word/document.xml')),
    'word/document.xml': `<w:document xmlns:w="${word}"><w:body>${body}</w:body></w:document>`,
  })
}

/** Returns a presentation whose slides have these shapes. They are shown in the reverse order of their file names. */
export function pptxOf(slides: string[]): Uint8Array {
  const ids = slides.map((_, i) => `<p:sldId id="${256 + i}" r:id="s${slides.length - i}"/>`)
  return zipOf({
    'ppt/presentation.xml': `<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst>${ids.join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(
      ...slides.map((_, i) => relation(`s${i + 1}`, 'slide', `slides/slide${i + 1}.xml`)),
    ),
    ...Object.fromEntries(
      slides
        .toReversed()
        .map((shapes, i) => [`ppt/slides/slide${i + 1}.xml`, `<p:sld xmlns:p="p" xmlns:a="a">${shapes}</p:sld>`]),
    ),
  })
}
