/** Pictures of messages that are more than text: an alert of an app, a forward, a pasted table. */
import type { Page } from 'playwright-core'
import { ALERTS_APP, SAMPLE_MESSAGES } from '../../playground/slack/sample-messages.ts'
import { forwardOf } from '../../playground/slack/forward.ts'
import { tableAttachments } from '../../playground/slack/pasted-table.ts'
import { ALICE, BOB, GENERAL, RANDOM, type LocalSlack } from '../../playground/slack/slack.ts'
import { ended, thread, type Scene } from './page-scene.ts'

const CONES = [
  ['Yarn', 'Shelf', 'Cones'],
  ['Merino 2/28', 'B4', '1417'],
  ['Tussah silk', 'C1', '17'],
]

/** Opens the thread of the channel's last message, and asks there. */
async function askBelow(page: Page, question: string): Promise<void> {
  await page.locator('#messages > .message').last().hover()
  await page.locator('#messages > .message').last().getByRole('button', { name: 'Reply in thread' }).click()
  const box = page.getByRole('textbox', { name: 'Reply in thread' })
  await box.fill(`@thinkaloud ${question}`)
  await box.press('Enter')
  await ended(page)
}

async function forwardTo(slack: LocalSlack): Promise<void> {
  const { ts } = await slack.say({ user: BOB, channel: RANDOM, text: 'These are left after the sale.' })
  const channel = slack.store.channel(RANDOM)
  const message = slack.store.message(channel, ts)
  const forward = forwardOf(slack.store, new URL(slack.apiUrl).origin, { channel, message })
  const attachments = [forward, ...tableAttachments([CONES])]
  await slack.say({ user: ALICE, channel: GENERAL, text: 'The stock, from the sheet:', extra: { attachments } })
}

export const SHOWN_SCENES: Record<string, Scene> = {
  alert: {
    async play(page, { slack }) {
      await slack.say({ text: '', extra: { ...ALERTS_APP, ...SAMPLE_MESSAGES[0]?.message } })
      await askBelow(page, 'what is this about?')
      return thread(page)
    },
  },
  'forward-and-table': {
    env: { STEPS: 'hidden' },
    async play(page, { slack }) {
      await forwardTo(slack)
      // The page tells of a new message only while it is not in sight.
      await page
        .getByRole('button', { name: 'Close notice' })
        .click({ timeout: 3_000 })
        .catch(() => undefined)
      await askBelow(page, 'add up the cones')
      return thread(page)
    },
  },
}
