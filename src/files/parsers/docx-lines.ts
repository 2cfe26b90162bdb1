/** Parses a docx into lines: its body, with its notes, comments, headers and footers once. */
import { SectionWriter } from '../section-writer.ts'
import { decodeText } from '../text-decoding.ts'
import type { ParsedFile } from '../types.ts'
import { readMembers, type ZipMembers } from '../zip-members.ts'
import { chartLines } from './chart-lines.ts'
import { DocxBody, paragraphOf, type DocxContext } from './docx-body.ts'
import { DocxNumbering } from './docx-numbering.ts'
import { readHtml } from './html-lines.ts'
import { PageLines } from './page-lines.ts'
import { UnreadableFile, type ToParse } from './parser.ts'
import { readShapes } from './pptx-slides.ts'
import { relationshipsOf, type Relationship } from './relationships.ts'
import { walkXml } from './xml-walk.ts'

/** Pictures, fonts and macros are not unpacked. */
const isText = (name: string) => /\.(?:xml|rels|html?|xhtml|txt)$/i.test(name)
const BODY = /^word\/document\d*\.xml$/

export function parseDocx({ bytes, limits }: ToParse): ParsedFile {
  const members = readMembers(bytes, isText, limits.zip)
  const names = Object.keys(members)
  const main = relationshipsOf(members, '').find(({ type }) => type === 'officeDocument')?.path
  const body = main && members[main] ? main : names.find((name) => BODY.test(name))
  if (!body) throw new UnreadableFile('The file is damaged: it has no content.')
  const page = new PageLines(new SectionWriter(limits.maxChars))
  const numbering = new DocxNumbering(members)
  const commented = notesIn(members, 'comment')
  const comments = new Map(
    commented.map(({ id, author, text }) => [id, `Comment${author ? ` by ${author}` : ''}: ${text}`]),
  )
  const drawn = new Set<string>()
  const read = (name: string) => {
    const relations = new Map(relationshipsOf(members, name).map((one) => [one.id, one]))
    const links = new Map([...relations].map(([id, { isExternal, target }]) => [id, isExternal ? target : '']))
    const part = (id: string) => {
      const relation = relations.get(id)
      // A part is read once, however often it is named.
      if (relation && drawn.has(relation.path)) return
      if (relation) drawn.add(relation.path)
      readPart(members, relation, page)
    }
    const context: DocxContext = { page, numbering, links, comments, part }
    walkXml(members[name], new DocxBody(context))
    page.endLine()
  }
  const around = (what: string) => names.filter((name) => new RegExp(`^word/${what}\\d*\\.xml$`).test(name))
  for (const text of textsOf(members, around('header'))) paragraphOf(page, `Header: ${text}`)
  read(body)
  for (const { id, text } of notesIn(members, 'footnote')) paragraphOf(page, `[${id}] ${text}`)
  for (const { id, text } of notesIn(members, 'endnote')) paragraphOf(page, `[e${id}] ${text}`)
  for (const text of textsOf(members, around('footer'))) paragraphOf(page, `Footer: ${text}`)
  return page.file('docx')
}

/** Returns the different texts of headers and footers: most sections repeat the same. */
function textsOf(members: ZipMembers, parts: string[]): string[] {
  const texts = parts.map((part) => {
    const pieces: string[] = []
    walkXml(members[part], paragraphReader(pieces))
    return pieces.join('').replace(/\s+/g, ' ').trim()
  })
  return [...new Set(texts.filter((text) => text !== ''))]
}

/** Returns the notes of `word/footnotes.xml`, `endnotes.xml` and `comments.xml`, without their separators. */
function notesIn(members: ZipMembers, what: string): { id: string; author: string; text: string }[] {
  const notes: { id: string; author: string; pieces: string[] }[] = []
  let reader = paragraphReader([])
  walkXml(members[`word/${what}s.xml`], {
    open: (name, attributes) => {
      if (name === what) {
        const pieces: string[] = []
        if (!/separator|continuation/i.test(attributes.type ?? ''))
          notes.push({ id: attributes.id ?? '', author: attributes.author ?? '', pieces })
        reader = paragraphReader(pieces)
      }
      reader.open(name)
    },
    close: (name) => reader.close(name),
    text: (text, inside) => reader.text(text, inside),
  })
  return notes
    .map(({ id, author, pieces }) => ({ id, author, text: pieces.join('').replace(/\s+/g, ' ').trim() }))
    .filter(({ text }) => text !== '')
}

function paragraphReader(pieces: string[]) {
  let deleted = 0
  return {
    open: (name: string) => {
      if (name === 'del' || name === 'moveFrom') deleted += 1
      if (name === 'tab' || name === 'br') pieces.push(' ')
    },
    close: (name: string) => {
      if (name === 'del' || name === 'moveFrom') deleted -= 1
      if (name === 'p') pieces.push(' ')
    },
    text: (text: string, inside: string) => {
      if (inside === 't' && deleted === 0) pieces.push(text)
    },
  }
}

/** Writes what a part says that Word shows inside the document: a page, a text, a chart or a diagram. */
function readPart(members: ZipMembers, relation: Relationship | undefined, page: PageLines): void {
  const bytes = relation && members[relation.path]
  if (relation?.type === 'chart') return linesOrCount(page, chartLines(bytes), 'chart')
  if (relation?.type === 'diagramData') return linesOrCount(page, readShapes(bytes).lines, 'diagram')
  if (!bytes) return page.unread('embedded document')
  page.endLine()
  if (/\.x?html?$/i.test(relation.path)) readHtml(decodeText(bytes), page)
  else for (const line of decodeText(bytes).split(/\r?\n/)) paragraphOf(page, line)
}

function linesOrCount(page: PageLines, lines: string[], what: string): void {
  if (lines.length === 0) page.unread(what)
  for (const line of lines) paragraphOf(page, line)
}
