/** Work in progress on the page, and a person's forms, presses and menus. */
import { expect, test } from 'vitest'
import { ALICE, GENERAL, TEAM } from '../../playground/slack/slack.ts'
import { describeWithChromium } from '../harness/chromium.ts'
import type { localSlack } from '../harness/local-slack.ts'
import { pagesInChromium, servedPage, setLook, type Look, type OpenOptions } from '../harness/open-page.ts'

const LOOKS: Look[] = [{}, { colorScheme: 'dark' }, { viewport: { width: 390, height: 480 } }]
const DM = `D${ALICE.slice(1)}`
const plain = (text: string) => ({ type: 'plain_text', text })
const option = (value: string) => ({ text: plain(value), value })
const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } })
const button = (text: string, action_id = text) => ({ type: 'button', action_id, value: 'v', text: plain(text) })
const raw = (text: string) => ({ type: 'raw_text', text })
const number = (value: number) => ({ type: 'raw_number', value, text: String(value) })
const task = (id: string, status: string, extra: object = {}) => ({
  type: 'task_update',
  id,
  title: id,
  status,
  ...extra,
})
const input = (id: string, element: object) => {
  return { type: 'input', block_id: id, optional: true, label: plain(id), element: { action_id: id, ...element } }
}
const list = (text: string) => {
  const item = { type: 'rich_text_section', elements: [{ type: 'text', text }] }
  return { type: 'rich_text', elements: [{ type: 'rich_text_list', style: 'bullet', elements: [item] }] }
}
const form = {
  type: 'modal',
  title: plain('Settings'),
  submit: plain('Save'),
  blocks: [
    { ...input('Name', { type: 'plain_text_input' }), optional: false },
    input('Steps', { type: 'static_select', options: [option('card'), option('hidden')] }),
    input('Who', { type: 'radio_buttons', options: [option('asker'), option('anyone')] }),
    input('Tools', {
      type: 'multi_static_select',
      placeholder: plain('Default (a)'),
      options: [option('a'), option('b')],
    }),
    { type: 'alert', level: 'warning', text: plain('Careful.') },
  ],
}

