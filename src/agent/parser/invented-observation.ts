import { readWhole } from '../observation-cut.ts'
import { labelReader, REACT } from './react-labels.ts'

const observationLabel = labelReader({ observation: REACT.observation })

/**
 * Whether a line of model output begins an observation that the model invented. Made for the stream too: a line that is
 * still growing is not taken for one by mistake (`Observation` may become `Observational studies`), so a bare
 * `Observation` counts only with its line break. Indented lower case (`    observation: str`) is code; bold or a heading
 * without a colon may be an answer's own.
 */
export function beginsObservation(line: string): boolean {
  const label = observationLabel(line, 0)
  if (!label || (!label.capital && label.indent > 1)) return false
  return label.colon || (!label.decorated && line.endsWith('\n'))
}

/**
 * The text before its first invented observation; all of it when there is none. What a model writes between marks of
 * reasoning is not yet its turn, so an observation in there ends nothing.
 */
export function cutAtObservation(text: string): string {
  return readWhole(text, beginsObservation).text
}
