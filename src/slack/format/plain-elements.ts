import type { Button, ContextBlock } from '@slack/web-api'

/** A context block of plain text: small print that Slack does not format. */
export function plainContext(text: string): ContextBlock {
  return { type: 'context', elements: [plainText(text)] }
}

/** Plain text, which Slack does not format. The name of an emoji stays text. */
export function plainText(text: string) {
  return { type: 'plain_text' as const, text, emoji: false }
}

export function button(
  action_id: string,
  text: string,
  { value, style }: { value: string; style?: 'primary' | 'danger' },
): Button {
  return { type: 'button', action_id, text: plainText(text), value, ...(style ? { style } : {}) }
}
