import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A page of the simulated wiki. `text` is MediaWiki's plain-text form: paragraphs on lines, `== Headings ==`. */
export interface WikiPage {
  id: number
  title: string
  redirects: string[]
  disambiguation: boolean
  text: string
}

/** The pages shipped for offline use. */
export function shippedPages(): WikiPage[] {
  return parsePages(readFileSync(join(import.meta.dirname, 'wiki-pages.txt'), 'utf8'))
}

/** Parses the format that wiki-pages.txt explains in its first lines. */
export function parsePages(source: string): WikiPage[] {
  return source
    .split(/^# /m)
    .slice(1)
    .map((block, index) => parsePage(block, 1000 + index))
}

/** TextExtracts writes three line breaks before a heading and one after it. */
function parsePage(block: string, id: number): WikiPage {
  const [title = '', ...lines] = block.split('\n')
  const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
  const text = lines.filter((line) => !/^(redirects|kind): /.test(line)).join('\n')
  return {
    id,
    title: title.trim(),
    redirects: field('redirects')?.split(' | ') ?? [],
    disambiguation: field('kind') === 'disambiguation',
    text: text
      .trim()
      .replace(/\n+(==)/g, '\n\n\n$1')
      .replace(/(==)\n+/g, '$1\n'),
  }
}

/** Returns a title as MediaWiki stores it: no underscores, no fragment, the first letter a capital. */
export function normalTitle(title: string): string {
  const text = (title.split('#')[0] ?? '')
    .replace(/[_\s]+/g, ' ')
    .trim()
    .normalize('NFC')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

/** Returns the text before the first heading. */
export function introOf(page: WikiPage): string {
  return (page.text.split(/\n+==/)[0] ?? '').trim()
}
