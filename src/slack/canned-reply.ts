import { EMPTY_QUESTION, helpText, type HelpOptions } from './format/messages.ts'

/** What the bot answers by itself, without a model and outside of all limits: a mention without a question, and a call for help. */
export function cannedReply(text: string, options: HelpOptions): string | undefined {
  if (text === '') return EMPTY_QUESTION
  return isCanned(text) ? helpText(options) : undefined
}

/** Whether nothing is asked, or the word `help` alone: in whatever case, and with punctuation behind it. */
export function isCanned(text: string): boolean {
  return text === '' || /^help[\s\p{P}]*$/iu.test(text)
}
