/** The beginnings of the last prompts, as hashes of their blocks: no text is kept. */
export class RecentPrompts {
  #all: number[][] = []

  /** @returns the part of the text that follows what it shares with a recent one; undefined if it shares nothing */
  add(text: string): string | undefined {
    const blocks = hashesOf(text)
    const shared = Math.max(0, ...this.#all.map((other) => firstDifference(blocks, other)))
    this.#all = [blocks, ...this.#all].slice(0, MAX_RECENT)
    return shared === 0 ? undefined : text.slice(shared * BLOCK_CHARS)
  }
}

const MAX_RECENT = 4
export const BLOCK_CHARS = 500

function firstDifference(one: number[], other: number[]): number {
  const at = one.findIndex((hash, i) => hash !== other[i])
  return at < 0 ? one.length : at
}

/** The hash of everything up to the end of each block. */
function hashesOf(text: string): number[] {
  const hashes: number[] = []
  let hash = 7
  for (let i = 0; i + BLOCK_CHARS <= text.length; i += BLOCK_CHARS) {
    for (let j = i; j < i + BLOCK_CHARS; j += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(j)) | 0
    hashes.push(hash)
  }
  return hashes
}
