/** A message in a channel whose words ask for a private answer, as `/ask private` does. */
import { warnWith } from '../../base/log.ts'
import { isFollowed } from '../../question/followed-threads.ts'
import type { Question } from '../../stores/runs/types.ts'
import { sendEphemeral } from '../client/ephemeral.ts'
import type { Installation } from '../client/installations.ts'
import { AUDIENCE } from '../format/audience-words.ts'
import { audienceContent } from '../format/blocks.ts'
import type { Services } from '../services.ts'
import { questionValue, inPrivate } from './asked-audience.ts'
import { askedPrivacy, type AskedPrivacy } from './private-words.ts'

/** Returns what the words of a message in a channel say about who should see the answer, if they do. */
function privacyOfMessage({ kind, channel, surface, text }: Question): AskedPrivacy | undefined {
  const isPersons = kind === 'asked' && !channel.startsWith('D') && (surface === 'mention' || surface === 'thread')
  return isPersons ? askedPrivacy(text) : undefined
}

/** An edited question: for its asker alone if it was before, or if its words ask for it now. */
export function asWordsAsk(question: Question, wasPrivate: boolean): Question {
  const asked = privacyOfMessage(question)
  return wasPrivate || asked ? inPrivate({ ...question, text: asked?.text ?? question.text }) : question
}

/**
 * Returns the question for its asker alone if its words ask for that, otherwise as it is. Where the words are unclear,
 * a card asks them first. Without a mention, a message counts only in a thread where the bot was asked before and
 * follows replies.
 * @returns undefined if nothing is to be answered now
 */
export async function hearPrivateWords(
  question: Question,
  installation: Installation,
  services: Services,
): Promise<Question | undefined> {
  const asked = privacyOfMessage(question)
  if (!asked) return question
  const isForBot = question.surface !== 'thread' || (await isFollowed(question, services))
  if (!isForBot) return undefined
  const alone = inPrivate({ ...question, text: asked.text })
  const value = asked.privacy === 'unclear' ? questionValue(question) : undefined
  if (value === undefined) return alone
  // Slack delivers a mention as two events.
  if (!(await services.oncePerDay.isFirst(question.team, `audience:${question.id}`))) return undefined
  return (await askAudience(question, value, { installation, services })) ? undefined : alone
}

/** Shows the card. @returns whether Slack took it */
async function askAudience(
  { id, channel, user, ts, thread, text }: Question,
  value: string,
  { installation: { client }, services: { log } }: { installation: Installation; services: Services },
): Promise<boolean> {
  const place = { channel, user, thread_ts: thread === ts ? undefined : thread }
  const asking = sendEphemeral(place, [audienceContent(AUDIENCE.unclearHere, { text, value })], client, log)
  const warn = warnWith(log, { question: id }, 'the asker could not be asked who should see an answer')
  return asking.then(() => true).catch((error: unknown) => warn(error) ?? false)
}
