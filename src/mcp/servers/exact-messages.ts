/** Messages whose numbers keep their digits, see base/parse-json.ts: in arguments, and in structured results. */
import { digitsOf, isRecord, parseExact, parseJson, unmarkJson, withLargeMarked } from '../../base/parse-json.ts'

/**
 * Marks the numbers of a structured result, and the large ones of the tools' schemas. The SDK checks the types of all
 * others, which stay as they are.
 */
export function markMessage(text: string): string {
  const message = mayMark(text) ? parseJson(text) : undefined
  const marked = message === undefined ? undefined : parseExact(text)
  if (!isRecord(message) || !isRecord(message.result) || !isRecord(marked) || !isRecord(marked.result)) return text
  const { structuredContent, tools } = marked.result
  const parts = {
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(Array.isArray(message.result.tools) && Array.isArray(tools)
      ? { tools: withSchemas(message.result.tools, tools) }
      : {}),
  }
  return JSON.stringify({ ...message, result: { ...message.result, ...parts } })
}

/** A cheap look: most messages hold nothing to mark. */
function mayMark(text: string): boolean {
  return text.includes('"structuredContent"') || (text.includes('"inputSchema"') && /\d{16}/.test(text))
}

function withSchemas(tools: unknown[], marked: unknown[]): unknown[] {
  return tools.map((tool, i) => {
    const [given] = [marked[i]].filter(isRecord)
    return isRecord(tool) && given?.inputSchema !== undefined
      ? { ...tool, inputSchema: withLargeMarked(given.inputSchema) }
      : tool
  })
}

const EVENT_END = /\r\n\r\n|\n\r?\n|\r\r/g

/** Marks the messages of a response: one JSON text, or the data of each event. */
export async function* markMessages(
  chunks: AsyncGenerator<Uint8Array, undefined>,
  isEvents: boolean,
): AsyncGenerator<Uint8Array, undefined> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let pieces: string[] = []
  let tail = ''
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true })
    const end = isEvents ? [...(tail + text).matchAll(EVENT_END)].at(-1) : undefined
    const at = end ? end.index + end[0].length - tail.length : 0
    if (end) {
      yield Buffer.from(markEvents(pieces.join('') + text.slice(0, at)))
      pieces = []
    }
    const rest = text.slice(at)
    pieces.push(rest)
    tail = (end ? rest : tail + text).slice(-3)
  }
  const rest = pieces.join('') + decoder.decode()
  if (rest !== '') yield Buffer.from(isEvents ? markEvents(rest) : markMessage(rest))
  return undefined
}

/** An event's data may have several lines, which are one text. */
function markEvents(events: string): string {
  if (!mayMark(events)) return events
  return events.replace(/(?:^data:[^\r\n]*(?:\r\n|\r|\n|$))+/gm, (lines) => {
    const data = lines.replace(/^data: ?/gm, '')
    const marked = markMessage(data)
    return marked === data ? lines : `data: ${marked}\n`
  })
}

const PARAMETER = /^mcp-param-/i
const ENCODED = /^=\?base64\?([A-Za-z\d+/=]*)\?=$/

/** Writes the numbers of a request as they were: in its body, and in the headers that repeat arguments. */
export function unmarkRequest(body: string, headers: Headers): string {
  for (const [name, value] of [...headers]) {
    const encoded = PARAMETER.test(name) ? ENCODED.exec(value)?.[1] : undefined
    const digits = encoded === undefined ? undefined : digitsOf(Buffer.from(encoded, 'base64').toString('utf8'))
    if (digits !== undefined) headers.set(name, digits)
  }
  return unmarkJson(body)
}
