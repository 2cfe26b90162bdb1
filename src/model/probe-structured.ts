/** Tests whether an endpoint holds the form of a JSON schema, for AGENT_DIALECT=auto and `npm run doctor`. */
import { z } from 'zod'
import { readReply } from '../agent/ask-once.ts'
import { turnSchema } from '../agent/dialects/held-turn.ts'
import type { Model } from '../agent/contracts/model.ts'
import { parseJson } from '../base/parse-json.ts'
import { operatorSentence } from './failure-for-operator.ts'

/** `why` is a sentence. */
type HeldForm = { isHeld: true } | { isHeld: false; why: string }

/** The prompt asks for no JSON, so only a schema that is held brings it. */
const QUESTION = 'What does a shop call its stock_level? Answer in one sentence.'
const SCHEMA = turnSchema({ tools: [], steps: [] })
const turn = z.strictObject({
  thought: z.string(),
  step: z.strictObject({ action: z.literal('answer'), input: z.string() }),
})

/** Makes one small call. Never rejects. */
export async function probeStructured(model: Model, timeMs: number): Promise<HeldForm> {
  const signal = AbortSignal.timeout(timeMs)
  try {
    const messages = [{ role: 'user' as const, content: QUESTION }]
    const { text } = await readReply(model, { messages, schema: SCHEMA, signal, timeMs })
    return turn.safeParse(parseJson(text)).success
      ? { isHeld: true }
      : { isHeld: false, why: 'Its endpoint does not hold the form of a JSON schema.' }
  } catch (error) {
    if (signal.aborted) return { isHeld: false, why: `It did not answer within ${timeMs / 1000} s.` }
    return { isHeld: false, why: operatorSentence(error) }
  }
}
