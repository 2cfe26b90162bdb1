import { headOf, unescapeText } from './escape.ts'

/** Slack takes snippets of up to a megabyte; a character may be four bytes. */
const FILE_CHARS = 200_000

/** The rest of an answer as a file: what is left as mrkdwn, and then what was not read any more, as it was written. */
export function restFile({ rest, unread, questionId }: { rest: string[]; unread: string; questionId: string }) {
  const text = [...rest.map(plainOf), ...(unread === '' ? [] : [unread.trimStart()])].join('\n\n')
  // The name is how it is found again after a crash, so it is the question's own.
  const name = `answer-${questionId.replace(/[^\w.-]+/g, '-').slice(-80)}.txt`
  return { name, title: 'The rest of the answer', text: headOf(text, FILE_CHARS) }
}

/** mrkdwn for a place that formats nothing: a link is its label and its address. */
function plainOf(mrkdwn: string): string {
  return unescapeText(
    mrkdwn.replace(/<(https?:[^<>|]{1,3000})(?:\|([^<>]{0,700}))?>/g, (_, url: string, label?: string) =>
      label === undefined ? url : `${label} (${url})`,
    ),
  )
}
