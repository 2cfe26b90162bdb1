import { COMMAND } from './messages.ts'

/** The bot's sentences about who sees a question and its answer, as mrkdwn. */

/** Replies that only the asker of a private question sees. */
export const PRIVATE = {
  working: `I'm working on your private question. Only you will see the answer. \`${COMMAND} stop\` stops me.`,
  gone: 'I no longer have this answer, so I cannot share it.',
  shared: 'Shared with the channel.',
}

/** The card that asks who should see a question, before anything is posted; `here`: if a message asks it. */
export const AUDIENCE = {
  unclear: '*Who should see this question and its answer?* Nothing is posted yet.',
  unclearHere: '*Who should see my answer?* I have not answered yet.',
  everyone: 'I am asking it for everyone here.',
  everyoneHere: 'I am answering it for everyone here.',
}

/** The hint for a command that resembles one of ours. */
export function didYouMean(command: string): string {
  return `Did you mean \`${COMMAND} ${command}\`? If so, type that. To ask your text as a question, press a button. Nothing is posted yet.`
}

/** Ends the visible part of a run that has found something only its asker may see. */
export const FOR_ASKER = 'Only the person who asked can see the rest of my answer.'
