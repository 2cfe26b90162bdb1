import { depthAfter, fenceAt, nextLine } from './fences.ts'
import { unwrapped, type Section } from './sections.ts'
import { dedent, tidy } from './trim.ts'

/** The text of a section up to `end`, without its indent, its decoration, and a fence's end that has no beginning. */
export function blockText(turn: string, section: Section, end: number): string {
  const text = dedent(turn.slice(section.valueAt, end), section.indent).trimEnd()
  return tidy(unwrapped(tidy(withoutLooseFence(text)), section.wrap))
}

/** A bare fence in the last line that closes none here closes one that the turn did not open. */
function withoutLooseFence(text: string): string {
  let depth = 0
  let last = text.length
  for (let at = 0; at < text.length; at = nextLine(text, at)) {
    const fence = fenceAt(text, at)
    if (fence) depth = depthAfter(depth, fence)
    last = fence && !fence.language && depth === 1 ? at : text.length
  }
  return text.slice(0, last)
}
