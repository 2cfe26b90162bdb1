import { hasRun } from './partial-answer.ts'
import { inputForPeople } from './tool-input.ts'
import type { Step } from './contracts/run-events.ts'

const MAX_RESULTS = 8
const INPUT_CHARS = 100
const RESULT_CHARS = 300

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
        `- ${action.tool} (${cut(inputForPeople(action.input), INPUT_CHARS)}): ${cut(observation.text, RESULT_CHARS)}`,
    )
    .join('\n')
}

function cut(text: string, max: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > max ? `${line.slice(0, max)}…` : line
}
