/**
 * The input of an action: after its label (`Action Input: …`), or in the brackets of a call (`Search[…]`, `search("x")`).
 */
import { readLoose } from './loose-json.ts'
import type { ModelOutput, ParsedInput } from './match.ts'
import { sectionText, type Section } from './sections.ts'
import { closingFence, dedent, fenceAt, isSpace, nextLine, skipSpace, tidy } from './text-lines.ts'
import { listedTool, namesFinish, namesNothing } from './tool-names.ts'

/** An input that was begun and not ended. */
export const CUT: ParsedInput = { ok: false, what: 'its input breaks off before the end' }

/** What models add after an input: "(Waiting for the tool result.)", "I will wait for the observation." */
const ASIDE = /^[(（]\p{Lu}[^\n]*(?:wait|paus|note|tool|result|response|observation)[^\n]*[.!…][)）]$/u
const WAITING =
  /^(?:pause$|[(（](?:wait|paus|await)[^\n]*[)）]$|waiting (?:for|on)|awaiting|please wait|i(?:'ll| will|'m| am) (?:now )?(?:wait|await|pause))/i
const LONGEST_ASIDE = 300

/**
 * The input that begins at an `Action Input` label. JSON and free text stay as written; what only a fence or Python's
 * spelling hides becomes the value it stands for. An input that breaks off is none.
 */
export function inputOf(turn: ModelOutput, index: number): ParsedInput {
  const section = turn.sections[index]
  if (!section) return CUT
  const end = nextLabel(turn, index)
  const start = skipSpace(turn.text, section.valueAt)
  const fence = start < end ? fenceAt(turn.text, start) : undefined
  const closes = fence && section.fenced && !fence.language && closingFence(turn.text, fence.end) === undefined
  if (fence && !closes) return fencedInput(turn.text, { start: fence.end, end, indent: section.indent })
  const close = section.fenced ? closingFence(turn.text, section.valueAt) : undefined
  if (turn.isCut && close === undefined && end === turn.text.length) return CUT
  return plainInput(sectionText(turn.text, section, Math.min(end, close ?? end)))
}

/** An input ends at the next label that is one: in the style of its own, and where the turn goes on with it. */
function nextLabel(turn: ModelOutput, index: number): number {
  const own = turn.sections[index]
  let from = own?.valueAt ?? 0
  let isQuoted = false
  for (let i = index + 1; own && i < turn.sections.length; i++) {
    const section = turn.sections[i]
    if (!section) break
    if (tripleQuotes(turn.text.slice(from, section.at)) % 2 === 1) isQuoted = !isQuoted
    from = section.at
    if (!isQuoted && isAlike(section, own) && goesOn(turn, i)) return section.at
  }
  return turn.text.length
}

