/** The arguments of a tool call that came in pieces. */
import { readLoose } from '../agent/parser/loose-json.ts'
import { isRecord, parseJson } from '../base/parse-json.ts'

export const MAX_CALLS = 1_000

/** Follows arguments piece by piece, in linear time. */
export class ObjectScan {
  #depth = 0
  #isText = false
  #isEscaped = false
  #hasEnded = false

  /** Whether the last object has ended, and nothing but space follows. */
  get isWhole(): boolean {
    return this.#hasEnded
  }

  take(piece: string): void {
    for (const char of piece) {
      if (this.#isText) {
        if (char === '"' && !this.#isEscaped) this.#isText = false
        this.#isEscaped = char === '\\' && !this.#isEscaped
        continue
      }
      if (/\s/.test(char)) continue
      this.#hasEnded = false
      if (char === '"') this.#isText = true
      else if (char === '{' || char === '[') this.#depth += 1
      else if ((char === '}' || char === ']') && this.#depth > 0) this.#hasEnded = (this.#depth -= 1) === 0
    }
  }
}

export interface MadeCall {
  index: number | undefined
  id: string
  name: string
  arguments: string
  /** The first and the last piece of the arguments. */
  first: string
  last: string
  scan: ObjectScan
}

/** A few endpoints repeat everything so far with each piece, or begin with `null`. */
export function argumentsOf({ arguments: all, first, last }: MadeCall): string {
  const isRepeated = last.length > first.length && last.startsWith(first) && parseJson(first) === undefined
  if (isRepeated && isRecord(parseJson(last)) && parseJson(all) === undefined) return last
  return all.replace(/^(?:null|"")(?=\s{0,9}\{)/, '')
}

/** Matches the text between two objects of arguments, and behind a list of them. */
const BETWEEN = /^[\s,]*\]?\s*/

/**
 * The objects of arguments that were glued to each other or are a list, each once. An empty one beside another is none.
 */
export function wholeObjects(text: string): string[] {
  const isList = /^\s{0,9}\[\s{0,9}\{/.test(text)
  if (!isList && (!/\}[\s,]*\{/.test(text) || parseJson(text) !== undefined)) return [text]
  const found: string[] = []
  for (let at = isList ? text.indexOf('{') : 0; at < text.length && found.length < MAX_CALLS;) {
    const loose = text[at] === '{' ? readLoose(text, at) : undefined
    if (!loose?.ok) return [text]
    found.push(text.slice(at, loose.end))
    at = loose.end + (BETWEEN.exec(text.slice(loose.end, loose.end + 100))?.[0].length ?? 0)
  }
  const full = [...new Set(found)].filter((one) => !/^\{\s*\}$/.test(one))
  return full.length > 0 ? full : ['{}']
}
