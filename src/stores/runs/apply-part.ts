import type { RunPart, SavedRun } from './types.ts'

/** Puts one saved part into its place. Steps and usage are numbered from 1; saving a number again replaces it. */
export function applyPart(saved: SavedRun, part: RunPart): void {
  switch (part.part) {
    case 'named':
      saved.named = part.value
      return
    case 'spoken':
      saved.spoken = part.value
      return
    case 'said':
      saved.said = part.value
      return
    case 'standalone':
      saved.standalone = part.value
      return
    case 'remembered':
      saved.remembered = part.value
      return
    case 'step':
      saved.steps[part.n - 1] = part.value
      return
    case 'memory':
      saved.memory = part.value
      return
    case 'usage':
      saved.usage[part.n - 1] = part.value
      return
    case 'answer':
      saved.answer = part.value
  }
}
