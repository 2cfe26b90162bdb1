/** Actions written as calls: `Search[…]`, `search("x")`. */
import { plainInput } from './action-input.ts'
import { readLoose } from './loose-json.ts'
import type { ActionInput } from './model-output.ts'
import { isSpace, nextLine, tidy } from './text-lines.ts'
import { listedTool } from './tool-names.ts'

/** An action written as a call. `argument` is undefined if the call is not closed or something follows it. */
export interface BracketCall {
  tool: string
  round: boolean
  argument: string | undefined
}

const PAIRS: Record<string, string> = { '[': ']', '(': ')', '［': '］', '（': '）', '【': '】' }
const IDENTIFIER = /^[\p{L}_][\p{L}\p{N}_.-]*$/u
/** Allowed after the closing bracket, besides white space and the decoration before the name. */
const MAY_FOLLOW = '.。,;`*_'
/** The longest name before a bracket. */
const LONGEST_NAME = 100

/**
 * Reads `Tool[argument]` or `tool(argument)` at the start of a text. Returns undefined for prose: an unlisted tool must
 * look like a name and touch its bracket. With `listedOnly`, only listed tools count.
 */
export function readCall(text: string, tools: string[], listedOnly = false): BracketCall | undefined {
  let start = 0
  while (start < text.length && (isSpace(text[start] ?? '') || '`*_"\''.includes(text[start] ?? ''))) start++
  if (text[start] === '[') return bracketedCall(text.slice(start), tools, listedOnly)
  const open = text.slice(start, start + LONGEST_NAME).search(/[[(［（【\n]/) + start
  const close = PAIRS[text[open] ?? '']
  const name = text.slice(start, open)
  if (open <= start || !close) return undefined
  const tool = listedTool(name, tools) ?? (IDENTIFIER.test(name) && !listedOnly ? name : undefined)
  if (!tool) return undefined
  const ending = { close, mayFollow: MAY_FOLLOW + text.slice(0, start) }
  const end = jsonEnd(text, open, ending) ?? callEnd(text, open, ending)
  return {
    tool,
    round: close === ')' || close === '）',
    argument: end === undefined ? undefined : text.slice(open + 1, end),
  }
}

/** Reads `[Search[x]]`, from models that copy the brackets of the prompt's placeholder. */
function bracketedCall(text: string, tools: string[], listedOnly: boolean): BracketCall | undefined {
  const line = tidy(text.slice(0, nextLine(text, 0)))
  return line.endsWith(']]') && line[1] !== '[' ? readCall(line.slice(1, -1), tools, listedOnly) : undefined
}

/**
 * Round brackets follow programming syntax: one quoted argument loses its quotes, and an object or named arguments
 * become fields.
 */
export function argumentInput({ round, argument }: BracketCall): ActionInput {
  if (argument === undefined) return { ok: false, what: 'the call is not closed, or something follows it' }
  const lead = BEFORE_JSON.exec(argument.slice(0, LONGEST_LEAD))?.[0]
  const text = tidy(lead === undefined ? argument : argument.slice(lead.length - 1).replace(/[\s`]{1,30}$/, ''))
  if (!round) return { ok: true, input: text }
  const quoted = /^["'“‘{]/.test(text) ? readLoose(text) : undefined
  if (quoted?.ok && quoted.end === text.length) return { ok: true, input: quoted.value }
  const named = /^\w+\s*=[^=]/.test(text) ? readLoose(`{${text}}`) : undefined
  if (named?.ok && named.end === text.length + 2) return { ok: true, input: named.value }
  return plainInput(text)
}

/**
 * Returns where the bracket at `open` closes after a JSON object. Brackets and quotes inside the object's strings are
 * ignored. Undefined if it contains something else, or if something follows.
 */
function jsonEnd(text: string, open: number, { close, mayFollow }: { close: string; mayFollow: string }) {
  const start = BEFORE_JSON.exec(text.slice(open + 1, open + 1 + LONGEST_LEAD))?.[0].length
  if (start === undefined) return undefined
  const loose = readLoose(text, open + start)
  if (!loose.ok) return undefined
  let end = loose.end
  while (end < text.length && (isSpace(text[end] ?? '') || text[end] === '`')) end++
  if (text[end] !== close) return undefined
  const rest = text.slice(end + 1, nextLine(text, end))
  return [...rest].every((char) => isSpace(char) || mayFollow.includes(char)) ? end : undefined
}

/** Matches between the bracket and an object: a fence, or the word from the prompt's placeholder. */
const BEFORE_JSON = /^\s{0,20}(?:(?:action[ _]?)?input\s{0,3}[:=]\s{0,9})?(?:`{1,3}(?:json)?\s{0,20})?\{/i
const LONGEST_LEAD = 100

/**
 * Returns where the bracket at `open` closes: at the last closing bracket of its line (the paper's environment did the
 * same), or of a later line while brackets are open. Brackets are counted twice, with and without those inside quotes.
 * One balanced count is enough, so that `grep "["` is complete. Undefined if the text ends first, or if the line
 * continues.
 */
function callEnd(text: string, open: number, { close, mayFollow }: { close: string; mayFollow: string }) {
  const opening = text[open]
  const depth = { plain: 0, outsideQuotes: 0 }
  let quote = ''
  let last = open
  for (let i = open; i <= text.length; i++) {
    const char = text[i] ?? '\n'
    if (char === '\n') {
      const even = depth.plain <= 0 || depth.outsideQuotes <= 0
      if (even && text[last] === close) return last
      if (depth.plain <= 0 && depth.outsideQuotes <= 0) return undefined
    }
    const step = char === opening ? 1 : char === close ? -1 : 0
    depth.plain += step
    if (!quote) depth.outsideQuotes += step
    quote = quoteAfter(quote, char, text[i - 1] ?? '')
    if (!isSpace(char) && !mayFollow.includes(char)) last = i
  }
  return undefined
}

/** An apostrophe inside a word does not open a quote. */
function quoteAfter(quote: string, char: string, before: string): string {
  if (quote) return char === quote ? '' : quote
  return char === '"' || (char === "'" && !/[\p{L}\p{N}]/u.test(before)) ? char : ''
}
