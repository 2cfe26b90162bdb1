/** Makes simple follow-ups standalone: pronouns and bare sums take their meaning from the turn before. */
import type { PastTurn } from './read-prompt.ts'
import { conversionOf, expressionOf } from './sums.ts'
import { NAME, subjectOf, trimName } from './sentence-words.ts'

/** The words that stand for somebody, for what is theirs, and for a thing or a number. */
const PERSON = /\b(?:he|she|him|they|them)\b/i
const OWNED = /\b(?:his|her|its|their)\b/i
const THING = /\b(?:it|that|this)\b/i

/**
 * Rewrites a follow-up by the last turns. What none of the rules fits is given back unchanged: a wrong guess is
 * worse.
 */
export function standalone(history: PastTurn[], followUp: string): string {
  const last = history.at(-1)
  if (!last || followUp.length > 500) return followUp
  return aboutNumber(followUp, last) ?? aboutSubject(followUp, history) ?? followUp
}

/** "and half of it?", "what is that in celsius?": about the number that the last answer gave. */
function aboutNumber(followUp: string, last: PastTurn): string | undefined {
  const value = lastNumber(last.answer)
  if (value === undefined) return undefined
  const text = followUp
    .trim()
    .replace(/^(?:and|so|then)[,\s]+/i, '')
    .replace(/[?.\s]+$/, '')
  const unit =
    new RegExp(`${value.number.replace(/[.]/g, '\\.')}\\s*(°\\s*[CF]|km|miles|kg|m|ft|lb|degrees \\w+)\\b`).exec(
      last.answer,
    )?.[1] ?? ''
  const placed = (number: string) => text.replace(THING, number)
  if (/\b(?:in|into|to)\b/i.test(text) && conversionOf(`${placed(`${value.number} ${unit}`)}?`))
    return question(placed(`${value.number}${unit}`))
  if (THING.test(text) && expressionOf(placed(value.number))) return question(placed(value.number))
  const trailing = `${value.number} ${text}`
  return /^(?:halved|doubled|squared|cubed|plus|minus|times|divided|raised|to the power|[-+*/^])/i.test(text) &&
    expressionOf(trailing)
    ? question(trailing)
    : undefined
}

/** The number in bold if there is one, else the last. */
function lastNumber(answer: string): { number: string } | undefined {
  const bold = [...answer.matchAll(/\*\*(-?\d[\d,]*(?:\.\d+)?)[^*]{0,12}\*\*/g)].at(-1)?.[1]
  const plain = [...answer.matchAll(/-?\d[\d,]*(?:\.\d+)?/g)].at(-1)?.[0]
  const number = (bold ?? plain)?.replaceAll(',', '')
  return number === undefined ? undefined : { number }
}

/** A bare sum becomes a question; what begins like one already stays as it is. */
function question(text: string): string {
  return /^(?:what|how|who|which|calculate)\b/i.test(text) ? `${text}?` : `What is ${text}?`
}

/** "and who was his brother?", "can a robot solve it faster?", "who made this robot?" */
function aboutSubject(followUp: string, history: PastTurn[]): string | undefined {
  const text = followUp.trim().replace(/^(?:and|so|but)[,\s]+/i, '')
  const subject = subjectFrom(history)
  if (!subject) return undefined
  const asked = /^(?:what|who) about (.+)$/i.exec(text)
  if (asked) return followUp
  if (OWNED.test(text)) return capital(whole(text.replace(OWNED, `${subject}’s`)))
  if (PERSON.test(text)) return capital(text.replace(PERSON, subject))
  const kind = /\b(?:this|that|the) (\p{Ll}+)\b/u.exec(text)
  if (kind && /\b(?:this|that) /.test(kind[0])) return capital(text.replace(kind[0], `the ${subject} ${kind[1] ?? ''}`))
  if (THING.test(text)) return capital(text.replace(THING, subject))
  return subjectOf(text) || /\d/.test(text) ? undefined : capital(`${text.replace(/[?.\s]+$/, '')} (about ${subject})?`)
}

/** "his brother?" alone asks who that is. */
function whole(text: string): string {
  return /^(?:who|what|when|where|which|how|is|was|did|does|can)\b/i.test(text) ? text : `Who is ${text}`
}

/** What the talk is about: the name that the answer begins with, else the subject of the last question that had one. */
function subjectFrom(history: PastTurn[]): string | undefined {
  for (const turn of [...history].reverse()) {
    const named = new RegExp(`^\\*\\*(${NAME})\\*\\*`, 'u').exec(turn.answer)?.[1]
    const subject = named ? trimName(named) : subjectOf(turn.question)
    if (subject) return asName(subject)
  }
  return undefined
}

/** In capitals, so that the question that it goes into shows it as a name. */
function asName(subject: string): string {
  return /\p{Lu}/u.test(subject) ? subject : subject.replace(/(?<!\S)\p{Ll}/gu, (letter) => letter.toUpperCase())
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
