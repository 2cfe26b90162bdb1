/** What a tool is going to be sent, as people read it before they allow it. */

/**
 * The arguments as JSON, a line for each field at the top: nothing in it is hidden. What a person would not see (control and
 * direction marks, characters without a form, halves of characters) stands there by its number, which is the same to JSON. It is no
 * mrkdwn: it belongs into `rich_text`, or has to be escaped. Takes linear time, also for what is nested deeply.
 */
export function argumentsText(input: unknown): string {
  try {
    return byNumber(linesOf(input))
  } catch {
    return '(These arguments are nested too deeply to be shown.)'
  }
}

function linesOf(input: unknown): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return JSON.stringify(input) ?? ''
  const fields = Object.entries(input).filter(([, value]) => value !== undefined)
  if (fields.length === 0) return '{}'
  return `{\n${fields.map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(',\n')}\n}`
}

/** Words of others on one line, in which nothing is hidden. */
export function openLine(text: string): string {
  return byNumber(text.replace(/\s+/g, ' ').trim())
}

const HIDDEN = /(?![\n ])[\p{Cc}\p{Cf}\p{DI}\p{Z}\p{Cs}\p{Co}\p{NChar}\u2800]/gu

function byNumber(text: string): string {
  return text.replace(HIDDEN, (char) =>
    [...Array(char.length).keys()].map((i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
  )
}
