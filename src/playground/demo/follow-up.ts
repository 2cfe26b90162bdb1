/** Makes follow-ups standalone: pronouns and bare sums take their meaning from what was said, each by its gender and number. */
import { NAME, plainly, questionsIn, simply, subjectOf, trimName } from './english.ts'
import { namesIn, pronounIn, type Pronoun } from './known-names.ts'
import { RELATION } from './recordings.ts'
import type { PastTurn } from './read-prompt.ts'
import { conversionOf, expressionOf } from './sums.ts'

/** Somebody or something that was spoken of; without a pronoun any may stand for it. */
interface Mention {
  name: string
  pronoun?: Pronoun | undefined
}

const HE = /\b(?:boyfriend|husband|brother|father|son)\b/i
const SHE = /\b(?:girlfriend|wife|sister|mother|daughter)\b/i
const KIN = new RegExp(`${HE.source}|${SHE.source}`, 'i')
const QUESTION = /^(?:who|whom|what|when|where|which|how|why|can|could|did|does|is|was|are|were|in which|since when)\b/i
const MOST_TURNS = 12

/** Rewrites a follow-up by the last turns. What nothing fits is given back unchanged: a wrong guess is worse. */
export function standalone(turns: PastTurn[], followUp: string): string {
  if (turns.length === 0 || followUp.length > 500) return followUp
  const history = turns.slice(-MOST_TURNS)
  const parts: string[] = []
  for (const part of questionsIn(followUp)) {
    const said = one(history, part)
    parts.push(said)
    history.push({ question: said, answer: '' })
  }
  const isSame = parts.every((part) => followUp.includes(part))
  return isSame || parts.length === 0 ? followUp : parts.join(' ')
}

function one(history: PastTurn[], part: string): string {
  const plain = plainly(part)
  return aboutNumber(plain, history.at(-1)) ?? aboutName(plain, history) ?? part
}

/** "and half of it?", "what is that in celsius?": about the number that the last answer gave. */
function aboutNumber(plain: string, last: PastTurn | undefined): string | undefined {
  const answer = last?.answer.slice(-4000) ?? ''
  const bold = [...answer.matchAll(/\*\*(-?\d[\d,]*(?:\.\d+)?)[^*\n]{0,12}\*\*/g)].at(-1)?.[1]
  const number = (bold ?? [...answer.matchAll(/-?\d[\d,]*(?:\.\d+)?/g)].at(-1)?.[0])?.replaceAll(',', '')
  if (number === undefined) return undefined
  const text = plain.replace(/[?.\s]+$/, '')
  const after = answer.slice(answer.lastIndexOf(number) + number.length)
  const unit = /^\s*(°\s*[CF]|km|miles|kg|met(?:re|er)s?|m|ft|lb|degrees \w+)\b/.exec(after)?.[1] ?? ''
  const put = (value: string) => text.replace(/\b(?:it|that|this|the result)\b/i, value)
  if (conversionOf(put(`${number} ${unit}`)) && put('') !== text) return asQuestion(put(`${number}${unit}`))
  if (put('') !== text && expressionOf(put(number))) return asQuestion(put(number))
  const isTrailing =
    /^(?:halved|doubled|squared|cubed|plus|minus|times|divided|multiplied|raised|to the power|[-+*/^])/i.test(text)
  return isTrailing && expressionOf(`${number} ${text}`) ? asQuestion(`${number} ${text}`) : undefined
}

/** A bare sum becomes a question; what begins like one already stays as it is. */
function asQuestion(text: string): string {
  return /^(?:what|how|who|which|calculate)\b/i.test(text) ? `${text}?` : `What is ${text}?`
}

/** "and who was his brother?", "her boyfriend?", "what about Charles Babbage?", "and when?". */
function aboutName(plain: string, history: PastTurn[]): string | undefined {
  const mentions = history.toReversed().flatMap(mentionsOf)
  const text = plain.replace(/[?.!\s]+$/, '')
  const first = mentions[0]?.name
  const last = history.at(-1)?.question ?? ''
  if (first === undefined || text === '') return undefined
  const relation = new RegExp(`^(?:(?:who|what)(?:['’]s| is| was) )?(?:the )?(${RELATION})$`, 'i').exec(text)?.[1]
  if (relation) return `Who is ${first}’s ${relation}?`
  const named = withNames(text, mentions, pairOf(history))
  const bare = named.replace(/^(?:what|how) about /i, '')
  const [name] = namesIn(bare)
  if (name?.text.length === bare.replace(/^the /i, '').length && (bare !== named || !/^who|^what/i.test(last)))
    return inPlace(last, name.name) ?? `Who or what is ${name.name}?`
  if (named !== text) return whole(named)
  if (/^(?:when|where|why|how)$/i.test(text) && QUESTION.test(last)) return capital(last.replace(/^\w+/, text))
  const isBare =
    QUESTION.test(text) &&
    !subjectOf(text) &&
    !/\d|\b(?:you|your|i|my|me|we)\b/i.test(text) &&
    text.split(' ').length > 2
  return isBare ? capital(`${text} (about ${first})?`) : undefined
}

