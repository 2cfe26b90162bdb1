import { z } from 'zod'
import { readJsonLines } from './lines.ts'

/** A recorded run: what the model wrote, what its environment said back, how it ended. */
const episode = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  question: z.string(),
  gold: z.union([z.string().transform((one) => [one]), z.array(z.string()).min(1)]),
  max_steps: z.number().int().positive().optional(),
  calls: z.array(z.object({ completion: z.string(), note: z.string().optional() })),
  observations: z.array(z.string()),
  recorded: z.object({ answer: z.string().nullish(), em: z.union([z.number(), z.boolean()]).optional() }).default({}),
})

export type Episode = z.infer<typeof episode>

/** @throws ConfigError naming the line that is no episode. */
export async function loadEpisodes(file: string, limit = Infinity): Promise<Episode[]> {
  return (await readJsonLines(file, { schema: episode, what: 'a recorded episode' })).slice(0, limit)
}

/** A line that holds an action, labelled or not: `Action 2: Search[x]`, `Search[x]`. */
const ACTION_LINE = /^[\s*#]*(?:Action[^\n:]*:\s*)?[A-Za-z]\w*[[(]/im

/**
 * The step (from 0) that each call of an episode belongs to. As a rule a call is a step. Where a recording has more calls
 * than observations, some steps took two: the paper's runner asked again for the action alone where it could not read one
 * (noted as a bad call), and Reflexion's asks for the thought and the action one after the other.
 */
export function stepOfCalls({ calls, observations }: Episode): number[] {
  const isFirstHalf = firstHalves(calls, observations.length)
  let step = 0
  return calls.map((_, i) => (isFirstHalf(i) ? step : step++))
}

function firstHalves(calls: Episode['calls'], observations: number): (i: number) => boolean {
  if (calls.length <= observations) return () => false
  const acts = calls.map((call) => ACTION_LINE.test(call.completion))
  if (calls.length >= 2 * observations && !acts[0]) return (i) => i % 2 === 0 && i + 1 < calls.length
  return (i) => calls[i]?.note === 'badcall' || (acts[i] === false && acts[i + 1] === true)
}
