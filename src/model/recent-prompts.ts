import { messageWords, type CountedPrompt } from './tokens.ts'

/** `fresh`: the part that follows what the prompt shares with a recent one; undefined if it shares nothing. */
interface AddedPrompt {
  chars: number
  fresh: string | undefined
}

/** The beginnings of the last prompts of an endpoint, as hashes of their blocks: no text is kept. */
export class RecentPrompts {
  #all: number[][] = []
  readonly #added = new WeakMap<CountedPrompt['messages'], AddedPrompt>()

  /** Adds a prompt, once for each call. */
  add(prompt: CountedPrompt): AddedPrompt {
    const known = this.#added.get(prompt.messages)
    if (known) return known
    const text = promptText(prompt)
    const blocks = hashesOf(text)
    const shared = Math.max(0, ...this.#all.map((other) => firstDifference(blocks, other)))
    if (blocks.length > 0) this.#all = [blocks, ...this.#all].slice(0, MAX_RECENT)
    const fresh = shared === 0 ? undefined : text.slice(shared * BLOCK_CHARS)
    const added = { chars: text.length, fresh }
    this.#added.set(prompt.messages, added)
    return added
  }
}

/** All that the endpoint reads. */
function promptText({ messages, tools = [] }: CountedPrompt): string {
  return [...tools.map((tool) => JSON.stringify(tool)), ...messages.map(messageWords)].join('\n')
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
