import { unescapeText } from './escape.ts'

const NAME_CHARS = 60

/**
 * The name of a person or a channel as it may stand in a prompt and in a post. Whoever chose it may have chosen anything: what is
 * left is letters, digits and the few signs that names have, on one line, at most 60 characters. No label of ReAct, no
 * control sequence, no address with a scheme and no Markdown can be made of that. Empty if nothing is left.
 */
export function cleanName(name: string): string {
  const plain = unescapeText(name.slice(0, 1000))
    .replace(/[^\p{L}\p{M}\p{N}.,'’()_-]+/gu, ' ')
    .replace(/(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '')
  return [...plain.trim()].slice(0, NAME_CHARS).join('').trim()
}
