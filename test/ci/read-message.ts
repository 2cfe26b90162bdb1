/** Adapter for `check-shapes.mjs`: reads a message with names for its ids. */
import { contentText, type ReadableMessage } from '../../src/slack/content/message-content.ts'

export function read(message: ReadableMessage, names: Record<string, string>): string {
  return contentText(message).replace(
    /<(@|#|!subteam\^)(\w+)(?:\|([^<>]*))?>/g,
    (_, sign: string, id: string, label = '') => `${sign === '#' ? '#' : '@'}${label || (names[id] ?? 'somebody')}`,
  )
}
