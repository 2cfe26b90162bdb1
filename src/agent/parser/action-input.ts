/** The input of an action: the text after its label (`Action Input: …`) or beside the tool's name. */
import { parseJson } from '../../base/parse-json.ts'
import { readLoose } from './loose-json.ts'
import type { ModelOutput, ActionInput } from './model-output.ts'
import { sectionText, type LabelledSection } from './labels.ts'
import { isAside } from './quoted-call.ts'
import { closingFence, dedent, fenceAt, nextLine, skipSpace, tidy } from './text-lines.ts'
import { listedTool, namesFinish, namesNothing } from './tool-names.ts'

/** An input that begins but does not end. */
export const CUT: ActionInput = { ok: false, what: 'its input breaks off before the end' }

/**
 * Reads the input at an `Action Input` label. JSON and free text stay as written. A fenced JSON object or a Python dict
 * becomes the value. An incomplete input is `CUT`.
 */
export function inputOf(turn: ModelOutput, index: number): ActionInput {
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

/** The offset of the label that ends the input: one in the same style, after which the turn continues plausibly. */
function nextLabel(turn: ModelOutput, index: number): number {
  const own = turn.sections[index]
  let from = own?.valueAt ?? 0
  let isQuoted = false
  for (let i = index + 1; own && i < turn.sections.length; i++) {
    const section = turn.sections[i]
    if (!section) break
    if (tripleQuotes(turn.text.slice(from, section.at)) % 2 === 1) isQuoted = !isQuoted
    from = section.at
    if (!isQuoted && isAlike(section, own) && continuesTurn(turn, i)) return section.at
  }
  return turn.text.length
}

/** Counts Python's triple quotes. Labels inside triple-quoted text do not count. */
function tripleQuotes(text: string): number {
  return text.match(/"{3}|'{3}/g)?.length ?? 0
}

/**
 * Returns whether two labels have the same style: not indented deeper, in no fence of its own, same capitalisation and
 * decoration. A turn uses one style. Text that it quotes often uses another (`    action: str` in code, `# Action: …`
 * in a comment).
 */
function isAlike(section: LabelledSection, own: LabelledSection): boolean {
  const sameStyle = section.capital === own.capital && section.mark === own.mark
  return sameStyle && section.indent <= own.indent && (own.fenced || !section.fenced)
}

/**
 * Returns whether a label after an input begins another part of the turn. Lines of a mail, a note or code may look like
 * labels. A real action names a tool or has its input. A real question has a thought after it. A real thought leads to
 * an action or an answer, or is the last line.
 */
function continuesTurn({ text, sections, tools }: ModelOutput, index: number): boolean {
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

/** Returns whether a line is an action that needs no input label: a listed tool, a call of one, an answer, or none. */
function isAction(line: string, tools: string[]): boolean {
  const name = line.slice(0, 100).split(/[[({:：]/, 1)[0] ?? ''
  return listedTool(name, tools) !== undefined || namesFinish(name, tools) || namesNothing(line)
}

/**
 * Reads the text between fences, including labels. Without a closing fence, only a complete JSON object is accepted.
 */
function fencedInput(
  text: string,
  { start, end, indent }: { start: number; end: number; indent: number },
): ActionInput {
  const close = closingFence(text, start)
  const json = wholeObject(text.slice(start, Math.min(end, close ?? end)))
  if (json) return { ok: true, input: json }
  const before = close === undefined ? BROKEN_CLOSE.exec(text.slice(start, end).trimEnd())?.[1] : undefined
  const object = before === undefined ? undefined : wholeObject(before)
  if (object) return { ok: true, input: object }
  return close === undefined ? CUT : { ok: true, input: tidy(dedent(text.slice(start, close), indent)) }
}

/** A fence with a comment behind it, which closes nothing. */
const BROKEN_CLOSE = /^([^`~]*)\n[ \t]{0,8}(?:`{3,9}|~{3,9})[^\n]*$/

/** Reads an unfenced input: free text, JSON, or a Python dict. */
export function plainInput(text: string): ActionInput {
  const bare = withoutBackticks(text)
  if (/^[{[]/.test(bare)) {
    const loose = readLoose(bare)
    if (!loose.ok && loose.cut && !(bare.startsWith('[') && bare.endsWith(']'))) return CUT
    if (loose.ok && endsInput(bare, loose.end)) {
      const written = bare.slice(0, loose.end)
      return { ok: true, input: isQuotedObject(written) && parseJson(written) === undefined ? loose.value : written }
    }
  }
  if (bare.startsWith('"') && bare.indexOf('"', 1) < 0) return CUT
  return { ok: true, input: withoutAside(bare) }
}

/** Drops backticks around the whole input: they are Markdown. */
function withoutBackticks(text: string): string {
  const inner = /^(`{1,3})(?!`)(?:json\b)?([^`]+)\1$/.exec(text)?.[2]
  return inner === undefined ? text : tidy(inner)
}

/** The object, if the text is an object and nothing else. */
function wholeObject(text: string): object | undefined {
  const body = tidy(text)
  const loose = body.startsWith('{') ? readLoose(body) : undefined
  return loose?.ok && loose.end === body.length ? Object(loose.value) : undefined
}

/** Returns whether nothing but lone marks or a comment follows on the line. */
function endsInput(text: string, at: number): boolean {
  return REST.test(text.slice(at, nextLine(text, at)).trimEnd())
}

/** Brackets, quotes and full stops that open nothing, and comments of all languages. A link's address is neither. */
const REST = /^[\s\]})`;,.'"*\\]{0,20}(?:(?:#|\/\/|--)\s[^\n]*|\/\*[^\n]*\*\/|<!--[^\n]*-->|(?<=\s)\([^\n()]*\)\.?)?$/

/** Returns whether the keys are quoted. Bare keys are JavaScript or GraphQL, which a tool may want as text. */
function isQuotedObject(text: string): boolean {
  return /^\{\s*["'“‘]/.test(text)
}

/** Drops the last line if it is only a remark that the model waits for the result. */
function withoutAside(text: string): string {
  const at = text.lastIndexOf('\n')
  const last = at < 0 ? '' : text.slice(at).trim()
  return isAside(last) ? text.slice(0, at).trimEnd() : text
}