/** The last question, asked of another name. */
function inPlace(question: string, name: string): string | undefined {
  const before = namesIn(question)[0]
  return before && `${question.slice(0, before.at)}${name}${question.slice(before.at + before.text.length)}`
}

/** Puts a name for each pronoun that no earlier name in the text explains. */
function withNames(text: string, mentions: Mention[], pair: string | undefined): string {
  const first = (pronoun: Pronoun) => mentions.find((one) => one.pronoun === pronoun || one.pronoun === undefined)?.name
  const own = namesIn(text)
  const put = (word: string, at: number): string => {
    const pronoun = /^hi|^he$/i.test(word) ? 'he' : /^s?he/i.test(word) ? 'she' : /^th/i.test(word) ? 'they' : 'it'
    if (own.some((one) => one.at < at && (one.pronoun === pronoun || pronoun === 'they'))) return word
    const name =
      pronoun === 'they' ? ((mentions[0]?.pronoun === 'they' ? undefined : pair) ?? mentions[0]?.name) : first(pronoun)
    const isOwner =
      /^(?:his|its|their)$/i.test(word) ||
      (/^her$/i.test(word) &&
        /^ (?!(?:in|at|on|with|and|when|before|after|from|to|for|or|now)\b)\p{L}/iu.test(text.slice(at + word.length)))
    return name === undefined ? word : isOwner ? `${name}’s` : name
  }
  const thing = first('it')
  const kind = /\b(?:this|that) (robot|book|novel|record|company|tower|puzzle|app|language|planet)\b/i
  const said = thing ? text.replace(kind, (_, noun: string) => `the ${thing} ${noun}`) : text
  return said !== text
    ? said
    : text.replace(/\b(?:he|she|it|they|him|her|them|his|hers|its|their)\b/gi, (word, at: number) => put(word, at))
}

/** Whom "they" are where the last two questions were about one person each. */
function pairOf(history: PastTurn[]): string | undefined {
  const [a, b] = history.slice(-2).map((turn) => mentionsOf(turn)[0])
  const isPair = a && b && a.name !== b.name && [a, b].every(({ pronoun }) => pronoun === 'he' || pronoun === 'she')
  return isPair ? `${a.name} and ${b.name}` : undefined
}

/** What a turn spoke of, the likeliest first: the answer in bold, whom the question named, whom the answer names besides. */
function mentionsOf({ question, answer }: PastTurn): Mention[] {
  const [asked, told] = [question.slice(0, 1000), answer.slice(0, 2000)]
  const kin: Pronoun | undefined = HE.test(asked) ? 'he' : SHE.test(asked) ? 'she' : undefined
  const bold = [...told.matchAll(new RegExp(`\\*\\*(${NAME}(?:(?:, | and )${NAME})*)\\*\\*`, 'gu'))].map(
    ([, name = '']) => mention(trimName(name), kin),
  )
  const named: Mention[] = namesIn(asked)
  const subject = named.length > 0 ? undefined : subjectOf(simply(asked))
  const guessed = subject && QUESTION.test(simply(asked)) ? [{ name: asName(subject), pronoun: pronounIn(told) }] : []
  const phrase =
    bold.length === 0 && kin && named[0]
      ? [{ name: `${named[0].name}’s ${KIN.exec(asked)?.[0] ?? ''}`, pronoun: kin }]
      : []
  return [...bold, ...phrase, ...named, ...guessed, ...namesIn(told)]
}

function mention(name: string, kin: Pronoun | undefined): Mention {
  const known = namesIn(name)
  return { name, pronoun: / and /.test(name) ? 'they' : known[0]?.text.length === name.length ? known[0].pronoun : kin }
}

/** In capitals, so that the question that it goes into shows it as a name. */
function asName(subject: string): string {
  return /\p{Lu}/u.test(subject) ? subject : subject.replace(/(?<!\S)\p{Ll}/gu, (letter) => letter.toUpperCase())
}

/** "his brother" alone asks who that is. */
function whole(text: string): string {
  return `${QUESTION.test(text) || expressionOf(text) ? capital(text) : `Who is ${text}`}?`
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
