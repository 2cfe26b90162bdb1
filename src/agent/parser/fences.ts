/** Code fences as models write them: of backticks or tildes, with a language or none, escaped (`\```json`), unclosed. */

const FENCE = /[ \t]*\\?(?:`{3,}|~{3,})[ \t]{0,8}([\w+#.-]*)[ \t]{0,8}\r?(?:\n|$)/y

/** A line that is a fence and nothing else. `end` is the offset after its line break. */
export interface Fence {
  language: string
  end: number
}

/** The fence that the line at `at` is, if it is one. */
export function fenceAt(text: string, at: number): Fence | undefined {
  FENCE.lastIndex = at
  const match = FENCE.exec(text)
  return match ? { language: match[1] ?? '', end: FENCE.lastIndex } : undefined
}

/** How deep in fences the text is after `fence`: one with a language always opens, a bare one closes what is open. */
export function depthAfter(depth: number, fence: Fence): number {
  return fence.language || depth === 0 ? depth + 1 : depth - 1
}

/** Where the line begins that closes the fence which is open at `from`; undefined when nothing does. */
export function closingFence(text: string, from: number): number | undefined {
  let depth = 1
  for (let at = from; at < text.length; at = nextLine(text, at)) {
    const fence = fenceAt(text, at)
    if (fence) depth = depthAfter(depth, fence)
    if (depth === 0) return at
  }
  return undefined
}

/** Where the line after the one at `at` begins; the length of the text when there is none. */
export function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end + 1
}
