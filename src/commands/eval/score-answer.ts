/**
 * Scores answers like the ReAct paper's environments, which use HotpotQA's official `hotpot_evaluate_v1.py` (Yang et
 * al. 2018): answers are compared after normalisation. FEVER's labels are compared the same way.
 */
import type { EvalOutcome } from './ask-agent.ts'
import type { EvalQuestion } from './parse-set.ts'

/** Python's `string.punctuation`: punctuation of other scripts stays, as in the official script. */
const PUNCTUATION = /[!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~]/g
/** `\b(a|an|the)\b` with Python's definition of a word, which includes letters of all scripts. */
const ARTICLES = /(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu
/** Answers that are either right or wrong, never partly right. */
const CLOSED = new Set(['yes', 'no', 'noanswer'])

/** Lowercases, drops punctuation, then articles, then collapses white space. */
export function normalise(answer: string): string {
  return tokensOf(answer).join(' ')
}

function tokensOf(answer: string): string[] {
  return answer.toLowerCase().replace(PUNCTUATION, '').replace(ARTICLES, ' ').split(/\s+/).filter(Boolean)
}

/** Returns 1 if the answer equals one of the gold answers, else 0. */
export function exactMatch(answer: string, gold: string[]): number {
  const normal = normalise(answer)
  return gold.some((one) => normalise(one) === normal) ? 1 : 0
}

/** Returns whether an answer only says that it does not know. */
export function isDeclined(answer: string): boolean {
  return /^i do(?: not|nt) know$/.test(normalise(answer))
}

/**
 * Returns whether an answer is right: an exact match, or, if no right answer is known, anything but the rejected ones
 * and “I do not know”. A missing answer is never right.
 */
export function isRight(
  { gold, rejected = [] }: Pick<EvalQuestion, 'gold' | 'rejected'>,
  { answer }: Pick<EvalOutcome, 'answer'>,
): boolean {
  if (answer === undefined) return false
  return gold.length > 0 ? exactMatch(answer, gold) === 1 : exactMatch(answer, rejected) === 0 && !isDeclined(answer)
}

/** Returns the best F1 over the gold answers, from 0 to 1. */
export function f1(answer: string, gold: string[]): number {
  return Math.max(0, ...gold.map((one) => f1Of(tokensOf(answer), tokensOf(one))))
}

/** F1 over tokens: the harmonic mean of precision and recall. */
function f1Of(answered: string[], wanted: string[]): number {
  const [answer, gold] = [answered.join(' '), wanted.join(' ')]
  if (answer !== gold && (CLOSED.has(answer) || CLOSED.has(gold))) return 0
  const same = inCommon(answered, wanted)
  if (same === 0) return 0
  const [precision, recall] = [same / answered.length, same / wanted.length]
  return (2 * precision * recall) / (precision + recall)
}

/** Counts the tokens in both lists, each as often as in the list where it is rarer. */
function inCommon(left: string[], right: string[]): number {
  const counts = new Map<string, number>()
  for (const token of right) counts.set(token, (counts.get(token) ?? 0) + 1)
  let same = 0
  for (const token of left) {
    const count = counts.get(token) ?? 0
    if (count > 0) same++
    counts.set(token, count - 1)
  }
  return same
}
