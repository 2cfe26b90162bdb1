import { uniqueSources, type MessageTable, type Source } from '../../agent/contracts/evidence.ts'
import { cutText } from '../../base/cut-text.ts'
import type { ThreadMessage } from '../client/thread-messages.ts'
import type { MessageContent } from '../content/message-content.ts'

/** More are not listed below an answer. */
const MAX_SOURCES = 5
const TITLE_CHARS = 80
/** Characters of all tables that are kept with a question. Slack cuts a message at far fewer. */
const TABLES_CHARS = 60_000
const MAX_TABLES = 20

/** The address of a message. `workspace`: the workspace's address. */
export function permalinkOf(workspace: string, channel: string, { ts, thread_ts: root }: ThreadMessage): string {
  const query = root !== undefined && root !== ts ? `?thread_ts=${root}&cid=${channel}` : ''
  return `${new URL(workspace).origin}/archives/${channel}/p${ts.replace('.', '')}${query}`
}

/**
 * The alerts, forwards and tables in a message of a thread. Authors of forwards may be ids. `shown`: `Author: words`.
 */
export function messageSources(
  { forwards, tables }: MessageContent,
  { shown, url, isApp }: { shown: string; url: string; isApp: boolean },
): Source[] {
  const originals = forwards.flatMap((one) =>
    one.url ? [{ title: `Forwarded from ${one.author}`, url: one.url }] : [],
  )
  const [first = ''] = shown.split('\n', 1)
  return isApp || tables.length > 0 ? [...originals, { title: titleFrom(first), url }] : originals
}

/** Names an address by its host, and cuts between words. */
function titleFrom(line: string): string {
  const words = line.replace(/ ?\(https?:\/\/[^\s)]*\)/g, '').replace(/https?:\/\/([^\s/?#]+)\S*/g, '$1')
  if (words.length <= TITLE_CHARS) return words
  const at = words.slice(0, TITLE_CHARS + 1).lastIndexOf(' ')
  return `${at > TITLE_CHARS / 2 ? words.slice(0, at) : cutText(words, TITLE_CHARS)} …`
}

/** Returns the first tables within the bounds, each with a name. Those that do not fit are left out. */
export function boundedTables(tables: readonly MessageTable[]): MessageTable[] {
  let left = TABLES_CHARS
  const fitting = tables.slice(0, MAX_TABLES).filter(({ columns, rows }) => {
    const chars = [columns, ...rows].flat().reduce((sum, cell) => sum + cell.length + 1, 0)
    const fits = chars <= left
    if (fits) left -= chars
    return fits
  })
  const single = fitting.filter(({ name }) => name === '').length === 1
  return fitting.map((table, i) =>
    table.name === '' ? { ...table, name: single ? 'the table' : `table ${i + 1}` } : table,
  )
}

/** Returns the first one, which the thread is about, and the newest. */
export function boundedSources(sources: readonly Source[]): Source[] {
  const all = uniqueSources(sources)
  return all.length <= MAX_SOURCES ? all : [...all.slice(0, 1), ...all.slice(1 - MAX_SOURCES)]
}
