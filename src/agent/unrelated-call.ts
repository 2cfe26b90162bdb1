/**
 * Returns whether a call is about nothing that was asked or found, in any language. A call that only stands in a page
 * or a mail is seldom about the question.
 */
import type { Action, Step } from './contracts/run-events.ts'
import type { RunState } from './run-state.ts'

/**
 * `thought`: words that the call may be about too. A call without text in its input, or beside a picture that only the
 * model sees, counts as related.
 */
export function isUnrelated(run: RunState, { tool, input }: Action, thought: string): boolean {
  if (run.task.images?.length) return false
  const own = wordsOf(textsIn(input, 0).join(' '))
  const telling = own.filter((word) => !isCommon(word))
  const wanted = telling.length > 0 ? telling : own
  const known = new Set([thought, ...knownTexts(run, tool)].flatMap(wordsOf))
  return wanted.length > 0 && !wanted.some((word) => known.has(word))
}

/** Returns the words of people, the results of tools, and the values that the tool's schema lists. */
function knownTexts({ task, progress, tools, today }: RunState, name: string): string[] {
  const { question, asked = [], history = [], said = '', filesText = '', remembered = '', askedIn = '' } = task
  const tool = tools.find((one) => one.name === name)
  return [
    ...[question, ...asked, said, filesText, remembered, askedIn, today, task.doneBefore?.lines ?? ''],
    ...history.flatMap((turn) => [turn.question, turn.answer]),
    ...progress.steps.map(textOf),
    ...(JSON.stringify(tool?.parameters ?? '').match(LISTED) ?? []),
    ...tools.map((one) => one.name),
  ]
}

const LISTED = /"(?:enum|examples|default|const)":(?:\[[^\]]*\]|"[^"]*")/g

function textOf(step: Step): string {
  return step.kind === 'message' ? step.text : (step.observation?.text ?? '')
}

const MAX_DEPTH = 20

function textsIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return []
  return Object.values(value).flatMap((one) => textsIn(one, depth + 1))
}

/** The beginnings of words, because endings vary. Scripts without spaces give pairs of characters. */
function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).flatMap((word) =>
    UNSPACED.test(word) ? pairsOf(word) : [word.slice(0, HANGUL.test(word) ? 2 : STEM)],
  )
}

function pairsOf(word: string): string[] {
  return word.length < 2 ? [word] : Array.from({ length: word.length - 1 }, (_, i) => word.slice(i, i + 2))
}

/** The number of characters of a word that are compared. Korean words are about half as long. */
const STEM = 4
const HANGUL = /\p{Script=Hangul}/u
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** Returns whether any two texts may share a word: it is short, or among the commonest. */
function isCommon(word: string): boolean {
  return /^(?:[\p{L}\p{M}]{1,2}|\p{Script=Hiragana}+)$/u.test(word)
    ? !/[\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u.test(word)
    : FUNCTION_WORDS.has(word)
}

const FUNCTION_WORDS = new Set(
  'the and for you your are was were has have with from this that thes what whic who how when wher can not but all any our his her its will woul shou plea abou into ther thei they some than then also been only'.split(
    ' ',
  ),
)
