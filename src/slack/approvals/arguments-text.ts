/** Formats the arguments of a tool's call for the people who approve it. */
import { stringifyExact } from '../../base/parse-json.ts'

/**
 * Formats arguments as JSON, one line per top-level field. Nothing is hidden: control and direction marks, invisible
 * characters and lone surrogates appear as `\u` escapes, which mean the same in JSON. The result is not mrkdwn: put it
 * into `rich_text`, or escape it. Takes linear time, also for deeply nested values.
 */
export function argumentsText(input: unknown): string {
  try {
    return byNumber(linesOf(input))
  } catch {
    return '(These arguments are nested too deeply to be shown.)'
  }
}

function linesOf(input: unknown): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return stringifyExact(input)
  const fields = Object.entries(input).filter(([, value]) => value !== undefined)
  if (fields.length === 0) return '{}'
  return `{\n${fields.map(([name, value]) => `  ${JSON.stringify(name)}: ${stringifyExact(value)}`).join(',\n')}\n}`
}

/** Returns text from others on one line, with hidden characters escaped. */
export function openLine(text: string): string {
  return byNumber(text.replace(/\s+/g, ' ').trim())
}

const HIDDEN = /(?![\n ])[\p{Cc}\p{Cf}\p{DI}\p{Z}\p{Cs}\p{Co}\p{NChar}\u2800]/gu

function byNumber(text: string): string {
  return text.replace(HIDDEN, (char) =>
    [...Array(char.length).keys()].map((i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
  )
}
