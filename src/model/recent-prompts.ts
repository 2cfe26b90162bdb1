import { wordsOf, type CountedPrompt } from './tokens.ts'

/** The beginnings of the last prompts of an endpoint, as hashes of their blocks: no text is kept. */
export class RecentPrompts {
  #all: number[][] = []
  readonly #added = new WeakMap<CountedPrompt['messages'], { text: string | undefined }>()

  /**
   * Adds a prompt, once for each call. @returns the part of it that follows what it shares with a recent one; undefined
   * if it shares nothing
   */
  add(prompt: CountedPrompt): string | undefined {
    const known = this.#added.get(prompt.messages)
    if (known) return known.text
    const text = promptText(prompt)
    const blocks = hashesOf(text)
    const shared = Math.max(0, ...this.#all.map((other) => firstDifference(blocks, other)))
    if (blocks.length > 0) this.#all = [blocks, ...this.#all].slice(0, MAX_RECENT)
    const added = shared === 0 ? undefined : text.slice(shared * BLOCK_CHARS)
    this.#added.set(prompt.messages, { text: added })
    return added
  }
}

/** All that the endpoint reads. */
export function promptText({ messages, tools = [] }: CountedPrompt): string {
  return [...tools.map((tool) => JSON.stringify(tool)), ...messages.map(wordsOf)].join('\n')
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
