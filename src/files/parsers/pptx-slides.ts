/**
 * Parses a PowerPoint presentation into slides: titles, paragraphs, tables and speaker notes (ECMA-376, part 1, 19 and
 * 21).
 */
import { SectionWriter } from '../section-writer.ts'
import type { ParsedFile } from '../types.ts'
import { readMembers, type ZipMembers } from '../zip-members.ts'
import { UnreadableFile, type ToParse } from './parser.ts'
import { chartLines } from './chart-lines.ts'
import { DrawnParagraph } from './drawn-paragraph.ts'
import { relationshipsOf } from './relationships.ts'
import { walkXml } from './xml-walk.ts'

const PRESENTATION = 'ppt/presentation.xml'
const isWanted = (name: string) =>
  /^ppt\/(?:presentation\.xml|(?:slides|diagrams|charts)\/[^/]+\.xml|notesSlides\/[^/]+\.xml|(?:slides\/)?_rels\/[^/]+\.rels)$/.test(
    name,
  )

export function parsePptx({ bytes, limits }: ToParse): ParsedFile {
  const members = readMembers(bytes, isWanted, limits.zip)
  const writer = new SectionWriter(limits.maxChars)
  for (const path of slidePaths(members)) {
    if (writer.isFull) break
    const parts = relationshipsOf(members, path)
    const links = new Map(parts.flatMap(({ id, isExternal, target }) => (isExternal ? [[id, target] as const] : [])))
    const { title, lines, tables } = readShapes(members[path], links)
    const notes = parts.find(({ type }) => type === 'notesSlide')
    for (const part of parts) {
      if (part.type === 'diagramData') lines.push(...readShapes(members[part.path]).lines)
      if (part.type === 'chart' || part.type === 'chartEx') lines.push(...chartLines(members[part.path]))
    }
    const spoken = notes ? readShapes(members[notes.path]).lines : []
    writer.name(title)
    writer.write(lines.join('\n'))
    for (const rows of tables) writer.table(rows, { caption: title })
    if (spoken.length > 0) writer.write(`Notes: ${spoken.join('\n')}`)
    writer.endSection()
  }
  if (writer.sections.length === 0) throw new UnreadableFile('The presentation has no slides, or is damaged.')
  if (writer.sections.every(({ lines }) => lines === 0))
    throw new UnreadableFile('The slides contain only pictures, no text.')
  return writer.file('pptx')
}

/** Returns the slides in presentation order, which the file names do not tell. */
function slidePaths(members: ZipMembers): string[] {
  const targets = new Map(relationshipsOf(members, PRESENTATION).map(({ id, path }) => [id, path]))
  const paths: string[] = []
  const open = (name: string, { id = '' }: Record<string, string>) => {
    const path = name === 'sldId' ? targets.get(id) : undefined
    if (path && members[path]) paths.push(path)
  }
  walkXml(members[PRESENTATION], { open })
  return paths
}

/** The longest description of a picture that is read. */
const MAX_DESCRIPTION = 500

interface Shapes {
  title: string
  lines: string[]
  tables: string[][][]
}

/**
 * Returns paragraphs and table rows in the order of the shapes, without what PowerPoint fills in itself (number, date).
 * `links`: the targets of links by their ids.
 */
export function readShapes(bytes: Uint8Array | undefined, links: ReadonlyMap<string, string> = new Map()): Shapes {
  const lines: string[] = []
  const tables: string[][][] = []
  const paragraph = new DrawnParagraph(links)
  let [title, placeholder, isPicture] = ['', '', false]
  let row: string[] | undefined
  const endParagraph = () => {
    const line = paragraph.take()
    if (line === '' || /^(?:sldNum|dt|ftr|hdr)$/.test(placeholder)) return
    if (/^(?:title|ctrTitle)$/.test(placeholder) && title === '') title = line
    if (row) row[row.length - 1] = `${row.at(-1) ?? ''} ${line}`.trim()
    else lines.push(line)
  }
  walkXml(bytes, {
    open: (name, attributes) => {
      paragraph.open(name, attributes)
      if (name === 'sp') placeholder = ''
      if (name === 'ph') placeholder = attributes.type ?? 'body'
      if (name === 'pic') isPicture = true
      const description = name === 'cNvPr' && isPicture ? (attributes.descr ?? '').replace(/\s+/g, ' ').trim() : ''
      if (description !== '') lines.push(`[Image: ${description.slice(0, MAX_DESCRIPTION)}]`)
      if (name === 'tbl') tables.push([])
      if (name === 'tr') row = []
      if (name === 'tc') row?.push('')
    },
    close: (name) => {
      paragraph.close(name)
      if (name === 'pic') isPicture = false
      if (name === 'p') endParagraph()
      if (name !== 'tr' || !row) return
      lines.push(row.join(' | '))
      tables.at(-1)?.push(row)
      row = undefined
    },
    text: (text, inside) => paragraph.text(text, inside),
  })
  return { title, lines, tables }
}
