import type { Button, ContextBlock, RichTextBlock } from '@slack/web-api'
import { escapeWithin } from './escape.ts'

/** A context block of plain text: small print that Slack does not format. */
export function plainContext(text: string): ContextBlock {
  return { type: 'context', elements: [plainText(text)] }
}

/** Limit of a line of small print. Eleven lines have less than the 3,000 characters that Slack accepts in a text. */
const LINE = { max: 260, maxEscaped: 260 }

/** The text of a `plainContext` with a line each. */
export function plainLines(lines: readonly string[] = []): string {
  return lines.map((line) => escapeWithin(line, LINE)).join('\n')
}

/** Plain text, which Slack does not format. The name of an emoji stays text. */
export function plainText(text: string) {
  return { type: 'plain_text' as const, text, emoji: false }
}

/** Rich text without formats, in which Slack links nothing. */
export function richText(text: string): RichTextBlock {
  const section = { type: 'rich_text_section' as const, elements: [{ type: 'text' as const, text }] }
  return { type: 'rich_text', elements: [section] }
}

export function button(
  action_id: string,
  text: string,
  { value, style }: { value: string; style?: 'primary' | 'danger' },
): Button {
  return { type: 'button', action_id, text: plainText(text), value, ...(style ? { style } : {}) }
}
