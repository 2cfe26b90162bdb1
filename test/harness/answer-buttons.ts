import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { ALICE, GENERAL, type LocalSlack } from '../../playground/slack/slack.ts'
import { ASK_AGAIN, FEEDBACK, FORGET_DELETE, SHOW_WORK } from '../../src/slack/format/action-ids.ts'
import type { Thread } from './bot.ts'
import { callSlack } from './slack-calls.ts'

/**
 * Waits for the next ten seconds of the clock if the current ones are nearly over. Presses within them count as one.
 */
export async function pressesCountAsOne(): Promise<void> {
  const leftMs = 10_000 - (Date.now() % 10_000)
  if (leftMs < 3_000) await sleep(leftMs)
}

/** Returns the id of the last answered question in a thread, from the metadata of the bot's posts. */
export function questionId(thread: Thread): string {
  const { event_payload: payload } = z
    .object({ event_payload: z.object({ run: z.string() }) })
    .parse(thread.messages().findLast(({ metadata }) => metadata !== undefined)?.metadata)
  return payload.run
}

/**
 * Posts the buttons below an answer in the bot's name, at any place and for any question. @returns the place of the
 * post
 */
export async function postButtons(
  slack: LocalSlack,
  id: string,
  where: { channel: string; thread_ts?: string },
): Promise<{ channel: string; ts: string }> {
  const text = (words: string) => ({ type: 'plain_text', text: words })
  const button = (action_id: string) => ({ type: 'button', action_id, text: text(action_id), value: id })
  const thumb = (way: string) => ({ text: text(way), value: `${way}:${id}` })
  const thumbs = {
    type: 'feedback_buttons',
    action_id: FEEDBACK,
    positive_button: thumb('up'),
    negative_button: thumb('down'),
  }
  const blocks = [
    { type: 'context_actions', elements: [thumbs] },
    { type: 'actions', elements: [button(SHOW_WORK), button(ASK_AGAIN)] },
  ]
  const { ts } = await callSlack(slack, 'chat.postMessage', { ...where, text: 'buttons', blocks })
  return { channel: where.channel, ts: String(ts) }
}

/** Presses a button on the last ephemeral message of a person that has it. */
export async function pressAlone(slack: LocalSlack, action_id: string, { user = ALICE, channel = GENERAL } = {}) {
  const own = () =>
    slack.store
      .channel(channel)
      .ephemerals.findLast((one) => one.user === user && JSON.stringify(one.blocks ?? []).includes(action_id))
  const { ts } = await slack.until(own, `the button ${action_id}`)
  return slack.press({ channel, ts, user }, { action_id })
}

/** Sends `/ask forget` and confirms it. */
export async function forget(slack: LocalSlack, who: { user?: string; channel?: string } = {}): Promise<void> {
  await slack.slash('forget', who)
  await pressAlone(slack, FORGET_DELETE, who)
}
