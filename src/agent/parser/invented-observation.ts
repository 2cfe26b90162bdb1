import { nextLine } from './fences.ts'
import { labelReader, REACT } from './react-labels.ts'
import { thinkingSpans } from './thinking.ts'

const observationLabel = labelReader({ observation: REACT.observation })

/**
 * Whether a line of model output begins an observation that the model invented. Made for the stream too: a line that is
 * still growing is not taken for one by mistake (`Observation` may become `Observational studies`), so a bare
 * `Observation` counts only with its line break.
 */
export function beginsObservation(line: string): boolean {
  return observationAt(line, 0) && (line.endsWith('\n') || observationLabel(line, 0)?.colon === true)
}

/**
 * The text before its first invented observation; all of it when there is none. What a model writes between `<think>`
 * tags is not yet its turn, so an observation in there ends nothing.
 */
export function cutAtObservation(text: string): string {
  return cutAt(text, observationAt)
}

/** The text before the first line, outside of thinking, at whose offset `begins` holds. */
export function cutAt(text: string, begins: (text: string, at: number) => boolean): string {
  const thinking = thinkingSpans(text)
  let next = 0
  for (let at = 0; at < text.length; at = nextLine(text, at)) {
    while ((thinking[next]?.end ?? Infinity) <= at) next++
    if ((thinking[next]?.start ?? Infinity) <= at) continue
    if (begins(text, at)) return text.slice(0, at)
  }
  return text
}

/** Indented lower case (`    observation: str`) is code; bold or a heading without a colon may be an answer's own. */
function observationAt(text: string, at: number): boolean {
  const label = observationLabel(text, at)
  if (!label || (!label.capital && label.indent > 1)) return false
  return label.colon || !label.decorated
}
