/** An action with the reason for it. A lookup says on which `page` it is, and the how manieth `hit` it wants. */
export type Move = { thought: string; tool: string; input: string; page?: string; hit?: number }

/** The end of a run in Markdown. `isUnknown` where it says that the demo does not know. */
export type Final = { answer: string; isUnknown: boolean }

/**
 * How a question is answered: yields actions and is given their observations. A model has no memory but its prompt, so each
 * call runs the plan from its start, and the first action without an observation comes next.
 */
export type Plan = Generator<Move, Final, string>

/** Runs a plan over what was observed. What was done is not done again; a lookup on a page that is no longer open finds nothing. */
export function advance(plan: Plan, observations: string[]): Move | Final {
  const [seen, rest] = [new Map<string, string>(), observations.values()]
  let [open, next] = ['', plan.next()]
  while (!next.done) {
    const { tool, input, page, hit } = next.value
    const key = JSON.stringify([tool, input, page, hit])
    const observation = seen.get(key) ?? (page && page !== open ? 'No more results.' : rest.next().value)
    if (observation === undefined) return next.value
    if (!page && !seen.has(key)) open = input
    seen.set(key, observation)
    next = plan.next(observation)
  }
  return next.value
}
