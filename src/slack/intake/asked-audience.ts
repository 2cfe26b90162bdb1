/** Who sees a question's answer: everyone in the place, or its asker alone. */
import { isUnrooted, type Question } from '../../stores/runs/types.ts'
import { isTs } from '../client/thread-messages.ts'
import { escapeText, unescapeText } from '../format/escape.ts'

/**
 * Each person's private questions in a channel are a separate conversation. `userTeam`: the workspace of a person of
 * another company, whose id somebody here may have too.
 */
export function privateThread({ user, userTeam }: Pick<Question, 'user' | 'userTeam'>): string {
  return userTeam === undefined ? `private-${user}` : `private-${user}-${userTeam}`
}

/**
 * The question for its asker alone. In a direct message everything is private already. A message keeps its thread,
 * which its asker can read.
 */
export function inPrivate(question: Question): Question {
  if (question.channel.startsWith('D')) return question
  const own = privateThread(question)
  const place = question.ts === undefined ? { thread: own } : { conversation: own }
  return { ...question, ...place, surface: 'private' }
}

/** Slack accepts 2,000 characters as the value of a button. */
const VALUE_CHARS = 2000

/**
 * The value of a button on a card, such as *Only me* or *Remember*: the question's id, its thread if a message asked,
 * and a text, so that nothing has to be stored before the press. Undefined if it does not fit.
 */
export function questionValue({ id, text, ts, thread }: AudienceQuestion): string | undefined {
  const place = ts === undefined ? id : `${id}:${thread}`
  const value = `${place} ${escapeText(text)}`
  return value.length <= VALUE_CHARS ? value : undefined
}

interface AudienceQuestion extends Pick<Question, 'id' | 'text' | 'ts'> {
  thread?: string
}

/** The content of a `questionValue`. `ts` is set if a message asked. */
type ReadAudience = Pick<Question, 'id' | 'channel' | 'thread' | 'text' | 'ts'>

/** Reads the value. Undefined for anything else. */
export function readAudienceValue(value = ''): ReadAudience | undefined {
  const [, place = '', rest = ''] = /^(\S+) ([^]+)$/.exec(value) ?? []
  const [team = '', channel = '', ts = '', thread, ...more] = place.split(':')
  if (team === '' || channel === '' || ts === '' || more.length > 0) return undefined
  const [id, text] = [`${team}:${channel}:${ts}`, unescapeText(rest)]
  if (thread === undefined) return isUnrooted({ thread: ts }) ? { id, channel, thread: ts, text } : undefined
  return isTs(ts) && isTs(thread) ? { id, channel, thread, text, ts } : undefined
}
