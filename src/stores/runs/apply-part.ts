import type { RunPart, SavedRun } from './types.ts'

/** Puts one saved part into its place. Steps and usage are numbered from 1; saving a number again replaces it. */
export function applyPart(saved: SavedRun, part: RunPart): void {
  if (part.part === 'step') saved.steps[part.n - 1] = part.value
  else if (part.part === 'usage') saved.usage[part.n - 1] = part.value
  else Object.assign(saved, { [part.part]: part.value })
}
