import { ALICE, type AckResult, type StoredMessage } from '../../playground/slack/slack.ts'
import type { TestBotOptions, Thread, TestBot } from './bot.ts'
import type { Ends } from './ends.ts'
import { act, finish } from './played-model.ts'
import { steeredBot, type Way } from './steered-bot.ts'

export const ONCE = 'thinkaloud_allow_once'
export const ALWAYS = 'thinkaloud_allow_always'
export const DENY = 'thinkaloud_deny'
export const SHOW_ALL = 'thinkaloud_show_arguments'

/** Starts a bot with a tool that writes notes (test/fixtures/approval-tools) and needs an approval. */
export function approvalBot(t: Ends, way: Way, options: TestBotOptions = {}): ReturnType<typeof steeredBot> {
  const env = { CUSTOM_TOOLS_DIR: 'test/fixtures/approval-tools', ...options.env }
  return steeredBot(t, way, { ...options, env })
}

/** Returns a turn that writes a note. */
export function note(title: string, text = 'Buy milk.'): string {
  return act('I write it down.', 'notebook', JSON.stringify({ title, text }))
}

/** Makes the model write a note for questions with this word, and then answer with the notebook's last reply. */
export function notes(bot: TestBot, title: string, ...more: string[]): void {
  const turns = [note(title), ...more]
  bot.model.decide(title, ({ prompt }, n) => turns[n] ?? finish(`It said: ${lastObservation(prompt)}`))
}

/** Returns the last tool output in a prompt. */
export function lastObservation(prompt: string): string {
  const fenced = /.*Observation:\s*([^\n]*)/s.exec(prompt)?.[1] ?? '(nothing)'
  return fenced.replace(/<\/?[0-9a-f]+>/g, '')
}

/** Returns the cards in a thread, as people read them. */
export function cards(thread: Thread): string[] {
  return thread.shown().filter((text) => /^(?:🔐|✅|⛔|⌛|⏹)/u.test(text))
}

/** Resolves with the card that can be pressed, when it is there. */
export async function waitingCard({ slack }: Pick<TestBot, 'slack'>, thread: Thread): Promise<StoredMessage> {
  const find = () => thread.messages().find((message) => slack.shown(message).startsWith('🔐'))
  return slack.until(find, 'a card that can be pressed')
}

/** Presses a button of a card, with an optional reason. */
export async function press(
  bot: Pick<TestBot, 'slack'>,
  card: { channel: string; ts: string },
  { action, user = ALICE, reason }: { action: string; user?: string; reason?: string },
): Promise<AckResult> {
  const values: Record<string, string> = reason === undefined ? {} : { thinkaloud_deny_reason: reason }
  return bot.slack.press({ channel: card.channel, ts: card.ts, user, values }, { action_id: action })
}
