import { hasRun, onOneLine } from './partial-answer.ts'
import { inputForPeople } from './tool-input.ts'
import type { Step } from './contracts/run-events.ts'

const MAX_RESULTS = 8
const INPUT_CHARS = 100

/**
 * What the tools have returned, in short, a line each: tool, input, result. Leaves out what may not be kept or shown,
 * and instructions.
 */
export function knownResults(steps: readonly Step[]): string {
  const results = steps
    .filter(hasRun)
    .filter(({ observation: { passing, forAsker, instructions } }) => !passing && !forAsker && !instructions)
  return results
    .slice(-MAX_RESULTS)
    .map(
      ({ action, observation }) =>
        `- ${action.tool} (${onOneLine(inputForPeople(action.input), INPUT_CHARS)}): ${onOneLine(observation.text)}`,
    )
    .join('\n')
}
