import { blockText } from './block.ts'
import { closingFence } from './fences.ts'
import type { Section } from './sections.ts'
import type { ModelOutput } from './model-output.ts'

/**
 * The answer that begins at a `Final Answer` label: all that follows, labels included, because an answer may speak of
 * them. It ends with the fence it stands in, or where the model runs on into another round of thinking or questions.
 */
export function answerOf(turn: ModelOutput, index: number): string {
  const section = turn.sections[index]
  if (!section) return ''
  const close = section.fenced ? closingFence(turn.text, section.valueAt) : undefined
  return blockText(turn.text, section, close ?? runOn(turn, index))
}

/** Where a new `Thought:`, or `Question:` with a thought after it, begins in plain type at the left margin. */
function runOn({ text, sections }: ModelOutput, index: number): number {
  const next = sections.findIndex((section, i) => {
    if (i <= index || !isPlain(section)) return false
    return section.name === 'thought' || (section.name === 'question' && sections[i + 1]?.name === 'thought')
  })
  return sections[next]?.at ?? text.length
}

function isPlain(section: Section): boolean {
  return section.capital && !section.fenced && !section.decorated && section.indent === 0
}
