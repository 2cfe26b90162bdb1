import { z } from 'zod'
import { readJsonLines } from './parse-set.ts'

/** A recorded run: the model's completions, the environment's observations, and the result. */
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

/** @throws ConfigError naming the line that is not an episode */
export async function loadEpisodes(file: string, limit = Infinity): Promise<Episode[]> {
  return (await readJsonLines(file, { schema: episode, what: 'a recorded episode' })).slice(0, limit)
}

/** A line with an action, labelled or not: `Action 2: Search[x]`, `Search[x]`. */
const ACTION_LINE = /^[\s*#]*(?:Action[^\n:]*:\s*)?[A-Za-z]\w*[[(]/im

/**
 * Returns the step (from 0) that each call of an episode belongs to. Usually a call is a step. If a recording has more
 * calls than observations, some steps took two: the paper's runner asked again for just the action if it could not
 * parse one (noted as a bad call), and Reflexion's asks for thought and action separately.
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
