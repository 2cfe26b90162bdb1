import { turnText } from './parser/model-output.ts'
import { withoutCallMarks } from './parser/special-tokens.ts'
import { holdsCall, withoutInlineCode } from './parser/written-calls.ts'
import { defuseLabels } from './observation.ts'
import { actionTitle } from './tool-title.ts'
import type { Observation, ObservedToolStep, Step } from './contracts/run-events.ts'

/** Follows an answer that was cut off. */
export const CUT_OFF = "_The model's answer was cut off._"

/**
 * The text of a model that was told to answer and wrote plain prose in any form. Empty if the text contains any of the
 * dialect's scaffolding (labels, JSON) or a call outside of inline code, which people should not see.
 */
export function plainProse(
  text: string,
  { tools, beginsObservation }: { tools: string[]; beginsObservation: (line: string) => boolean },
): string {
  const words = withoutCallMarks(turnText(text, () => false).text).trim()
  const scaffolded =
    defuseLabels(words) !== words ||
    /^`{0,6}(?:json)?\s*[{[]/i.test(words) ||
    words.split('\n').some(beginsObservation) ||
    holdsCall(withoutInlineCode(words), tools)
  return scaffolded ? '' : words
}

/** Returns whether a tool ran successfully in this step. A reply from the loop does not count. */
export function hasRun(step: Step): step is ObservedToolStep {
  return step.kind === 'tool' && step.observation !== undefined && step.observation.ok && !step.observation.hint
}

/** The successful observations of tools, with the tools' titles. */
export function findingsOf(steps: readonly Step[]): { title: string; found: Observation }[] {
  return steps.flatMap((step) => (hasRun(step) ? [{ title: actionTitle(step.action), found: step.observation }] : []))
}

/** The text for a run that ends without an answer. `begun`: the beginning of an answer that stalled. */
export function partialAnswer(steps: readonly Step[], begun = ''): string {
  const lines = findingLines(steps)
  const found = lines.length > 0 ? `This is what I found:\n${lines.join('\n')}` : ''
  if (begun !== '') return [`${FELL_SILENT}\n\n${begun} …`, ...(found ? [found] : [])].join('\n\n')
  if (found === '') return 'I could not find an answer, and nothing I found would help.'
  return `I could not find an answer. ${found}`
}

/** The same for a run that a person stopped: its last finding only, because the person has seen the steps. */
export function knownSoFar(steps: readonly Step[]): string {
  const count = findingsOf(steps).length
  if (count === 0) return 'I had not found anything yet.'
  const which = count === 1 ? 'This is what I had found:' : `This is the last of ${count} things I had found:`
  return [which, ...findingLines(steps, 1)].join('\n')
}

function findingLines(steps: readonly Step[], max = 3): string[] {
  return findingsOf(steps)
    .slice(-max)
    .map(({ title, found }) => `- ${title}: ${onOneLine(found.passing ? titlesOf(found) : found.text)}`)
}

/** The answer is stored, so it contains only the source titles of text that must be deleted. */
function titlesOf({ sources = [] }: Observation): string {
  return sources.map(({ title }) => title).join('; ')
}

const FELL_SILENT =
  "The model's answer was cut off: the model stopped responding in the middle. This is how far it got:"

/** One line, cut at its length. */
export function onOneLine(text: string, max = 300): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > max ? `${line.slice(0, max)}…` : line
}
