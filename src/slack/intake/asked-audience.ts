/** Who sees a question of `/ask`: everyone in the place, or its asker alone. */
import { isUnrooted, type Question } from '../../stores/runs/types.ts'
import { escapeText, unescapeText } from '../format/escape.ts'

/** Each person's private questions in a channel are a separate conversation. */
export function privateThread(user: string): string {
  return `private-${user}`
}

/** The question for its asker alone. In a direct message everything is private already. */
export function inPrivate(question: Question): Question {
  if (question.channel.startsWith('D')) return question
  return { ...question, thread: privateThread(question.user), surface: 'private' }
}

/** Slack accepts 2,000 characters as the value of a button. */
const VALUE_CHARS = 2000

/**
 * The value of a button on a card, such as *Only me* or *Remember*: a question's id and a text, so that nothing has to
 * be stored before the press. Undefined if it does not fit.
 */
export function questionValue({ id, text }: Pick<Question, 'id' | 'text'>): string | undefined {
  const value = `${id} ${escapeText(text)}`
  return value.length <= VALUE_CHARS ? value : undefined
}

/** Reads the value. Undefined for anything but the `questionValue` of a command. */
export function readAudienceValue(value = ''): Pick<Question, 'id' | 'thread' | 'text'> | undefined {
  const [, id = '', thread = '', text = ''] = /^([^\s:]+:[^\s:]+:([^\s:]+)) ([^]+)$/.exec(value) ?? []
  return isUnrooted({ thread }) ? { id, thread, text: unescapeText(text) } : undefined
}
