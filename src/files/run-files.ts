/** The files of one conversation, as its run's tools read and search them. */
import type { FilePart, RunFiles, ToolOutput } from '../agent/contracts/tool.ts'
import { uniqueSources, type MessageTable, type Source } from '../agent/contracts/evidence.ts'
import { keptTables } from '../agent/output-tables.ts'
import type { ThreadKey } from '../base/place.ts'
import { addressOf, type FileStore, type KeptFile } from './store/types.ts'
import { richestPart, searchPassages, type Passage } from './passages.ts'
import { readPart } from './read-part.ts'
import type { FileParser } from './parse-file.ts'
import { queryFiles } from './query-files.ts'
import {
  fileTables,
  hasTables,
  messageTables,
  resultTables,
  withUniqueTableNames,
  type RunTable,
} from './run-tables.ts'
import type { ParsedFile } from './types.ts'
import { sectionUnit } from './section-units.ts'

/** The maximum number of passages in an output, and of one file. */
const MAX_PASSAGES = 5
/** The number of files whose texts are held at once: a conversation may have 50, each of eight million characters. */
const MAX_HELD = 4
/** The maximum length of a query's result. */
const QUERY_CHARS = 8000
/** Space for the names and places in an output. */
const AROUND_CHARS = 400

type TextOf = (file: KeptFile) => Promise<ParsedFile | undefined>

/**
 * @param parser where queries run
 * @param maxChars TOOL_OUTPUT_CHARS: the maximum length of an output
 * @param tables those in messages
 */
export function runFiles(
  store: FileStore,
  thread: ThreadKey,
  parser: FileParser,
  maxChars: number,
  tables: readonly MessageTable[] = [],
): RunFiles {
  const texts = new Map<string, ReturnType<TextOf>>()
  const load: TextOf = async ({ id }) => {
    const content = await store.load(thread, id)
    return content && 'text' in content ? content.text : undefined
  }
  const textOf: TextOf = (file) => {
    const loading = texts.get(file.id) ?? load(file)
    // Keeps the most recently used last.
    texts.delete(file.id)
    texts.set(file.id, loading)
    // A failed load may succeed the next time.
    loading.catch(() => texts.delete(file.id))
    for (const id of texts.keys()) if (texts.size > MAX_HELD) texts.delete(id)
    return loading
  }
  const files = async () => withUniqueNames(await store.list(thread))
  return {
    async read(name, part) {
      const all = await files()
      const file = findNamed(all, name)
      return file ? readFile(file, part, await textOf(file), maxChars) : noSuchFile(all, name)
    },
    async search(query, name) {
      const all = await files()
      const file = name === undefined ? undefined : findNamed(all, name)
      if (name !== undefined && !file) return noSuchFile(all, name)
      return searchFiles(file ? [file] : all, query, textOf, maxChars)
    },
    async query(wanted, { signal, memory }) {
      const given = [...(await tablesIn(await files(), textOf)), ...messageTables(tables)]
      const all = withUniqueTableNames([...resultTables(keptTables(memory)), ...given])
      return queryFiles(wanted, all, parser, QUERY_CHARS, signal)
    },
  }
}

/** Returns the tables of the files, those of the newest last. */
async function tablesIn(files: readonly KeptFile[], textOf: TextOf): Promise<RunTable[]> {
  const found: RunTable[] = []
  for (const file of files.filter(hasTables)) {
    const text = await textOf(file)
    if (text) found.push(...fileTables(file, text))
  }
  return found
}

/** Numbers files of the same name. */
export function withUniqueNames(files: readonly KeptFile[]): KeptFile[] {
  const seen = new Map<string, number>()
  return files.map((file) => {
    const count = (seen.get(file.name) ?? 0) + 1
    seen.set(file.name, count)
    return count === 1 ? file : { ...file, name: `${file.name} (${count})` }
  })
}

/** Returns the file with this name, or else the newest file whose name overlaps with it. */
function findNamed(files: readonly KeptFile[], name: string | undefined): KeptFile | undefined {
  const wanted = name?.trim().toLowerCase() ?? ''
  if (wanted === '') return files.length === 1 ? files[0] : undefined
  const isNamed = (file: KeptFile) => file.name.toLowerCase() === wanted || file.id.toLowerCase() === wanted
  const isPartOf = ({ name }: KeptFile) => name.toLowerCase().includes(wanted) || wanted.includes(name.toLowerCase())
  return files.find(isNamed) ?? files.findLast(isPartOf)
}

function noSuchFile(files: readonly KeptFile[], name: string | undefined): ToolOutput {
  const list = files.map((file) => `${file.name} (${file.what})`).join(', ')
  const which = name === undefined ? 'Name the file.' : `There is no file "${name.slice(0, 100)}".`
  return { text: list === '' ? 'The files are no longer available.' : `${which} The files are: ${list}.` }
}

function readFile(file: KeptFile, part: FilePart, text: ParsedFile | undefined, maxChars: number): ToolOutput {
  if (!text) return { text: `${file.name} is ${file.what.toLowerCase()}: it contains no readable text.` }
  const read = readPart(text, part, Math.max(200, maxChars - AROUND_CHARS))
  if (read.text === undefined) return { text: `${file.name}: ${read.missing}` }
  const more = read.more ? `\n(${read.more})` : ''
  const sources = sourcesOf(file, text, read.sections, read.place)
  return { text: `${file.name}, ${read.place}:\n${read.text}${more}`, sources }
}

async function searchFiles(
  files: readonly KeptFile[],
  query: string,
  textOf: TextOf,
  maxChars: number,
): Promise<ToolOutput> {
  const found: { file: KeptFile; passage: Passage; sources: Source[] }[] = []
  for (const file of files) {
    const text = await textOf(file)
    if (!text) continue
    for (const passage of await searchPassages(text, query, MAX_PASSAGES))
      found.push({ file, passage, sources: sourcesOf(file, text, [passage.section], passage.place) })
  }
  const best = found.sort((a, b) => b.passage.score - a.passage.score).slice(0, MAX_PASSAGES)
  if (best.length === 0) return { text: 'It contains none of these words. Try other words, or read its pages.' }
  const each = Math.max(100, Math.floor(maxChars / best.length) - 100)
  const texts = best.map(
    ({ file, passage }) => `${file.name}, ${passage.place}:\n${richestPart(passage.text, query, each)}`,
  )
  const sources = best.flatMap((one) => one.sources)
  return { text: texts.join('\n\n'), sources: uniqueSources(sources) }
}

/** The place is a part of the address, so that two pages are two sources; viewers of PDFs know `page` (RFC 8118). */
function sourcesOf({ name, permalink }: KeptFile, text: ParsedFile, sections: number[], place: string): Source[] {
  if (!permalink) return []
  const [unit, first = 1, last = first] = [sectionUnit(text.kind), sections[0], sections.at(-1)]
  if (unit !== 'page' && unit !== 'slide') return [{ title: `${name}, ${place}`, url: addressOf(permalink, place) }]
  const pages = first === last ? `${unit} ${first}` : `${unit}s ${first}-${last}`
  return [{ title: `${name}, ${pages}`, url: addressOf(permalink, `${unit}=${first}`) }]
}
