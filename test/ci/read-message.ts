/** Adapter for `check-shapes.mjs`: reads a message with names for its ids. */
import { contentText, type ReadableMessage } from '../../src/slack/content/message-content.ts'

export function read(message: ReadableMessage, names: Record<string, string>): string {
  return contentText(message).replace(/<(?:@|#|!subteam\^)\w+(?:\|[^<>]*)?>/g, (mention) => {
    const [target = '', label] = mention.slice(1, -1).split('|')
    const id = target.replace(/^(?:@|#|!subteam\^)/, '')
    return `${target.startsWith('#') ? '#' : '@'}${label ?? names[id] ?? 'somebody'}`
  })
}
