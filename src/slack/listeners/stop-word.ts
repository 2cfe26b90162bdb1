import { STOP_WORDS } from '../format/messages.ts'
import { stopRuns, whisper } from './stop-runs.ts'
import { questionOf, recipientOf, type Incoming, type ListenerOptions, type SlackMessage } from './to-question.ts'

/** Whether a text is the word `stop` or `cancel` alone, in whatever case, with punctuation around it. */
export function isStopWord(text: string): boolean {
  return /^[\s\p{P}]*(?:stop|cancel)[\s\p{P}]*$/iu.test(text)
}

/** Longer texts are looked at no further. */
const MOST_CHARS = 200

/**
 * A message that says to stop, alone in a thread or in a direct message, with or without the bot's name. It never becomes a
 * question. A mention comes as two events (`isTwin`: the one that says nothing), and whichever is first stops the run; so where
 * nothing runs, nothing is said in channels.
 * @returns whether it was one
 */
export async function stopByWord(
  message: SlackMessage,
  { body, context, isTwin = false }: Incoming & { isTwin?: boolean },
  options: ListenerOptions,
): Promise<boolean> {
  const { text = '' } = message
  if (text.length > MOST_CHARS || !/stop|cancel/i.test(text)) return false
  const recipient = await recipientOf({ context, isShared: body.is_ext_shared_channel === true }, options)
  if (!recipient) return false
  const { team, identity } = recipient
  const asked = questionOf(message, { team, botUser: identity.botUser, now: options.now() })
  if (!asked || !isStopWord(asked.question.text)) return false
  const { channel, user, thread, ts, surface } = asked.question
  const place = { team, channel, user, thread }
  const outcome = await stopRuns({ ...place, isWide: surface === 'dm' && ts === thread }, options)
  if (outcome === 'stopped') return true
  const isTold = outcome === 'forbidden' ? !isTwin : surface === 'dm'
  if (isTold) void whisper({ ...place, isReply: ts !== thread, text: STOP_WORDS[outcome] }, options)
  return true
}
