import { blockText } from './block.ts'
import { closingFence, fenceAt, nextLine } from './fences.ts'
import type { Payload } from './match.ts'
import { readLoose } from './loose-json.ts'
import type { Section } from './sections.ts'
import { dedent, isSpace, tidy } from './trim.ts'
import type { ModelOutput } from './model-output.ts'

const CUT: Payload = { ok: false, what: 'its input breaks off before the end' }

/** What models add after an input: "(Waiting for the tool result.)", "I will wait for the observation." */
const ASIDE = /^[(（]\p{Lu}[^\n]*(?:wait|paus|note|tool|result|response|observation)[^\n]*[.!…][)）]$/u
const WAITING = /^(?:waiting (?:for|on)|awaiting|please wait|i(?:'ll| will|'m| am) (?:now )?(?:wait|await|pause))/i
const LONGEST_ASIDE = 300

/**
 * The input that begins at an `Action Input` label. JSON and free text stay as written; what only a fence or Python's
 * spelling hides becomes the value it stands for. An input that breaks off is none.
 */
export function inputOf(turn: ModelOutput, index: number): Payload {
  const section = turn.sections[index]
  if (!section) return CUT
  const end = nextLabel(turn, index)
  const start = skipBlank(turn.text, section.valueAt)
  const fence = start < end ? fenceAt(turn.text, start) : undefined
  const closes = fence && section.fenced && !fence.language && closingFence(turn.text, fence.end) === undefined
  if (fence && !closes) return fencedInput(turn.text, { start: fence.end, end, indent: section.indent })
  const close = section.fenced ? closingFence(turn.text, section.valueAt) : undefined
  return plainInput(blockText(turn.text, section, Math.min(end, close ?? end)))
}

/** An input ends at the next label in the same hand: not at `    action: str` in code. */
function nextLabel({ text, sections }: ModelOutput, index: number): number {
  const own = sections[index]
  const next = sections.find((section, i) => i > index && own !== undefined && sameHand(section, own))
  return next?.at ?? text.length
}

/** Not indented deeper, and capitalised alike: a turn is written in one hand, what it quotes often in another. */
function sameHand(section: Section, own: Section): boolean {
  return section.indent <= own.indent && section.capital === own.capital
}

/** Text between fences, labels in it included. Without a closing one only a whole JSON object is whole. */
function fencedInput(text: string, { start, end, indent }: { start: number; end: number; indent: number }): Payload {
  const close = closingFence(text, start)
  const json = wholeObject(text.slice(start, Math.min(end, close ?? end)))
  if (json) return { ok: true, input: json }
  return close === undefined ? CUT : { ok: true, input: tidy(dedent(text.slice(start, close), indent)) }
}

/** Free text, JSON, or a Python dict, written plainly. */
export function plainInput(text: string): Payload {
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

function skipBlank(text: string, from: number): number {
  let at = from
  while (at < text.length && isSpace(text[at] ?? '')) at++
  return at
}
