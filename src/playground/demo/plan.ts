import type { Asked } from './read-prompt.ts'

/** The next action, with the reason for it. */
export interface Move {
  thought: string
  tool: string
  input: string
}

/** The end of a run: why it is enough, and the answer in Markdown. */
export interface Final {
  thought: string
  answer: string
}

/**
 * How a question is answered: a generator that yields the actions it needs and is given their observations. A model has no
 * memory but its prompt, so each call runs the plan from its start over the observations that the prompt holds, and the
 * first action without one is what comes next.
 */
export type Plan = Generator<Move, Final, string>

/** A rule of the demo: a plan for the questions that it understands, nothing for the others. */
export type Rule = (asked: Asked) => Plan | undefined

/** Runs a plan over what was observed; gives the next move or the answer. */
export function advance(plan: Plan, observations: string[]): Move | Final {
  let next = plan.next()
  for (const observation of observations) {
    if (next.done) break
    next = plan.next(observation)
  }
  return next.value
}

/** An answer with the thought that commonly goes before it. */
export function answered(answer: string, thought = 'I now know the final answer'): Final {
  return { thought, answer }
}
