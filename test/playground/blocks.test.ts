/** What Slack refuses in blocks, the playground refuses too, and says why: else a bot's mistake shows only in Slack. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GENERAL, startLocalSlack, type LocalSlack } from '../../src/playground/slack.ts'

let slack: LocalSlack
beforeAll(async () => void (slack = await startLocalSlack({ echo: false, ackMs: 10, retryMs: [] })))
afterAll(() => slack.close())

async function post(block: unknown): Promise<unknown> {
  const response = await fetch(`${slack.apiUrl}chat.postMessage`, {
    method: 'POST',
    body: new URLSearchParams({ channel: GENERAL, text: 'x', blocks: JSON.stringify([{ type: 'divider' }, block]) }),
    headers: { authorization: `Bearer ${slack.botToken}` },
  })
  return response.json()
}

const plain = (text: string) => ({ type: 'plain_text', text })
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text })
const option = (extra: object = {}) => ({ text: plain('One'), value: '1', ...extra })
const menu = (type: string, count: number, extra: object = {}) => ({
  type,
  action_id: 'm',
  options: Array.from({ length: count }, () => option()),
  ...extra,
})
const button = (extra: object = {}) => ({ type: 'button', action_id: 'b', text: plain('Go'), ...extra })
const actions = (...elements: unknown[]) => ({ type: 'actions', elements })
const section = (accessory: unknown) => ({ type: 'section', text: mrkdwn('x'), accessory })
const confirm = (extra: object = {}) => ({
  ...{ title: plain('Sure?'), text: mrkdwn('Really?'), confirm: plain('Yes'), deny: plain('No') },
  ...extra,
})
const feedback = (extra: object = {}) => ({
  type: 'context_actions',
  elements: [
    {
      type: 'feedback_buttons',
      positive_button: { text: plain('Good'), value: 'good' },
      negative_button: { text: plain('Bad'), value: 'bad' },
      ...extra,
    },
  ],
})
const rich = (...elements: unknown[]) => ({ type: 'rich_text', elements })
const words = (...elements: unknown[]) => rich({ type: 'rich_text_section', elements })
const table = (...cells: unknown[]) => ({ type: 'table', rows: [cells] })
const picture = { type: 'image', image_url: 'https://example.org/a.png', alt_text: 'a' }

describe('a block is refused for', () => {
  test.each([
    ['a mark of the other kind of text', { type: 'section', text: { ...plain('x'), verbatim: true } }, 'verbatim'],
    ['a button’s address that is none', actions(button({ url: 7 })), 'a url of at most 3000'],
    ['an element that there is not', actions({ type: 'lever' }), 'unsupported element: lever'],
    ['an empty action_id', actions(button({ action_id: '' })), 'action_id of 1 to 255'],
    ['a menu of nothing', actions(menu('static_select', 0)), '1 to 100 options'],
    ['six in an overflow', section(menu('overflow', 6)), '1 to 5 options'],
    ['eleven boxes', actions(menu('checkboxes', 11)), '1 to 10 options'],
    ['an option that is none', actions(menu('static_select', 1, { options: ['one'] })), 'an option is no object'],
    ['an option without a value', actions(menu('overflow', 0, { options: [option({ value: 1 })] })), 'needs a value'],
    ['a question that is none', actions(button({ confirm: 'Sure?' })), 'confirm is no object'],
    ['a question without its no', actions(button({ confirm: confirm({ deny: undefined }) })), 'text object is missing'],
    ['a long yes', actions(button({ confirm: confirm({ confirm: plain('y'.repeat(31)) }) })), 'at most 30'],
    ['an accessory that is none', section('x'), 'accessory is no element'],
    ['a picture without words', section({ ...picture, alt_text: undefined }), 'alt_text is missing'],
    ['a picture’s title in mrkdwn', { ...picture, title: mrkdwn('x') }, 'text of type mrkdwn'],
    ['another thing among context actions', { type: 'context_actions', elements: [button()] }, 'unsupported element'],
    ['one thumb alone', feedback({ negative_button: undefined }), 'negative_button is missing'],
    [
      'a thumb without a value',
      feedback({ positive_button: { text: plain('Good') } }),
      'positive_button needs a value',
    ],
    ['an input of nothing', { type: 'input', label: plain('Name') }, 'an input needs an element'],
    ['a cell that is none', table('x'), 'a cell is no object'],
    ['a cell of another kind', table(mrkdwn('x')), 'unsupported cell: mrkdwn'],
    ['a cell without text', table({ type: 'raw_text' }), 'a cell without text'],
    ['tasks that are no list', { type: 'plan', title: 'x', tasks: 'y' }, 'tasks is no list'],
    ['rich text of another kind', rich({ type: 'rich_text_poem', elements: [] }), 'unsupported rich text'],
    ['a list of no kind', rich({ type: 'rich_text_list', style: 'wavy', elements: [] }), 'bullet or ordered'],
    ['an inline element that there is not', words({ type: 'sound' }), 'unsupported inline element: sound'],
    ['a link to nowhere', words({ type: 'link', url: '' }), 'link needs url'],
    ['a style that is none', words({ type: 'text', text: 'x', style: 'bold' }), 'style is no object'],
  ])('%s', async (_, block, why) => {
    expect(await post(block)).toMatchObject({
      error: 'invalid_blocks',
      response_metadata: { messages: [expect.stringMatching(new RegExp(`${why}.*/blocks/1`))] },
    })
  })
})

test.each([
  ['a button that asks again', actions(button({ confirm: confirm(), url: 'https://example.org' }))],
  ['menus, full', actions(menu('static_select', 100, { placeholder: plain('Pick') }), menu('radio_buttons', 10))],
  [
    'a menu in groups',
    section(menu('static_select', 0, { option_groups: [{ label: plain('G'), options: [option()] }] })),
  ],
  ['an input with a hint', { type: 'input', label: plain('N'), hint: plain('h'), element: { type: 'datepicker' } }],
  ['a section with a picture', section(picture)],
  ['thumbs', feedback()],
  ['a task with details', task()],
])('%s is taken', async (_, block) => {
  expect(await post(block)).toMatchObject({ ok: true })
})

function task() {
  return {
    type: 'task_card',
    task_id: '1',
    title: 'a',
    status: 'complete',
    details: words({ type: 'text', text: 'x' }),
  }
}