/** Python's quotes around text over lines: what stands in them is no label. */
function tripleQuotes(text: string): number {
  return text.match(/"{3}|'{3}/g)?.length ?? 0
}

/**
 * Not indented deeper, in no fence of its own, capitalised and decorated alike: the labels of a turn are written in one
 * style, those in what it quotes often in another (`    action: str` in code, `# Action: …` in a comment).
 */
function isAlike(section: Section, own: Section): boolean {
  const sameStyle = section.capital === own.capital && section.mark === own.mark
  return sameStyle && section.indent <= own.indent && (own.fenced || !section.fenced)
}

/**
 * Whether a label that follows an input begins another part of the turn. In a mail, a note or code, lines may look like
 * one; a real action names a tool or has its input, a real question has a thought after it, a real thought leads to an
 * action or an answer, or is the last line.
 */
function goesOn({ text, sections, tools }: ModelOutput, index: number): boolean {
  const [section, next] = [sections[index], sections[index + 1]]
  if (!section) return false
  const value = tidy(text.slice(section.valueAt, next?.at))
  const line = value.slice(0, nextLine(value, 0))
  switch (section.name) {
    case 'thought':
      return next ? ['action', 'answer', 'question'].includes(next.name) : !value.includes('\n')
    case 'question':
      return next?.name === 'thought'
    case 'answer':
      return !section.lone || sections[index - 1]?.name === 'thought'
    case 'action':
      return next?.name === 'input' || isAction(line, tools)
    default:
      return true
  }
}

/** An action that needs no input label: a listed tool, a call of one, an answer, or none. */
function isAction(line: string, tools: string[]): boolean {
  const name = line.slice(0, 100).split(/[[({:：]/, 1)[0] ?? ''
  return listedTool(name, tools) !== undefined || namesFinish(name, tools) || namesNothing(line)
}

/** Text between fences, labels in it included. Without a closing one only a whole JSON object is whole. */
function fencedInput(
  text: string,
  { start, end, indent }: { start: number; end: number; indent: number },
): ParsedInput {
  const close = closingFence(text, start)
  const json = wholeObject(text.slice(start, Math.min(end, close ?? end)))
  if (json) return { ok: true, input: json }
  return close === undefined ? CUT : { ok: true, input: tidy(dedent(text.slice(start, close), indent)) }
}

/** Free text, JSON, or a Python dict, written plainly. */
export function plainInput(text: string): ParsedInput {
  const bare = withoutBackticks(text)
  if (/^[{[]/.test(bare)) {
    const loose = readLoose(bare)
    if (!loose.ok && loose.cut && !(bare.startsWith('[') && bare.endsWith(']'))) return CUT
    if (loose.ok && endsLine(bare, loose.end)) {
      const written = bare.slice(0, loose.end)
      return { ok: true, input: isQuotedObject(written) && !isStrict(written) ? loose.value : written }
    }
  }
  if (bare.startsWith('"') && bare.indexOf('"', 1) < 0) return CUT
  return { ok: true, input: withoutAside(bare) }
}

/** Backticks around the whole of it are Markdown's, not the input's. */
function withoutBackticks(text: string): string {
  const inner = /^(`{1,3})(?!`)(?:json\b)?([^`]+)\1$/.exec(text)?.[2]
  return inner === undefined ? text : tidy(inner)
}

/** The object that a text is, if it is one and nothing more. */
function wholeObject(text: string): object | undefined {
  const body = tidy(text)
  const loose = body.startsWith('{') ? readLoose(body) : undefined
  return loose?.ok && loose.end === body.length ? Object(loose.value) : undefined
}

function endsLine(text: string, at: number): boolean {
  return text.slice(at, nextLine(text, at)).trim() === ''
}

/** Bare keys are JavaScript's or GraphQL's, whose text a tool may want as it is. */
function isQuotedObject(text: string): boolean {
  return /^\{\s*["'“‘]/.test(text)
}

function isStrict(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Only a last line that is nothing but such a remark is dropped. */
function withoutAside(text: string): string {
  const at = text.lastIndexOf('\n')
  const last = at < 0 ? '' : text.slice(at).trim()
  return last.length < LONGEST_ASIDE && (ASIDE.test(last) || WAITING.test(last)) ? text.slice(0, at).trimEnd() : text
}

/** An action written as a call. `argument` is undefined where the call's end is missing or something follows it. */
export interface Call {
  tool: string
  round: boolean
  argument: string | undefined
}

const PAIRS: Record<string, string> = { '[': ']', '(': ')', '［': '］', '（': '）', '【': '】' }
const IDENTIFIER = /^[\p{L}_][\p{L}\p{N}_.-]*$/u
/** Besides white space and the decoration before the name. */
const MAY_FOLLOW = '.。,;`*_'
/** No name before a bracket is longer. */
const LONGEST_NAME = 100

/**
 * Reads `Tool[argument]` or `tool(argument)` at the beginning of a text. A tool that is not listed must look like a name
 * and touch its bracket, or, with `listedOnly`, is none: anything else is prose. Undefined where there is no call.
 */
export function readCall(text: string, tools: string[], listedOnly = false): Call | undefined {
  let start = 0
  while (start < text.length && (isSpace(text[start] ?? '') || '`*_"\''.includes(text[start] ?? ''))) start++
  if (text[start] === '[') return bracketedCall(text.slice(start), tools, listedOnly)
  const open = text.slice(start, start + LONGEST_NAME).search(/[[(［（【\n]/) + start
  const close = PAIRS[text[open] ?? '']
  const name = text.slice(start, open)
  if (open <= start || !close) return undefined
  const tool = listedTool(name, tools) ?? (IDENTIFIER.test(name) && !listedOnly ? name : undefined)
  if (!tool) return undefined
  const end = callEnd(text, open, { close, mayFollow: MAY_FOLLOW + text.slice(0, start) })
  return {
    tool,
    round: close === ')' || close === '）',
    argument: end === undefined ? undefined : text.slice(open + 1, end),
  }
}

/** `[Search[x]]`, from a model that took the brackets of the prompt's placeholder over. */
function bracketedCall(text: string, tools: string[], listedOnly: boolean): Call | undefined {
  const line = tidy(text.slice(0, nextLine(text, 0)))
  return line.endsWith(']]') && line[1] !== '[' ? readCall(line.slice(1, -1), tools, listedOnly) : undefined
}

/** Round brackets are a programming language's: one quoted argument loses its quotes, an object or named ones become fields. */
export function argumentInput({ round, argument }: Call): ParsedInput {
  if (argument === undefined) return { ok: false, what: 'the call is not closed, or something follows it' }
  const text = tidy(argument)
  if (!round) return { ok: true, input: text }
  const quoted = /^["'“‘{]/.test(text) ? readLoose(text) : undefined
  if (quoted?.ok && quoted.end === text.length) return { ok: true, input: quoted.value }
  const named = /^\w+\s*=[^=]/.test(text) ? readLoose(`{${text}}`) : undefined
  if (named?.ok && named.end === text.length + 2) return { ok: true, input: named.value }
  return plainInput(text)
}

/**
 * Where the bracket at `open` is closed: by the last closing one of its line, as the paper's environment took it, or of a
 * later line while brackets are open. Brackets are counted twice, with and without those inside quotes, and one count
 * that comes out even is enough: `grep "["` is whole. Undefined when the text ends first, or the line goes on.
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

/** An apostrophe inside a word opens no quote. */
function quoteAfter(quote: string, char: string, before: string): string {
  if (quote) return char === quote ? '' : quote
  return char === '"' || (char === "'" && !/[\p{L}\p{N}]/u.test(before)) ? char : ''
}
