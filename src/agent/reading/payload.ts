import { closingFence, depthAfter, fenceAt, nextLine } from './fences.ts'
import { readLoose } from './loose-json.ts'
import { unwrapped, type Section } from './sections.ts'
import { dedent, isSpace, tidy } from './trim.ts'

/** The value of an input, or what is wrong with it. */
export type Payload = { ok: true; input: unknown } | { ok: false; what: string }

const CUT: Payload = { ok: false, what: 'its input breaks off before the end' }

/** What models add after an input: "(Waiting for the tool result.)", "I will wait for the observation." */
const ASIDE = /^[(（]\p{Lu}[^\n]*(?:wait|paus|note|tool|result|response|observation)[^\n]*[.!…][)）]$/u
const LONGEST_ASIDE = 300
const WAITING =
  /^(?:waiting (?:for|on)|awaiting|please wait|i(?:'ll| will|'m| am) (?:now )?(?:wait|await|pause))[^\n]*$/i

/**
 * The answer that begins at a `Final Answer` label: all that follows, labels included, because an answer may speak of
 * them. It ends with the fence it stands in, or where the model runs on into another round of thinking or questions.
 */
export function answerOf(turn: string, sections: Section[], index: number): string {
  const section = sections[index]
  if (!section) return ''
  const close = section.fenced ? closingFence(turn, section.valueAt) : undefined
  return blockText(turn, section, close ?? runOn(turn, sections, index))
}

function runOn(turn: string, sections: Section[], index: number): number {
  const begins = (section: Section | undefined, name: string) =>
    section?.name === name && section.capital && !section.fenced && !section.decorated && section.indent === 0
  const next = sections.findIndex(
    (section, i) =>
      i > index && (begins(section, 'thought') || (begins(section, 'question') && begins(sections[i + 1], 'thought'))),
  )
  return sections[next]?.at ?? turn.length
}

/**
 * The input of an action. JSON and free text stay as written; what only a fence or Python's spelling hides becomes the
 * value it stands for. An input that breaks off is none.
 */
export function inputOf(turn: string, sections: Section[], index: number): Payload {
  const section = sections[index]
  if (!section) return CUT
  const end = inputEnd(turn, sections, index)
  const start = skipBlank(turn, section.valueAt)
  const fence = start < end ? fenceAt(turn, start) : undefined
  return fence
    ? fencedInput({ turn, start: fence.end, end, indent: section.indent })
    : plainInput(blockText(turn, section, end))
}

/** An input ends at the fence it stands in, or at the next label in the same hand: not at `    action: str` in code. */
function inputEnd(turn: string, sections: Section[], index: number): number {
  const own = sections[index]
  const next = sections.find(
    (section, i) => i > index && own && section.indent <= own.indent && section.capital === own.capital,
  )
  const close = own?.fenced ? closingFence(turn, own.valueAt) : undefined
  return Math.min(next?.at ?? turn.length, close ?? turn.length)
}

/** Text between fences, labels in it included. Without a closing one only a whole JSON object is whole. */
function fencedInput(at: { turn: string; start: number; end: number; indent: number }): Payload {
  const close = closingFence(at.turn, at.start)
  const open = close === undefined || close > at.end
  const json = wholeObject(at.turn.slice(at.start, open ? at.end : close))
  if (json) return { ok: true, input: json }
  if (close === undefined) return CUT
  return { ok: true, input: tidy(dedent(at.turn.slice(at.start, close), at.indent)) }
}

/** Free text, JSON, or a Python dict, written plainly. */
export function plainInput(text: string): Payload {
  const bare = withoutBackticks(text)
  if (/^[{[]/.test(bare)) {
    const loose = readLoose(bare)
    if (!loose.ok && loose.cut && !(bare.startsWith('[') && bare.endsWith(']'))) return CUT
    if (loose.ok && endsParagraph(bare, loose.end)) {
      const written = bare.slice(0, loose.end)
      return { ok: true, input: isQuotedObject(written) && !isStrict(written) ? loose.value : written }
    }
  }
  if (bare.startsWith('"') && bare.indexOf('"', 1) < 0) return CUT
  return { ok: true, input: withoutAside(bare) }
}

/** The text of a section up to `end`, without its indent, decoration, and a fence's end whose beginning is elsewhere. */
function blockText(turn: string, section: Section, end: number): string {
  const text = dedent(turn.slice(section.valueAt, end), section.indent).trimEnd()
  let depth = 0
  let last = -1
  for (let at = 0; at < text.length; at = nextLine(text, at)) {
    const fence = fenceAt(text, at)
    if (fence) depth = depthAfter(depth, fence)
    last = fence && fence.end >= text.length && depth === 1 && !fence.language ? at : -1
  }
  return tidy(unwrapped(tidy(last < 0 ? text : text.slice(0, last)), section.wrap))
}

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

function endsParagraph(text: string, end: number): boolean {
  return text.slice(end, nextLine(text, end)).trim() === ''
}

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

function withoutAside(text: string): string {
  const at = text.lastIndexOf('\n')
  const last = at < 0 ? '' : text.slice(at).trim()
  return last.length < LONGEST_ASIDE && (ASIDE.test(last) || WAITING.test(last)) ? text.slice(0, at).trimEnd() : text
}

function skipBlank(text: string, from: number): number {
  let at = from
  while (at < text.length && isSpace(text[at] ?? '')) at++
  return at
}
