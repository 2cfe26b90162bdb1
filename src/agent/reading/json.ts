import type { Reading } from '../types.ts'
import { objectIn } from './blob-action.ts'
import { readBlob } from './blob.ts'
import { firstBegun, toReading, type Found } from './found.ts'
import { readInline } from './inline.ts'
import { readLeaked } from './leaked.ts'
import { readSteps } from './steps.ts'
import { turnOf, type Turn } from './turn.ts'

const FORM =
  'Write one JSON object in a code fence, {"action": "<tool>", "action_input": <input>}, and nothing after it; or, when you know the answer, "Final Answer: <answer>".'

/**
 * Reads a completion of the json dialect (LangChain's chat agent): one JSON object `{"action", "action_input"}`, fenced
 * or not, or `Final Answer:`. The input is the JSON value that the model wrote, `{}` where it wrote none. Plain labels are
 * understood where there is no JSON.
 */
export function readJson(completion: string, tools: string[]): Reading {
  const turn = turnOf(completion, tools)
  const found = findCall(turn)
  return toReading(found?.kind === 'action' ? { ...found, input: objectIn(found.input) } : found, turn, FORM)
}

/** A blob decides, unless an answer is labelled before it, or it stands in the input of a labelled action. */
function findCall(turn: Turn): Found | undefined {
  const blob = firstBegun(readBlob(turn), readLeaked(turn))
  const labelled = readSteps(turn)
  if (!blob || !labelled) return blob ?? labelled ?? readInline(turn)
  if (labelled.kind === 'fault' || labelled.at >= blob.at) return blob
  return labelled.kind === 'action' && blob.kind === 'action' && turn.tools.includes(blob.tool) ? blob : labelled
}
