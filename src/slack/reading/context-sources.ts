import type { Source } from '../../agent/contracts/tool.ts'
import { cutText } from '../../base/cut-text.ts'
import type { ThreadMessage } from '../client/thread-messages.ts'
import type { MessageContent } from '../content/message-content.ts'

/** More are not listed below an answer. */
export const MAX_SOURCES = 5
const TITLE_CHARS = 80

/** The address of a message. `workspace`: the workspace's address. */
export function permalinkOf(workspace: string, channel: string, { ts, thread_ts: root }: ThreadMessage): string {
  const query = root !== undefined && root !== ts ? `?thread_ts=${root}&cid=${channel}` : ''
  return `${new URL(workspace).origin}/archives/${channel}/p${ts.replace('.', '')}${query}`
}

/** The alerts, forwards and tables in a message of a thread. Authors of forwards may be ids. `shown`: `Author: words`. */
export function sourcesOf(
  { forwards, tables }: MessageContent,
  { shown, url, isApp }: { shown: string; url: string; isApp: boolean },
): Source[] {
  const originals = forwards.flatMap((one) =>
    one.url ? [{ title: `Forwarded from ${one.author}`, url: one.url }] : [],
  )
  const [first = ''] = shown.split('\n', 1)
  return isApp || tables.length > 0 ? [...originals, { title: cutText(first, TITLE_CHARS), url }] : originals
}

/** Returns the first one, which the thread is about, and the newest. */
export function boundedSources(sources: readonly Source[]): Source[] {
  const all = [...new Map(sources.map((source) => [source.url, source])).values()]
  return all.length <= MAX_SOURCES ? all : [...all.slice(0, 1), ...all.slice(1 - MAX_SOURCES)]
}
