import type { Prompts } from '../../../base/prompts.ts'
import type { Model } from '../../../agent/contracts/model.ts'
import { isAboutConversation } from '../../../question/about-conversation.ts'
import { condense } from '../../../question/condense.ts'
import { holdsAnswer } from './ask-work.ts'
import { WORK_FOLLOW_UPS, type FollowUp } from './follow-ups.ts'

/** Condenses the follow-ups one after the other. @returns how many became what they mean, and the others */
export async function askFollowUps(
  model: Model,
  prompts: Prompts,
  newNonce: () => string,
  signal: AbortSignal,
  limit = Infinity,
): Promise<{ right: number; of: number; misses: { message: string; got: string }[] }> {
  /** A question about the conversation itself keeps its words. */
  const standaloneOf = async ({ turns, message }: FollowUp) => {
    if (isAboutConversation(message)) return message
    const before = turns.map((turn, i) => ({ ...turn, id: `${i}`, standalone: turn.question, user: 'U', at: i }))
    const conversation = { turns: before, said: '', nonce: newNonce() }
    return condense(message, conversation, { model, prompts, signal, onUsage: () => undefined })
  }
  const asked = WORK_FOLLOW_UPS.slice(0, limit)
  const misses: { message: string; got: string }[] = []
  for (const one of asked) {
    const got = await standaloneOf(one)
    if (!isRightReading(one, got)) misses.push({ message: one.message, got })
  }
  return { right: asked.length - misses.length, of: asked.length, misses }
}

function isRightReading(one: FollowUp, got: string): boolean {
  return one.isKept ? got === one.message : holdsAnswer(one, got)
}