describeWithChromium('the page in Chromium', () => {
  const openPage = pagesInChromium()

  async function open(options: OpenOptions & { ack?: (type: string) => object } = {}) {
    const { ack, ...rest } = options
    const served = await servedPage(ack && { ack })
    return { ...served, ...(await openPage(served.url, rest)) }
  }

  const trigger = async (slack: Awaited<ReturnType<typeof localSlack>>) =>
    (await slack.slash('x')).delivery.payload['trigger_id']

  test('a stream grows under its plan, its mark follows the last word, and Slack’s own Stop stops it', async () => {
    const { thread, page, slack, came, call, axe } = await open()
    const { ts: thread_ts } = await slack.say({ text: 'Who?' })
    const { ts } = await call('chat.startStream', {
      ...{ thread_ts, recipient_user_id: ALICE, recipient_team_id: TEAM, task_display_mode: 'plan' },
      chunks: [{ type: 'plan_update', title: 'Looking' }, task('one', 'in_progress'), task('two', 'pending')],
    })
    await thread.getByText('0 of 2').waitFor()
    const chunks = [
      task('one', 'complete', { details: 'Found it.' }),
      { type: 'markdown_text', text: 'The **answer**' },
    ]
    await call('chat.appendStream', { ts, chunks })
    await thread.getByText('1 of 2').waitFor()
    await expect.poll(() => thread.locator('strong', { hasText: 'answer' }).count()).toBe(1)
    await thread.getByText('one, done').click()
    await thread.getByText('Found it.').waitFor()
    expect(await axe()).toEqual([])
    await thread.getByRole('button', { name: 'Stop' }).click()
    await slack.until(() => came.at(-1)?.['type'] === 'agent_session_stopped', 'the stop')
    await call('agents.sessions.setStatus', { thread_ts, status: 'active' })
    await thread.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' })
    await thread.getByRole('button', { name: 'Rename the session: Untitled' }).click()
    await page.getByRole('textbox', { name: 'Title of the session' }).fill('Moons')
    await page.getByRole('button', { name: 'Rename', exact: true }).click()
    await slack.until(() => slack.session(GENERAL, thread_ts)?.title === 'Moons', 'the title')
    await setLook(page, { viewport: { width: 640, height: 900 } })
    const { ts: other } = await slack.say({ text: 'Who else?' })
    await call('agents.sessions.setStatus', { thread_ts: other, status: 'processing' })
    await slack.people.renameSession({ channel: GENERAL, thread: other, user: ALICE }, 'A long title '.repeat(12))
    const { ts: narrow } = await call('chat.startStream', {
      thread_ts: other,
      recipient_user_id: ALICE,
      recipient_team_id: TEAM,
    })
    await call('chat.appendStream', { ts: narrow, chunks: [{ type: 'markdown_text', text: 'First.\n\nHerbert' }] })
    await thread.getByRole('button', { name: /^Rename the session: A long title/ }).waitFor()
    const drawn = async () => {
      const [word, mark, title] = await Promise.all(
        [
          thread.getByText('Herbert'),
          thread.getByRole('img', { name: 'still writing' }),
          thread.getByRole('heading', { name: 'Thread' }),
        ].map((one) => one.boundingBox()),
      )
      if (!word || !mark || !title) return undefined
      return { isBehind: mark.x > word.x, isInLine: mark.y < word.y + word.height / 2, isOneLine: title.height < 30 }
    }
    await expect.poll(drawn).toEqual({ isBehind: true, isInLine: true, isOneLine: true })
  })

  test('tables have headers and further pages, charts a readable table, lines stay separate, an open container stays open', async () => {
    const { main, call, axe } = await open()
    const rows = [[raw('Moon'), raw('km')], ...[1, 2, 3].map((n) => [raw(`m${n}`), number(n)])]
    const data = [1, 2].map((value) => ({ label: `m${value}`, value }))
    const chart = { type: 'bar', series: [{ name: 's', data }], axis_config: { categories: ['m1', 'm2'] } }
    await call('chat.postMessage', {
      text: 'x',
      blocks: [
        { type: 'data_table', caption: 'Moons', page_size: 2, row_header_column_index: 0, rows },
        { type: 'data_visualization', title: 'Sizes', chart },
      ],
    })
    await main.getByRole('columnheader', { name: 'km' }).waitFor()
    await expect.poll(() => main.getByRole('rowheader', { name: 'm3' }).count()).toBe(0)
    await main.getByRole('button', { name: 'Show all 3 rows' }).click()
    await main.getByRole('rowheader', { name: 'm3' }).waitFor()
    await expect.poll(() => main.getByRole('table', { name: 'Sizes' }).innerText()).toMatch(/m1\s+1\s+m2\s+2/)
    await call('chat.postMessage', { text: 'x', blocks: [{ type: 'section', text: plain('one tool\nanother tool') }] })
    await expect.poll(() => main.getByText('one tool').innerText()).toBe('one tool\nanother tool')
    const box = (words: string) => {
      const folded = { is_collapsible: true, default_collapsed: true, child_blocks: [section(words)] }
      return [{ type: 'container', title: plain('4 steps'), ...folded }]
    }
    const { ts } = await call('chat.postMessage', { text: 'x', blocks: box('first') })
    await expect.poll(() => main.getByText('first').isVisible()).toBe(false)
    await main.getByText('4 steps').click()
    await main.getByText('first').waitFor()
    await call('chat.update', { ts, text: 'x', blocks: box('second') })
    await main.getByText('second').waitFor()
    expect(await axe()).toEqual([])
  })

  test('a form fits every look, is filled in, sent, corrected and sent again; Escape closes one and shows the one below it', async () => {
    let answer: object = { response_action: 'errors', errors: { Name: 'That is taken.' } }
    const { page, slack, came, call, axe } = await open({
      ack: (type) => (type === 'view_submission' ? answer : {}),
    })
    await call('views.open', { trigger_id: await trigger(slack), view: form })
    const dialog = page.getByRole('dialog', { name: 'Settings' })
    await dialog.getByText('Default (a)').waitFor()
    for (const look of LOOKS) {
      await setLook(page, look)
      expect(await dialog.evaluate((one) => one.scrollHeight - one.clientHeight)).toBe(0)
    }
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Ada')
    await dialog.getByRole('combobox', { name: /Steps/ }).selectOption('hidden')
    await dialog.getByRole('radio', { name: 'anyone' }).check()
    await dialog.getByRole('checkbox', { name: 'b' }).check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('That is taken.').waitFor()
    for (const look of LOOKS) {
      await setLook(page, look)
      expect(await axe('dialog'), JSON.stringify(look)).toEqual([])
    }
    answer = {}
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Augusta')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(came.at(-1)).toMatchObject({
      view: {
        state: {
          values: {
            Name: { Name: { value: 'Augusta' } },
            Steps: { Steps: { selected_option: option('hidden') } },
            Who: { Who: { selected_option: option('anyone') } },
            Tools: { Tools: { selected_options: [option('b')] } },
          },
        },
      },
    })
    await call('views.open', { trigger_id: await trigger(slack), view: form })
    await call('views.push', { trigger_id: await trigger(slack), view: { ...form, title: plain('Over') } })
    await page.getByRole('dialog', { name: 'Over' }).press('Escape')
    await page.getByRole('dialog', { name: 'Settings' }).press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await expect.poll(() => slack.modal()).toBeUndefined()
    // A long word in code is broken, so that all of it is visible.
    const text = '\\u200b'.repeat(99)
    const block = {
      type: 'rich_text',
      elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] }],
    }
    const view = { type: 'modal', title: plain('Arguments'), blocks: [block] }
    await call('views.open', { trigger_id: await trigger(slack), view })
    const code = page.getByRole('dialog', { name: 'Arguments' }).locator('pre')
    expect(await code.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
  })

  test('the Home is beside the messages; opening it sends an event, and its buttons can be pressed', async () => {
    const { page, came, call, axe } = await open()
    await call('views.publish', {
      user_id: ALICE,
      view: { type: 'home', blocks: [{ type: 'actions', elements: [button('Ask')] }, list('asked before')] },
    })
    const told = () => came.map(({ type, tab }) => tab ?? type)
    await page.getByRole('button', { name: 'Thinkaloud', exact: true }).click()
    await expect.poll(told).toEqual(['messages'])
    await page.getByRole('button', { name: 'Home', exact: true }).click()
    await expect.poll(told).toEqual(['messages', 'home'])
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await expect.poll(told).toEqual(['messages', 'home', 'block_actions'])
    const indent = async () => {
      const [edge, item] = await Promise.all(
        [
          page.getByRole('button', { name: 'Ask', exact: true }),
          page.getByRole('listitem').getByText('asked before'),
        ].map((one) => one.boundingBox()),
      )
      return (item?.x ?? NaN) - (edge?.x ?? NaN)
    }
    // There is room for the bullet.
    await expect.poll(indent).toBeGreaterThan(15)
    expect(await axe()).toEqual([])
    await call('assistant.threads.setSuggestedPrompts', {
      channel_id: DM,
      prompts: [{ title: 'Moons', message: 'Which moons?' }],
    })
    await page.getByRole('button', { name: 'Messages', exact: true }).click()
    await page.getByRole('button', { name: 'Moons' }).click()
    await expect.poll(() => page.getByRole('textbox', { name: /^Message/ }).inputValue()).toBe('Which moons?')
  })

  test('a message’s menu edits, deletes, and runs the app’s shortcut, by keyboard alone', async () => {
    const { page, main, came, slack, axe } = await open()
    const { ts } = await slack.say({ text: `first &lt;words&gt; to <@${ALICE}>` })
    const more = main.getByRole('button', { name: 'More actions' })
    const focusInMenu = page.locator('[role=menuitem]:focus')
    await more.press('Enter')
    await focusInMenu.waitFor()
    expect(await axe()).toEqual([])
    await page.getByRole('menuitem', { name: 'Edit message' }).press('Enter')
    const box = page.getByRole('textbox', { name: 'Edit message' })
    await expect.poll(() => box.inputValue()).toBe('first <words> to @alice')
    await box.fill('other words')
    await page.getByRole('button', { name: 'Save' }).click()
    await main.getByText('(edited)').waitFor()
    await more.press('Enter')
    await focusInMenu.waitFor()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    const shortcut = await slack.until(() => came.find(({ type }) => type === 'message_action'), 'the shortcut')
    expect(shortcut).toMatchObject({ callback_id: 'about', message_ts: ts })
    await more.press('Enter')
    await focusInMenu.waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Delete message' }).getByRole('button', { name: 'Delete' }).press('Enter')
    await main.getByText('other words').waitFor({ state: 'detached' })
    await slack.until(() => came.some(({ subtype }) => subtype === 'message_deleted'), 'the event of it')
  })

  test('an ephemeral message can be pressed, and disappears when the app deletes it; a file shows its beginning', async () => {
    const { main, came, slack, call } = await open()
    const blocks = [section('Your answer'), { type: 'actions', elements: [button('Share')] }]
    await call('chat.postEphemeral', { user: ALICE, text: 'x', blocks })
    await main.getByRole('button', { name: 'Share' }).click()
    await slack.until(() => came.length === 1, 'the press')
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ delete_original: true })
    await fetch(String(came[0]?.['response_url']), { method: 'POST', headers, body })
    await main.getByText('Your answer').waitFor({ state: 'detached' })
    const { upload_url, file_id } = await call('files.getUploadURLExternal', { filename: 'rest.md', length: 5 })
    await fetch(String(upload_url), { method: 'POST', body: 'hello' })
    await call('files.completeUploadExternal', { files: [{ id: file_id, title: 'The rest' }], channel_id: GENERAL })
    await main.getByText('The rest').click()
    await main.getByText('hello').waitFor()
  })
})
