import { conversationOf, type Question } from '../../stores/runs/types.ts'

/** Which wait of which run the buttons of a card are about. */
export interface WaitRef {
  /** `waitKey` */
  key: string
  conversation: string
  /** The question's id. */
  id: string
}

/** The value of a card's buttons. None of its parts has a space in it. */
export function waitValue(question: Question, key: string): string {
  return `${key} ${conversationOf(question)} ${question.id}`
}

/** What a button's value names; undefined for a value of another form. */
export function waitRef(value: string): WaitRef | undefined {
  const [, key, conversation, id] = /^(\d{1,6}(?:\.\d{1,6})?) (\S+) (\S+)$/.exec(value) ?? []
  return key && conversation && id ? { key, conversation, id } : undefined
}
