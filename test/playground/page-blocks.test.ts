/**
 * Block Kit on the page: every block and element that the local Slack accepts is drawn, including all that the bot
 * sends.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { BLOCK_KINDS } from '../../playground/slack/blocks/block-rules.ts'
import { ELEMENT_KINDS } from '../../playground/slack/blocks/block-elements.ts'
import { ALICE, BOT_USER, GENERAL } from '../../playground/slack/slack.ts'
import { BLOCKS, ELEMENTS, mrkdwn, plain, TYPED, UNDRAWN } from '../harness/block-samples.ts'
import { describeWithChromium } from '../harness/chromium.ts'
import { pagesInChromium, servedPage, setLook, type OpenOptions } from '../harness/open-page.ts'
import { filesIn } from '../harness/project-files.ts'

const UNKNOWN = /\((?:a block|an element|an input|rich text|a chart) of type /
/** Allowed only in a modal. */
const ALERT = { type: 'alert', level: 'warning', text: plain('Take care.') }

test('there is a sample of every block and element that Slack accepts, and the bot sends no others', () => {
  expect(Object.keys(BLOCKS).concat('alert').toSorted()).toEqual(BLOCK_KINDS.toSorted())
  expect(Object.keys(ELEMENTS).concat(TYPED, UNDRAWN).toSorted()).toEqual(ELEMENT_KINDS.toSorted())
  const sources = filesIn('src/slack').filter((file) => file.endsWith('.ts'))
  const sent = new Set(
    sources.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\btype: '(\w+)'/g)].map(([, type]) => type ?? ''),
    ),
  )
  const kinds = [...sent].filter((type) =>
    /_(?:input|select|buttons|card|table|actions|visualization)$|picker$|^(?:plan|container|section|header|context|actions|input|button|rich_text)$/.test(
      type,
    ),
  )
  expect(kinds.length).toBeGreaterThan(15)
  const drawn = [...Object.keys(BLOCKS), ...Object.keys(ELEMENTS), ...TYPED, 'feedback_buttons']
  expect(kinds.filter((type) => !drawn.includes(type))).toEqual([])
})

