import type { Button, ContextBlock } from '@slack/web-api'

/** Words of which Slack formats nothing, in small print. */
export function plainContext(text: string): ContextBlock {
  return { type: 'context', elements: [plainText(text)] }
}

/** Of `text` Slack formats nothing, and makes no emoji of what is only their name. */
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
