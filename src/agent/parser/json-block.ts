import { actionIn, type JsonAction } from './json-action.ts'
import type { Match } from './match.ts'
import { nextLine } from './fences.ts'
import { readLoose } from './loose-json.ts'
import { thoughtBefore } from './sections.ts'
import { isSpace } from './trim.ts'
import type { ModelOutput } from './model-output.ts'

/** What may stand right before an object: a fence with its language, the bracket of a list, `<tool_call>`. */
const LEAD = /(?:[\s`~\\[]|json\b|<[\w|/]{1,20}>)*$/i
const LONGEST_LEAD = 60

/** No honest turn shows more JSON objects before its call. */
const MOST_OBJECTS = 1000

/**
 * The first JSON object of a turn that calls a tool or gives the answer. Objects that begin a line (after a label, a
 * fence, a bracket of a list) come before those inside a sentence. Every character is read once at most: reading goes on
 * where a failed object ended.
 */
export function readJsonBlock(turn: ModelOutput): Match | undefined {
  const anchors = anchorsOf(turn)
  return firstCall(turn, anchors.length > 0 ? anchors : braces(turn.text))
}

/** The object that the value at `at` is, `Action: {…}`, whatever fence stands before it. */
export function readJsonBlockAt(turn: ModelOutput, at: number): Match | undefined {
  const brace = braceAfter(turn.text, at)
  return brace === undefined ? undefined : firstCall(turn, [brace])
}

function firstCall(turn: ModelOutput, candidates: Iterable<number>): Match | undefined {
  const retries = { left: 4 }
  let from = 0
  let tried = 0
  for (const at of candidates) {
    if (at < from) continue
    if (++tried > MOST_OBJECTS) return undefined
    const loose = readLoose(turn.text, at, retries)
    from = Math.max(at + 1, loose.ok ? loose.end : loose.at)
    if (!loose.ok && loose.cut) return placed(turn, at, { kind: 'fault', what: 'its JSON breaks off before the end' })
    const action = loose.ok && !endsInString(turn.text, at, loose.end) ? actionIn(loose.value, turn.tools) : undefined
    if (action) return placed(turn, at, action)
  }
  return undefined
}

/** A quote right after an object shows that it ended inside a string whose quotes were not escaped. */
function endsInString(text: string, start: number, end: number): boolean {
  return /["'”’]/.test(text[end] ?? '') && text[start - 1] !== text[end]
}

/** The thought is the object's own, or what stands before it and its fence, list or tag. */
function placed(turn: ModelOutput, at: number, action: JsonAction): Match {
  const lead = LEAD.exec(turn.text.slice(Math.max(0, at - LONGEST_LEAD), at))?.[0].length ?? 0
  const before = thoughtBefore(turn.text, turn.sections, at - lead)
  return { ...action, at, thought: action.thought ?? before }
}

/** The braces that begin a line's value. */
function anchorsOf({ text, sections }: ModelOutput): number[] {
  const anchors: number[] = []
  const labelled = new Map(sections.map((section) => [section.at, section.valueAt]))
  for (let at = 0; at < text.length; at = nextLine(text, at)) {
    const brace = braceAfter(text, labelled.get(at) ?? at, nextLine(text, at))
    if (brace !== undefined) anchors.push(brace)
  }
  return anchors
}

/** The brace at `at`, after white space, backticks, tildes, the opening of a list, and the word `json`. */
function braceAfter(text: string, at: number, end = text.length): number | undefined {
  let brace = skipFence(text, at, end)
  if (/^json/i.test(text.slice(brace, brace + 4))) brace = skipFence(text, brace + 4, end)
  return brace < end && text[brace] === '{' ? brace : undefined
}

function skipFence(text: string, from: number, end: number): number {
  let at = from
  while (at < end && (isSpace(text[at] ?? '') || '`~\\['.includes(text[at] ?? ''))) at++
  return at
}

function* braces(text: string): Generator<number> {
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at + 1)) yield at
}
