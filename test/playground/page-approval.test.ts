/** A card with an input, two people at their pages, and what the app gets of a press. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { startPage } from '../../playground/page-server/page-server.ts'
import { ALICE, BOB, GENERAL, type LocalSlack } from '../../playground/slack/slack.ts'
import { approvalBot, cards, notes, ONCE, waitingCard } from '../harness/approvals.ts'
import { describeWithChromium } from '../harness/chromium.ts'
import { localSlack } from '../harness/local-slack.ts'
import { NOTES, pagesInChromium } from '../harness/open-page.ts'
import { callSlack, slackStory } from '../harness/slack-calls.ts'

const plain = (text: string) => ({ type: 'plain_text', text })
const button = { type: 'actions', elements: [{ type: 'button', action_id: 'go', value: '1', text: plain('Go') }] }
const input = (element: object = {}) => ({
  ...{ type: 'input', block_id: 'why', optional: true, label: plain('Why') },
  element: { type: 'plain_text_input', action_id: 'words', max_length: 5, ...element },
})

describe('a message with an input', () => {
  async function posted(): Promise<{ slack: LocalSlack; ts: string }> {
    const slack = await localSlack({ echo: false, ackMs: 50 })
    const { ts } = await callSlack(slack, 'chat.postMessage', { text: 'x', blocks: [input(), button] })
    return { slack, ts: String(ts) }
  }

  test('sends the typed values with a press, within the limits of Slack’s window', async () => {
    const { slack, ts } = await posted()
    const where = { channel: GENERAL, ts }
    const state = async (values?: Record<string, string>) => {
      const done = await slack.press({ ...where, ...(values && { values }) }, { action_id: 'go' })
      return done.delivery.payload['state']
    }
    const typed = (value: string | null) => ({ values: { why: { words: { type: 'plain_text_input', value } } } })
    expect(await state()).toEqual(typed(null))
    expect(await state({ words: 'no' })).toEqual(typed('no'))
    expect(await state({ why: 'no' })).toEqual(typed('no'))
    await expect(state({ words: 'too long' })).rejects.toThrow('at most 5')
    await expect(state({ other: 'x' })).rejects.toThrow('no element other')
  })

  test('is refused with an invalid input', async () => {
    const { slack } = await posted()
    const post = (block: object) => ['chat.postMessage', { text: 'x', blocks: [block] }, 'invalid_blocks'] as const
    const unlabelled = { ...input(), label: undefined }
    await slackStory(slack, [
      [...post(unlabelled)],
      [...post(input({ type: 'button', text: plain('x') }))],
      [...post(input({ max_length: 3001 }))],
      [...post({ type: 'actions', elements: [input().element] })],
    ])
  })
})

test('a user group’s members are listed only with its scope', async () => {
  const slack = await localSlack()
  slack.store.usergroups.set('S0GROUP0001', [ALICE, BOB])
  await slackStory(slack, [
    ['usergroups.users.list', { usergroup: 'S0GROUP0001' }, { users: [ALICE, BOB] }],
    ['usergroups.users.list', { usergroup: 'S0OTHER0001' }, 'no_such_subteam'],
    ['usergroups.users.list', {}, 'invalid_arguments'],
  ])
  const other = await localSlack({ scopes: ['chat:write'] })
  expect(await callSlack(other, 'usergroups.users.list', { usergroup: 'S0GROUP0001' })).toMatchObject({
    error: 'missing_scope',
    needed: 'usergroups:read',
  })
})

describeWithChromium('the page in Chromium', () => {
  const openPage = pagesInChromium()

  test('shows the card to two people; one gives a reason, and the other is refused', async (t) => {
    const bot = await approvalBot(t, {}, { env: { APPROVERS: `note*=${BOB}|not-asker` } })
    const served = await startPage(bot.slack, { port: 0, notes: NOTES })
    onTestFinished(served.close)
    notes(bot, 'Paper')
    const thread = await bot.mention('Write down Paper')
    await waitingCard(bot, thread)
    const at = async (query: string) => {
      const { page, thread: pane } = await openPage(served.url, { at: `${query}#general` })
      await page.getByRole('button', { name: /repl/ }).click()
      return pane
    }
    const [alice, bob] = [await at(''), await at('?as=bob')]
    await alice.getByRole('button', { name: 'Allow once' }).click()
    await alice.getByText('You cannot approve this').waitFor()
    await expect.poll(() => bob.getByText('You cannot approve this').count()).toBe(0)
    await bob.getByRole('textbox', { name: /Reason, if you deny/ }).fill('Not on paper.')
    await bob.getByRole('button', { name: 'Deny' }).click()
    await bob.getByText('Reason: Not on paper.').waitFor()
    await alice.getByText(/by @Bob/).waitFor()
    await expect.poll(() => alice.getByRole('button', { name: 'Allow once' }).count()).toBe(0)
    expect(bot.model.about('Paper').at(-1)?.prompt).toContain('The reason given: Not on paper.')
    expect([cards(thread).length, JSON.stringify(thread.messages())]).toEqual([1, expect.not.stringContaining(ONCE)])
  })
})
