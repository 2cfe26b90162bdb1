/**
 * The playground refuses the blocks that Slack refuses, with the reason. Otherwise a bot's mistake would show only in
 * Slack.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALICE, GENERAL, startLocalSlack, type LocalSlack } from '../../playground/slack/slack.ts'

let slack: LocalSlack
beforeAll(async () => void (slack = await startLocalSlack({ echo: false, ackMs: 10, retryMs: [] })))
afterAll(() => slack.close())

async function post(...blocks: unknown[]): Promise<unknown> {
  const response = await fetch(`${slack.apiUrl}chat.postMessage`, {
    method: 'POST',
    body: new URLSearchParams({
      channel: GENERAL,
      text: 'x',
      blocks: JSON.stringify([{ type: 'divider' }, ...blocks]),
    }),
    headers: { authorization: `Bearer ${slack.botToken}` },
  })
  return response.json()
}

const plain = (text: string) => ({ type: 'plain_text', text })
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text })
const option = (extra: object = {}) => ({ text: plain('One'), value: '1', ...extra })
const menu = (type: string, count: number, extra: object = {}) => ({
  type,
  action_id: type,
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
const said = (text: string) => ({ type: 'section', text: mrkdwn(text) })
const long = (chars: number) => 'x'.repeat(chars)
const many = <T>(count: number, one: T) => Array.from({ length: count }, () => one)
const mention = { type: 'user', user_id: ALICE }
const bold = { type: 'text', text: 'x', style: { bold: true } }
const link = { type: 'link', url: 'https://example.org' }
const list = {
  type: 'rich_text_list',
  style: 'ordered',
  elements: [{ type: 'rich_text_section', elements: [mention] }],
}
const raw = (text: string) => ({ type: 'raw_text', text })
const dataTable = (extra: object = {}) => ({
  ...{ type: 'data_table', caption: 'c', rows: [[raw('h')], [{ type: 'raw_number', value: 1, text: '1' }]] },
  ...extra,
})
const box = (extra: object = {}) => ({ type: 'container', title: plain('t'), child_blocks: [said('x')], ...extra })
const chart = (extra: object = {}, title = 'c') => ({
  type: 'data_visualization',
  title,
  chart: {
    type: 'bar',
    series: [{ name: 's', data: [{ label: 'Mon', value: 1 }] }],
    axis_config: { categories: ['Mon'] },
    ...extra,
  },
})
const trash = (extra: object = {}) => ({
  type: 'context_actions',
  elements: [{ type: 'icon_button', icon: 'trash', text: plain('Delete'), ...extra }],
})
const typedIn = (extra: object = {}) => ({
  type: 'input',
  label: plain('N'),
  element: { type: 'plain_text_input', action_id: 'n', ...extra },
})
const picture = { type: 'image', image_url: 'https://example.org/a.png', alt_text: 'a' }

describe('a block is refused for', () => {
  test.each([
    ['no type', {}, 'a block without a type'],
    ['a type that there is not', { type: 'marquee' }, 'unsupported type: marquee'],
    ['a section of nothing', { type: 'section' }, 'a section needs text or fields'],
    ['an empty text', said(''), 'a text is empty'],
    ['a section over 3,000', said(long(3001)), 'at most 3000'],
    ['emoji on mrkdwn', { type: 'section', text: { ...mrkdwn('x'), emoji: true } }, 'emoji belongs to plain_text'],
    ['eleven fields', { type: 'section', fields: many(11, mrkdwn('x')) }, '1 to 10 fields'],
    ['a field over 2,000', { type: 'section', fields: [mrkdwn(long(2001))] }, 'at most 2000'],
    ['a header in mrkdwn', { type: 'header', text: mrkdwn('x') }, 'text of type mrkdwn'],
    ['a header over 150', { type: 'header', text: plain(long(151)) }, 'at most 150'],
    ['eleven in a context', { type: 'context', elements: many(11, mrkdwn('x')) }, '11 elements, at most 10'],
    ['a block_id over 255', { ...said('x'), block_id: long(256) }, 'block_id is over 255'],
    ['an element without a type', actions({}), 'an element without a type'],
    ['an empty context', { type: 'context', elements: [] }, 'elements are missing'],
    ['an empty markdown', { type: 'markdown', text: '' }, 'text is empty'],
    ['26 buttons', actions(...many(26, button())), '26 elements, at most 25'],
    ['a button’s text over 75', actions(button({ text: plain(long(76)) })), 'at most 75'],
    ['a button in mrkdwn', actions(button({ text: mrkdwn('x') })), 'text of type mrkdwn'],
    ['a button’s value over 2,000', actions(button({ value: long(2001) })), 'a value of at most 2000'],
    ['a loud style', actions(button({ style: 'loud' })), 'style loud'],
    ['an action_id over 255', actions(button({ action_id: long(256) })), 'action_id of 1 to 255'],
    ['a picture from nowhere', { ...picture, image_url: 'a.png' }, 'image_url is no address'],
    ['an empty text in rich text', words({ type: 'text', text: '' }), 'text needs text'],
    [
      'a mention in preformatted text',
      rich({ type: 'rich_text_preformatted', elements: [mention] }),
      'user in preformatted text',
    ],
    ['a list of texts', rich({ ...list, elements: [{ type: 'text', text: 'x' }] }), 'a list holds sections'],
    ['a style that there is not', words({ type: 'text', text: 'x', style: { loud: true } }), 'style loud'],
    ['a table of nothing', { type: 'table', rows: [] }, '1 to 100 rows'],
    ['an empty row', table(), '1 to 20 cells a row'],
    ['a task without an id', { ...task(), task_id: undefined }, 'a task needs task_id and title'],
    ['a plan without a title', { type: 'plan' }, 'a plan needs a title'],
    ['a task without a status', { ...task(), status: undefined }, 'status of a task'],
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
    ['an empty cell', table(raw(' ')), 'an empty cell'],
    ['a rich cell that says nothing', table(rich()), 'an empty cell'],
    ['a data table without a caption', dataTable({ caption: '' }), 'caption is missing'],
    ['a data table of its header alone', dataTable({ rows: [[raw('h')]] }), '2 to 101 rows'],
    ['102 rows', dataTable({ rows: many(102, [raw('h')]) }), '2 to 101 rows'],
    ['21 columns', dataTable({ rows: many(2, many(21, raw('h'))) }), '1 to 20 cells'],
    ['a header in rich text', dataTable({ rows: [[words(bold)], [raw('x')]] }), 'rich_text in a header'],
    ['rows of different lengths', dataTable({ rows: [[raw('h')], [raw('x'), raw('y')]] }), 'different lengths'],
    ['a header column that there is not', dataTable({ row_header_column_index: 1 }), 'is no column'],
    ['a container without a title', box({ title: undefined }), 'text object is missing'],
    ['a container’s title over 150', box({ title: plain(long(151)) }), 'at most 150'],
    ['eleven in a container', box({ child_blocks: many(11, said('x')) }), '1 to 10 child_blocks'],
    ['nothing in a container', box({ child_blocks: [] }), '1 to 10 child_blocks'],
    ['rich text in a container', box({ child_blocks: [words(bold)] }), 'unsupported child: rich_text'],
    ['a task in a container', box({ child_blocks: [task()] }), 'unsupported child: task_card'],
    ['a broken block in a container', box({ child_blocks: [said('')] }), 'a text is empty'],
    ['a container that begins closed for good', box({ default_collapsed: true }), 'needs is_collapsible'],
    ['two tasks of one id', { type: 'plan', title: 'p', tasks: [task(), task()] }, 'task_id is there twice'],
    ['a source without words', { ...task(), sources: [{ type: 'url', url: 'https://x.org' }] }, 'url and text'],
    ['a chart’s title over 50', chart({}, long(51)), 'a title of 1 to 50'],
    ['a chart of another kind', chart({ type: 'radar' }), 'chart of type radar'],
    ['thirteen series', chart({ series: many(13, { name: 's', data: [] }) }), '1 to 12 series'],
    ['21 categories', chart({ axis_config: { categories: many(21, 'x') } }), '1 to 20 categories'],
    ['labels that are no categories', chart({ axis_config: { categories: ['Tue'] } }), 'not the categories'],
    ['a slice without a number', chart({ type: 'pie', segments: [{ label: 'x' }] }), 'without a number'],
    ['another icon', trash({ icon: 'bin' }), 'icon bin'],
    ['an alert in a message', { type: 'alert', text: plain('x') }, 'alert in a message'],
    ['what is typed among actions', actions(typedIn().element), 'plain_text_input in actions'],
    ['one action_id twice in a block', actions(button(), button()), 'action_id is there twice'],
    ['a button as an input', { ...typedIn(), element: button() }, 'button in an input'],
    ['more letters than allowed', typedIn({ max_length: 3001 }), 'max_length of 1 to 3000'],
    ['a beginning that is too long', typedIn({ max_length: 2, initial_value: 'abc' }), 'at most 2'],
    ['a first choice that is none', actions(menu('static_select', 1, { initial_option: {} })), 'no option'],
    ['a style that is none', words({ type: 'text', text: 'x', style: 'bold' }), 'style is no object'],
  ])('%s', async (_, block, why) => {
    expect(await post(block)).toMatchObject({
      error: 'invalid_blocks',
      response_metadata: { messages: [expect.stringMatching(new RegExp(`${why}.*/blocks/1`))] },
    })
  })
})

test.each([
  ['51 blocks', many(50, { type: 'divider' }), '51 blocks, at most 50'],
  ['one block_id twice', many(2, { ...said('x'), block_id: 'b' }), 'block_id is there twice'],
  ['two tables', many(2, table(raw('x'))), 'only one table'],
  ['three charts', many(3, chart()), 'only two charts'],
  ['10,001 characters in tables', many(2, dataTable({ rows: many(2, [raw(long(2501))]) })), 'at most 10000'],
])('a message is refused for %s', async (_, blocks, why) => {
  const response_metadata = { messages: [expect.stringContaining(why)] }
  expect(await post(...blocks)).toMatchObject({ error: 'invalid_blocks', response_metadata })
})

test('a message with 13,202 characters or more in all is too long', async () => {
  expect(await post(...many(4, said(long(3000))), said(long(1201)))).toMatchObject({ ok: true })
  expect(await post(...many(4, said(long(3000))), said(long(1202)))).toMatchObject({ error: 'msg_blocks_too_long' })
})

test('a workspace without containers refuses them, which does not count as the app’s mistake', async () => {
  slack.refusals.splice(0)
  slack.refuseBlocks('container', 'task_card')
  const refused = { error: 'invalid_blocks', response_metadata: { messages: [expect.stringContaining('unsupported')] } }
  expect(await post(box())).toMatchObject(refused)
  expect(await post({ type: 'plan', title: 'p', tasks: [task()] })).toMatchObject(refused)
  slack.refuseBlocks()
  expect(await post(box())).toMatchObject({ ok: true })
  expect(slack.refusals).toEqual([])
})

test.each([
  ['a section at its limits', { ...said(long(3000)), fields: [mrkdwn(long(2000)), plain('x')] }],
  ['a header with emoji', { type: 'header', text: { ...plain(long(150)), emoji: true } }],
  ['a context', { type: 'context', elements: [mrkdwn('x'), picture] }],
  ['markdown of 12,000', { type: 'markdown', text: long(12_000) }],
  ['a button at its limits', actions(button({ style: 'primary', value: long(2000) }), menu('overflow', 1))],
  ['rich text', rich({ type: 'rich_text_section', elements: [bold, mention, link] }, list)],
  ['a table', table({ type: 'raw_text', text: 'x' }, words(link))],
  ['a plan', { type: 'plan', title: 'p', tasks: [task()] }],
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
  ['a data table', dataTable({ page_size: 10, row_header_column_index: 0 })],
  ['a container', box({ is_collapsible: true, default_collapsed: true, subtitle: mrkdwn('s') })],
  ['a chart', chart()],
  ['a pie', chart({ type: 'pie', segments: [{ label: 'x', value: 1 }] })],
  ['a bin', trash({ action_id: 'a', value: long(2000) })],
  ['an input with its first words', typedIn({ max_length: 3, initial_value: 'abc', multiline: true })],
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
