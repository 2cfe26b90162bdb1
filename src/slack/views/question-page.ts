import type { KnownBlock } from '@slack/web-api'
import type { ToolQuestion } from '../../agent/types.ts'
import { QUESTION_DECLINE, QUESTION_DONE, QUESTION_LINK } from '../format/action-ids.ts'
import { context, section, type Content } from '../format/blocks.ts'
import { escapeText } from '../format/escape.ts'
import { visible } from '../format/question-words.ts'
import { plain, sections } from './plain-blocks.ts'

/** What the asker alone is shown of a page that a server sends them to: its host and its whole address, before anything opens. */
export function pageContent({ server, url = '' }: ToolQuestion, value: string): Content {
  // As a browser would: letters of other scripts in the host stand there by their codes, so that none passes for another.
  const { host, href } = new URL(url)
  const line = `🔗 *${escapeText(visible(server))}* sends you to a page at *${escapeText(host)}*. Open it only if you know that host.`
  const button = (action_id: string, text: string) => ({ type: 'button' as const, action_id, text: plain(text), value })
  const blocks: KnownBlock[] = [
    section(line),
    ...sections(href),
    context(['Only you see this. Nobody has opened the page for you. Press Done when you are through.']),
    {
      type: 'actions',
      elements: [
        { ...button(QUESTION_LINK, 'Open the page'), url: href },
        { ...button(QUESTION_DONE, 'Done'), style: 'primary' },
        button(QUESTION_DECLINE, 'Decline'),
      ],
    },
  ]
  return { text: line, blocks }
}
