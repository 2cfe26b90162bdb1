import type { Asked } from './read-prompt.ts'

/** The next action, with the reason for it. `place`: the page that it looks a word up on, and the how manieth hit it wants. */
export interface Move {
  thought: string
  tool: string
  input: string
  place?: { page: string; hit: number }
}

/** The end of a run: why it is enough, and the answer in Markdown. `isUnknown` where it says that the demo does not know. */
export type Final = { thought: string; answer: string; isUnknown: boolean }

/**
 * How a question is answered: a generator that yields the actions it needs and is given their observations. A model has no
 * memory but its prompt, so each call runs the plan from its start, and the first action without an observation comes next.
 */
export type Plan = Generator<Move, Final, string>

/** A rule of the demo: a plan for the questions that it understands, nothing for the others. */
export type Rule = (asked: Asked) => Plan | undefined

/** Runs a plan over what was observed. What was done is not done again; a lookup on a page that is no longer open finds nothing. */
export function advance(plan: Plan, observations: string[]): Move | Final {
  const [seen, rest] = [new Map<string, string>(), observations.values()]
  let [open, next] = ['', plan.next()]
  while (!next.done) {
    const { tool, input, place } = next.value
    const key = JSON.stringify([tool, input, place])
    const observation = seen.get(key) ?? (place && place.page !== open ? 'No more results.' : rest.next().value)
    if (observation === undefined) return next.value
    if (!place && !seen.has(key)) open = input
    seen.set(key, observation)
    next = plan.next(observation)
  }
  return next.value
}

export function answered(answer: string): Final {
  return { thought: 'I now know the final answer', answer, isUnknown: false }
}

export function unknown(answer: string): Final {
  return { thought: 'I cannot find out more.', answer, isUnknown: true }
}
