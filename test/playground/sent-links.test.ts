import { expect, test } from 'vitest'
import { links } from '../../playground/slack/sent-links.ts'

const section = (text: string, verbatim?: boolean) => [
  { type: 'section', text: { type: 'mrkdwn', text, ...(verbatim !== undefined && { verbatim }) } },
]

/**
 * https://docs.slack.dev/messaging/formatting-message-text: what Slack turns into links, and how an app prevents it.
 */
test.each<[string, Record<string, unknown>, string[]]>([
  ['a bare address in a text', { text: 'see https://a.example/x' }, ['https://a.example/x']],
  ['a mail address in a text', { text: 'to a@b.example' }, ['a@b.example']],
  ['none where nothing is parsed', { text: 'see https://a.example/x or a@b.example', parse: 'none' }, []],
  [
    'one between brackets even there',
    { text: '<https://a.example/?a=1&amp;b=2|x>', parse: 'none' },
    ['https://a.example/?a=1&b=2'],
  ],
  ['a bare address in mrkdwn', { blocks: section('https://a.example/x') }, ['https://a.example/x']],
  ['none in mrkdwn that is verbatim', { blocks: section('https://a.example/x', true) }, []],
  ['none in code', { blocks: section('`https://a.example/x`') }, []],
  [
    'none in plain text',
    { blocks: [{ type: 'context', elements: [{ type: 'plain_text', text: '<https://a.example>' }] }] },
    [],
  ],
  [
    'a button’s',
    { blocks: [{ type: 'actions', elements: [{ type: 'button', url: 'https://a.example/b' }] }] },
    ['https://a.example/b'],
  ],
  [
    'a markdown block’s',
    { blocks: [{ type: 'markdown', text: '[x](/relative) ![y](z.png)' }] },
    ['/relative', 'z.png'],
  ],
  ['a modal’s', { view: { blocks: section('<https://a.example/v|v>') } }, ['https://a.example/v']],
  [
    'a task’s words',
    { chunks: [{ type: 'task_update', output: '[x](https://a.example/o)', title: 'www.a.example' }] },
    ['www.a.example', 'https://a.example/o'],
  ],
  [
    'a task’s sources',
    { chunks: [{ type: 'task_update', sources: [{ type: 'url', url: 'https://a.example/s', text: 's' }] }] },
    ['https://a.example/s'],
  ],
])('clickable is %s', (_, args, expected) => {
  expect([...new Set(links(args))]).toEqual(expect.arrayContaining(expected))
  expect(links(args).length > 0).toBe(expected.length > 0)
})