describeWithChromium('the page in Chromium', () => {
  const openPage = pagesInChromium()

  async function open(options?: OpenOptions) {
    const served = await servedPage()
    return { ...served, ...(await openPage(served.url, options)) }
  }

  test('every block of a message is drawn, in the light and in the dark', async () => {
    const { page, main, call, slack, axe } = await open()
    const posted = new Map<string, { type: string; words: string[] }>()
    for (const [type, { blocks, words }] of Object.entries(BLOCKS)) {
      expect(await call('chat.postMessage', { text: `sample ${type}`, blocks }), type).toMatchObject({ ok: true })
      posted.set(String(slack.messages(GENERAL).at(-1)?.ts), { type, words })
    }
    for (const [ts, { type, words }] of posted) {
      const item = main.locator(`.message[data-ts="${ts}"]`)
      const read = async () => {
        const text = await item.innerText()
        return { lacks: words.filter((one) => !text.includes(one)), isUnknown: UNKNOWN.test(text), text }
      }
      const drawn = { lacks: [], isUnknown: false, text: expect.not.stringContaining(`sample ${type}`) }
      await expect.poll(read, { message: type }).toEqual(drawn)
    }
    await main.getByRole('separator').first().waitFor()
    await main.getByRole('button', { name: 'Good' }).waitFor()
    await main.getByRole('button', { name: 'Throw away' }).waitFor()
    await main.getByRole('link', { name: 'https://example.org/m', exact: true }).waitFor()
    await main.locator('svg.drawing polyline').first().waitFor()
    await main.getByText('The task').first().click()
    await main.getByText('Task details').first().waitFor()
    await main.getByRole('link', { name: 'A source' }).first().waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await setLook(page, { colorScheme })
      expect(await axe(), colorScheme).toEqual([])
    }
  })

  test('every element to press or choose from is drawn, and the choice is sent, a confirmed one only after a yes', async () => {
    const { page, main, call, came, slack, axe } = await open()
    const elements = Object.entries(ELEMENTS).map(([type, { element }]) => ({ ...element, action_id: type }))
    await call('chat.postMessage', { text: 'x', blocks: [{ type: 'actions', elements }] })
    for (const { role, name } of Object.values(ELEMENTS)) {
      const found = role === '' ? main.getByLabel(name, { exact: true }) : main.getByRole(role as 'button', { name })
      await found.first().waitFor()
    }
    await expect.poll(() => main.innerText()).not.toMatch(UNKNOWN)
    const last = () => (came.at(-1)?.['actions'] as object[] | undefined)?.[0]
    const told = async (id: string, what: object) => {
      await slack.until(() => last() && JSON.stringify(last()).includes(`"${id}"`), id)
      expect(last()).toMatchObject({ action_id: id, ...what })
    }
    await main.getByRole('combobox', { name: 'Pick users_select' }).selectOption({ label: 'Alice' })
    await told('users_select', { selected_user: ALICE })
    await main.getByRole('combobox', { name: 'Pick channels_select' }).selectOption({ label: '# general' })
    await told('channels_select', { selected_channel: GENERAL })
    const several = main.getByRole('group', { name: 'Several users' })
    await several.getByRole('checkbox', { name: 'Thinkaloud' }).check()
    await told('multi_users_select', { selected_users: [BOT_USER] })
    await main.getByRole('radio', { name: 'second' }).check()
    await told('radio_buttons', { selected_option: { value: 'second' } })
    await main.getByLabel('A day').fill('2026-11-27')
    await told('datepicker', { selected_date: '2026-11-27' })
    await main.getByLabel('A time').fill('13:30')
    await told('timepicker', { selected_time: '13:30' })
    expect(await axe()).toEqual([])
    const before = came.length
    await call('chat.postMessage', { text: 'x', blocks: BLOCKS['actions']?.blocks })
    const question = page.getByRole('dialog', { name: 'Really?' })
    await main.getByRole('button', { name: 'Delete it' }).click()
    await question.getByText('It goes.').waitFor()
    await question.getByRole('button', { name: 'Leave it' }).click()
    await question.waitFor({ state: 'hidden' })
    expect(came).toHaveLength(before)
    await main.getByRole('button', { name: 'Delete it' }).press('Enter')
    await question.getByRole('button', { name: 'Do it' }).press('Enter')
    await slack.until(() => came.length === before + 1, 'the press')
    expect(came.at(-1)).toMatchObject({ actions: [{ action_id: 'd' }] })
  })

  test('every input of a form is drawn and sent; one that the page cannot offer is explained', async () => {
    const { page, slack, came, call, axe } = await open()
    const input = (type: string, element: object) => ({
      ...{ type: 'input', block_id: type, optional: true, label: plain(`The ${type}`) },
      element: { ...element, type, action_id: type },
    })
    const elements = Object.entries(ELEMENTS).filter(([type]) => !/button$|overflow/.test(type))
    const blocks = [
      ALERT,
      ...TYPED.map((type) => input(type, {})),
      ...UNDRAWN.map((type) => input(type, {})),
      ...elements.map(([type, { element }]) => input(type, element)),
    ]
    const { delivery } = await slack.slash('x')
    const trigger_id = delivery.payload['trigger_id']
    const view = { type: 'modal', title: plain('All of it'), submit: plain('Send'), blocks }
    expect(await call('views.open', { trigger_id, view })).toMatchObject({ ok: true })
    const dialog = page.getByRole('dialog', { name: 'All of it' })
    await dialog.getByText('Take care.').waitFor()
    for (const type of [...TYPED, ...elements.map(([name]) => name)]) await dialog.getByText(`The ${type} (`).waitFor()
    for (const type of UNDRAWN) await dialog.getByText(`(an input of type ${type})`).waitFor()
    await dialog.getByLabel('The url_text_input').fill('https://example.org/')
    await dialog.getByLabel('The timepicker').fill('08:15')
    await dialog.getByLabel('The users_select').first().selectOption({ label: 'Bob' })
    expect(await axe()).toEqual([])
    await dialog.getByRole('button', { name: 'Send' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(came.at(-1)).toMatchObject({
      view: {
        state: {
          values: {
            url_text_input: { url_text_input: { value: 'https://example.org/' } },
            timepicker: { timepicker: { selected_time: '08:15' } },
            users_select: { users_select: { selected_user: 'U0BOB000001' } },
            multi_channels_select: { multi_channels_select: { selected_channels: [] } },
          },
        },
      },
    })
  })

  test('spaces are kept, so nested lists are indented; a table that is too wide scrolls, its words unbroken', async () => {
    const { page, slack, main } = await open()
    const text = '• one\n    ◦ two  words'
    const blocks = [
      { type: 'section', text: mrkdwn(text) },
      { type: 'context', elements: [mrkdwn(text)] },
    ]
    slack.store.post(slack.store.channel(GENERAL), { user: BOT_USER, text: 'x', blocks })
    slack.store.post(slack.store.channel(GENERAL), { user: BOT_USER, text })
    for (const place of ['.section-text', '.context', '.text'])
      await expect.poll(() => main.locator(place).innerText()).toBe(text)
    const row = (word: string) => Array.from({ length: 20 }, (_, i) => ({ type: 'raw_text', text: `${word}${i}` }))
    const rows = [row('population'), row('inhabitants'), row(`https://example.org/${'x'.repeat(200)}`)]
    const wide = [{ type: 'data_table', caption: 'Wide', rows }]
    slack.store.post(slack.store.channel(GENERAL), { user: BOT_USER, text: 'x', blocks: wide })
    const table = main.getByRole('region', { name: 'Wide' })
    const heightOf = (cell: { offsetHeight: number }) => cell.offsetHeight
    await expect.poll(() => table.locator('th').first().evaluate(heightOf)).toBeLessThan(40)
    await expect.poll(() => table.evaluate((one) => one.scrollWidth > one.clientWidth)).toBe(true)
    // A long address does not widen its column without limit.
    await expect
      .poll(() =>
        table
          .locator('td')
          .last()
          .evaluate((cell: { offsetWidth: number }) => cell.offsetWidth),
      )
      .toBeLessThan(500)
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  })

  test('unknown blocks are named, and older attachments are drawn with their colour', async () => {
    const { page, main, slack } = await open()
    const channel = slack.store.channel(GENERAL)
    slack.store.post(channel, { user: BOT_USER, text: 'x', blocks: [{ type: 'hologram' }] })
    await main.getByText('(a block of type hologram)').waitFor()
    const attachments = [
      {
        color: '#ff0000',
        pretext: 'Before it',
        title: 'Its name',
        title_link: 'https://example.org/a',
        text: '*bold* words',
      },
      { color: 'good', blocks: [{ type: 'section', text: mrkdwn('In a block') }] },
      { fallback: 'Only this' },
    ]
    slack.store.post(channel, { user: BOT_USER, text: 'with more', attachments })
    await main.getByText('Before it').waitFor()
    await main.getByRole('link', { name: 'Its name' }).waitFor()
    for (const words of ['In a block', 'Only this']) await main.getByText(words).waitFor()
    const colours = () =>
      page.evaluate('[...document.querySelectorAll(".attached")].map((one) => getComputedStyle(one).borderLeftColor)')
    await expect.poll(colours).toEqual(['rgb(255, 0, 0)', 'rgb(46, 182, 125)', expect.any(String)])
  })
})
