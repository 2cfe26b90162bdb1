import type { KnownBlock } from '@slack/web-api'
import type { ToolQuestion } from '../../agent/contracts/tool.ts'
import { QUESTION_DECLINE, QUESTION_DONE, QUESTION_LINK } from '../format/action-ids.ts'
import { context, section, type Content } from '../format/blocks.ts'
import { button } from '../format/plain-elements.ts'
import { escapeText } from '../format/escape.ts'
import { visible } from '../approvals/question-words.ts'
import { sections } from './plain-blocks.ts'

/** Shows the asker, before anything opens, the host and the whole address of a page that a server sends them to. */
export function pageContent({ server, url = '' }: ToolQuestion, value: string): Content {
  // `URL` writes letters of other scripts in the host as punycode, so that no host looks like another one.
  const { host, href } = new URL(url)
  const line = `🔗 *${escapeText(visible(server))}* asks you to visit *${escapeText(host)}*. Only open it if you trust that site.`
  const blocks: KnownBlock[] = [
    section(line),
    ...sections(href),
    context(['Only you see this. Press Done when you have finished on the page.']),
    {
      type: 'actions',
      elements: [
        { ...button(QUESTION_LINK, 'Open the page', { value }), url: href },
        button(QUESTION_DONE, 'Done', { value, style: 'primary' }),
        button(QUESTION_DECLINE, 'Decline', { value }),
      ],
    },
  ]
  return { text: line, blocks }
}
