import { headOf, unescapeText } from './escape.ts'

/** Slack accepts snippets of up to a megabyte; a character may take four bytes. */
const FILE_CHARS = 200_000

/** Builds the file with the rest of an answer: the remaining mrkdwn as plain text, then the unparsed Markdown. */
export function restFile({ rest, unread, questionId }: { rest: string[]; unread: string; questionId: string }) {
  const text = [...rest.map(plainOf), ...(unread === '' ? [] : [unread.trimStart()])].join('\n\n')
  // The file is found again by its name after a crash, so the name contains the question's id.
  const name = `answer-${questionId.replace(/[^\w.-]+/g, '-').slice(-80)}.txt`
  return { name, title: 'The rest of the answer', text: headOf(text, FILE_CHARS) }
}

/** Converts mrkdwn to plain text. A link becomes its label and its address. */
function plainOf(mrkdwn: string): string {
  return unescapeText(
    mrkdwn.replace(/<(https?:[^<>|]{1,3000})(?:\|([^<>]{0,700}))?>/g, (_, url: string, label?: string) =>
      label === undefined ? url : `${label} (${url})`,
    ),
  )
}
