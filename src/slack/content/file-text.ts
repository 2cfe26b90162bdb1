import { cleanFileName, escapeText, unescapeText } from '../format/escape.ts'
import { lines, listOf, objectOf, asText, type SlackObject } from './unsure-json.ts'
import type { ReadBudget } from './read-budget.ts'

/** Per message. */
export const MAX_LISTED_FILES = 20
/** Replaces a name that Slack does not return, because the file is deleted, hidden, or of another workspace. */
export const NAMELESS = 'a file'

/** Returns the files of a message by the titles that people see, and the words of mails and recordings, as mrkdwn. */
export function filesText(files: unknown, budget: ReadBudget): string {
  const all = listOf(files)
  budget.leaveOut('further file', all.length - MAX_LISTED_FILES)
  const read = all.slice(0, MAX_LISTED_FILES).map(objectOf)
  const names = read.map((file) => budget.element(() => escapeText(budget.take(titleOf(file)))))
  if (names.length === 0) return ''
  return lines([`(files: ${names.join(', ')})`, ...read.map((file) => wordsOf(file, budget))])
}

/** The title, and the name if it tells the kind of file. */
function titleOf({ name, title }: SlackObject): string {
  const [shown = '', own = ''] = [title, name].map((one) => cleanFileName(asText(one)))
  if (shown === '' || shown === own) return own || NAMELESS
  return /\.[a-z\d]{1,5}$/i.test(own) && !shown.includes(own) ? `${shown} ${own}` : shown
}

function wordsOf(file: SlackObject, budget: ReadBudget): string {
  const { mode, subject, plain_text: text, preview, filetype } = file
  const take = (label: string, value: unknown) => {
    const words = asText(value)
    return words === '' ? '' : label + escapeText(budget.take(words))
  }
  if (mode === 'email' || filetype === 'email') {
    const from = listOf(file.from).map((one) => asText(objectOf(one).original) || asText(objectOf(one).address))
    const words = asText(text) || previewOf(file)
    const names = listOf(file.attachments).map((one) => cleanFileName(asText(objectOf(one).filename)))
    return lines([
      take('From: ', from.join(', ')),
      take('Subject: ', subject),
      take('', words),
      take('Attached: ', names.filter(Boolean).join(', ')),
    ])
  }
  if (mode === 'snippet') return lines([take('', preview), moreOf(file)])
  if (mode === 'post' || mode === 'space') return take('', previewOf(file))
  const { status, preview: spoken } = objectOf(file.transcription)
  const { content, has_more: hasMore } = objectOf(spoken)
  const words = status === 'complete' ? take('(transcript: ', content) : ''
  return words === '' ? '' : `${words}${hasMore === true ? ' …' : ''})`
}

function moreOf({ lines_more: count, preview }: SlackObject): string {
  return asText(preview) !== '' && Number(count) > 0 ? `… (${Number(count)} more lines in the file)` : ''
}

/** The beginning of a longer text. */
function previewOf({
  preview_plain_text: plain,
  preview,
  preview_is_truncated: isCut,
  has_more: hasMore,
}: SlackObject): string {
  const words = asText(plain) || withoutTags(asText(preview))
  return words !== '' && (isCut === true || hasMore === true) ? `${words} …` : words
}

/** The text of a preview in HTML. */
function withoutTags(html: string): string {
  return unescapeText(html.replace(/<\/(?:p|div|li|h\d)>|<br ?\/?>/gi, '\n').replace(/<[^<>]*>/g, '')).trim()
}
