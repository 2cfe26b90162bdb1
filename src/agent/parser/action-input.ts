/** The input of an action: what follows its label (`Action Input: …`), or stands beside the tool's name. */
import { readLoose } from './loose-json.ts'
import type { ModelOutput, ParsedInput } from './model-output.ts'
import { sectionText, type Section } from './labels.ts'
import { closingFence, dedent, fenceAt, nextLine, skipSpace, tidy } from './text-lines.ts'
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
