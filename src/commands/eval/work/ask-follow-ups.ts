import type { Prompts } from '../../../base/prompts.ts'
import type { Model } from '../../../agent/contracts/model.ts'
import { isAboutConversation } from '../../../question/about-conversation.ts'
import { condense } from '../../../question/condense.ts'
import { isRight } from './ask-work.ts'
import { FOLLOW_UPS, type FollowUp } from './follow-ups.ts'

interface AskDeps {
  model: Model
  prompts: Prompts
  newNonce(): string
  signal: AbortSignal
}

/** Condenses the follow-ups one after the other. @returns how many became what they mean, and the others */
export async function askFollowUps(
  deps: AskDeps,
  limit = Infinity,
): Promise<{ right: number; of: number; misses: { message: string; got: string }[] }> {
  const asked = FOLLOW_UPS.slice(0, limit)
  const misses: { message: string; got: string }[] = []
  for (const one of asked) {
    const got = await standaloneOf(one, deps)
    if (!isRightReading(one, got)) misses.push({ message: one.message, got })
  }
  return { right: asked.length - misses.length, of: asked.length, misses }
}

/** A question about the conversation itself keeps its words. */
async function standaloneOf({ turns, message }: FollowUp, { model, prompts, newNonce, signal }: AskDeps) {
  if (isAboutConversation(message)) return message
  const asked = turns.map((turn, i) => ({ ...turn, id: `${i}`, standalone: turn.question, user: 'U', at: i }))
  const conversation = { turns: asked, said: '', nonce: newNonce() }
  return condense(message, conversation, { model, prompts, signal, onUsage: () => undefined })
}

function isRightReading(one: FollowUp, got: string): boolean {
  return one.isKept ? got === one.message : isRight(one, got)
}
