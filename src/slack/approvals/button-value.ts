import { conversationOf, type Question } from '../../stores/runs/types.ts'

/** Names the wait that the buttons of a card belong to. */
export interface WaitRef {
  /** The key from `waitKey`. */
  key: string
  conversation: string
  /** The question's id. */
  id: string
}

/** The value of a card's buttons. No part contains a space. */
export function waitValue(question: Question, key: string): string {
  return `${key} ${conversationOf(question)} ${question.id}`
}

/** Parses a button's value; undefined if it has another format. */
export function waitRef(value: string): WaitRef | undefined {
  const [, key, conversation, id] = /^(\d{1,6}(?:\.\d{1,6})?) (\S+) (\S+)$/.exec(value) ?? []
  return key && conversation && id ? { key, conversation, id } : undefined
}
