import type { Button, ContextBlock, RichTextBlock, SectionBlock } from '@slack/web-api'
import { escapeWithin } from './escape.ts'

/** A context block of plain text: small print that Slack does not format. */
export function plainContext(text: string): ContextBlock {
  return { type: 'context', elements: [plainTextElement(text)] }
}

/**
 * Limits in characters: of a line of small print, of all lines of a message, and of a text, for which Slack has 3,000.
 */
const LINE_CHARS = 260
const LINES_CHARS = 9_000
const TEXT_CHARS = 2_900

/** Returns texts for `plainContext` with a line each, as few as possible. If there are many lines, each is shorter. */
export function plainLines(lines: readonly string[] = []): string[] {
  const max = Math.min(LINE_CHARS, Math.floor(LINES_CHARS / lines.length))
  const texts: string[] = []
  for (const line of lines.map((line) => escapeWithin(line, { max, maxEscaped: max }))) {
    const text = texts.at(-1)
    if (text === undefined || text.length + 1 + line.length > TEXT_CHARS) texts.push(line)
    else texts[texts.length - 1] = `${text}\n${line}`
  }
  return texts
}

/** Plain text, which Slack does not format. The name of an emoji stays text. */
export function plainTextElement(text: string) {
  return { type: 'plain_text' as const, text, emoji: false }
}

/** A section of plain text, with a button beside it. */
export function plainSection(text: string, accessory?: Button): SectionBlock {
  return { type: 'section', text: plainTextElement(text), accessory }
}

/** Text in a fixed-width font, in which Slack formats and links nothing. */
export function preformatted(text: string): RichTextBlock {
  const part = { type: 'rich_text_preformatted' as const, elements: [{ type: 'text' as const, text }] }
  return { type: 'rich_text', elements: [{ ...part, border: 0 }] }
}

/** Rich text without formats, in which Slack links nothing. */
export function richTextBlock(text: string): RichTextBlock {
  const section = { type: 'rich_text_section' as const, elements: [{ type: 'text' as const, text }] }
  return { type: 'rich_text', elements: [section] }
}

export function button(
  action_id: string,
  text: string,
  { value, style }: { value: string; style?: 'primary' | 'danger' },
): Button {
  return { type: 'button', action_id, text: plainTextElement(text), value, style }
}
