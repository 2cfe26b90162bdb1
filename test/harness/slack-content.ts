import { expect } from 'vitest'
import { readContent, MAX_UPDATE_TEXT } from '../../playground/slack/methods/method-content.ts'
import { pings } from '../../playground/slack/shown.ts'
import { answerContents } from '../../src/slack/format/answer-messages.ts'
import { blocksIn, withoutBlocks, type Content } from '../../src/slack/format/blocks.ts'
import { sanitize } from '../../src/slack/format/escape.ts'

/** Returns an answer as mrkdwn, its messages one after the other, without the footer. */
export function answer(markdown: string, view: Partial<Parameters<typeof answerContents>[0]> = {}): string[] {
  const contents = answerContents({
    text: markdown,
    sources: [],
    question: 'q',
    allowedHosts: ['example.com'],
    footer: 'FOOTER',
    ...view,
  })
  return contents.flatMap((content) => textsOf(content)).filter((text) => text !== 'FOOTER')
}

export function textsOf({ blocks }: Content): string[] {
  return blocks.flatMap((block) => {
    if (block.type === 'section') return [block.text?.text ?? '']
    return block.type === 'context' ? block.elements.map((element) => ('text' in element ? element.text : '')) : []
  })
}

/** Checks a message by posting and updating it, in its best form and in each simpler one. @throws Slack's error */
export function accept(content: Content): void {
  const { text, blocks, simpler = new Map(), file } = content
  const types = [...new Set([...simpler.keys()].map(({ type }) => type))]
  const forms = types.map((_, i) => blocksIn(content, (type) => types.slice(0, i + 1).includes(type)))
  for (const form of [blocks, ...types.map((one) => blocksIn(content, (type) => type === one)), ...forms]) {
    const sent = sanitize({ text, blocks: form })
    readContent({ ...sent })
    readContent({ ...sent }, MAX_UPDATE_TEXT)
    expect(pings({ ...sent, blocks: sent.blocks.map((block) => ({ ...block })) })).toEqual([])
  }
  readContent({ ...sanitize(withoutBlocks(content, 'chat.postMessage')) })
  readContent({ ...sanitize(withoutBlocks(content, 'chat.update')) }, MAX_UPDATE_TEXT)
  if (file) accept(file.without)
}
