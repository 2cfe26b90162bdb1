/** Makes follow-ups standalone: replaces pronouns and completes bare sums from the last turns, by gender and number. */
import { NAME, namesIn, plainly, questionsIn, simply, type Pronoun } from './english.ts'
import type { PastTurn } from '../../src/agent/contracts/dialect.ts'

type Mention = { name: string; pronoun?: Pronoun | undefined }
const QUESTION = /^(?:who|what|when|where|how|why|can|could|did|does|is|was|are|were)\b/i
const PRONOUNS = /\b(?:(he|him|his)|(she|hers?)|(they|them|their)|its?|this(?= robot\b))\b/gi
const OWNER = /^(?:his|its|their)\b|^her (?!(?:in|at|and|when|before|after)\b)\p{L}/iu
const KIN = /\b(?:(boyfriend|husband|brother|father|son)|girlfriend|wife|sister|mother|daughter)\b/i

const WHEN = '(?:day|date|time|year|month|week|weekday|season|quarter)(?: of the \\w+)?'
const AFTER_IT =
  '(?=[ ?.!]*$|,? (?:please|today|now|tomorrow|yesterday|again|here|there|over there|in|at|on|right|currently)\\b)'
const WEATHER = 'hot|cold|warm|cool|sunny|windy|humid|raining|snowing|freezing|dark|light'
const SEASON = 'winter|spring|summer|autumn|fall|morning|noon|evening|night|midnight|time|(?:a )?\\w*(?:day|weekend)'

/** Matches questions whose "it" refers to nothing: "what day is it today?", "how late is it?", "is it raining?". */
const EXPLETIVE = new RegExp(
  [
    `(?:what|which) ${WHEN} (?:(?:is|was|will) it(?: be)?|it (?:is|was|will be))${AFTER_IT}`,
    `how (?:late|early|${WEATHER}) (?:is|was|will) it\\b`,
    'how (?:long|far|many (?:days|weeks|months|years)) (?:is|was) it (?:un)?till?\\b',
    `(?:is|was|will) it (?:be )?(?:(?:still|already|really) )?(?:today|tomorrow|late|early|${WEATHER}|${SEASON})\\b`,
    'how (?:is|was) it going\\b',
  ].join('|'),
  'i',
)

/** Rewrites a follow-up by the last turns. Returns it unchanged if nothing fits, because a wrong guess is worse. */
export function standalone(turns: PastTurn[], followUp: string): string {
  if (turns.length === 0 || followUp.length > 500) return followUp
  const history = turns.slice(-12)
  const parts = questionsIn(followUp).map((part, n, all) => {
    if (EXPLETIVE.test(part)) return part
    const plain = plainly(part).replace(/[?.!,\s]+$/, '')
    // A pronoun after a name in the message itself refers to that name.
    if (plain === '' || all.slice(0, n).some((one) => namesIn(one).length > 0)) return part
    const sum = n === 0 ? aboutNumber(plain, history.at(-1)?.answer ?? '') : undefined
    const said = sum ?? aboutName(plain, history)
    return said ? `${said.slice(0, 1).toUpperCase()}${said.slice(1)}?` : part
  })
  return parts.every((part) => followUp.includes(part)) ? followUp : parts.join(' ')
}

/**
 * "and half of it?", "what is that in celsius?", "squared?": about the number in bold in the last answer, or the last
 * one.
 */
function aboutNumber(text: string, answer: string): string | undefined {
  const numbers = [...answer.slice(-4000).matchAll(/(\*\*)?(-?\d[\d,]*(?:\.\d+)?)( ?°[CF])?/g)]
  const [, , number = '', unit = ''] = numbers.findLast(([, bold]) => bold) ?? numbers.at(-1) ?? []
  const put = (value: string) => text.replace(/\b(?:it|that|this|the result)\b/i, value)
  const sums = put('') === text ? [`${number} ${text}`] : [put(number), put(number + unit)]
  const said = number && sums.find((one) => /^= |°F in celsius$/i.test(simply(one)))
  return said && !QUESTION.test(said) ? `what is ${said}` : said || undefined
}

/** "and who was his brother?", "her boyfriend?", "what about Charles Babbage?", "and when?". */
function aboutName(text: string, history: PastTurn[]): string | undefined {
  const mentions = history.toReversed().flatMap(mentionsOf)
  const last = history.at(-1)?.question.replace(/[?.!\s]+$/, '') ?? ''
  const named = withNames(text, mentions, history)
  const bare = named.replace(/^(?:what|how) about (?:the )?/i, '')
  const [name, before] = [namesIn(bare)[0], namesIn(last)[0]]
  if (name?.text === bare && before && (bare !== text || !/^wh(?:o|at)\b/i.test(last)))
    return last.slice(0, before.at) + name.name + last.slice(before.at + before.text.length)
  if (named !== text) return QUESTION.test(named) || simply(named).startsWith('= ') ? named : `who is ${named}`
  if (/^(?:when|where)$/i.test(text) && QUESTION.test(last)) return last.replace(/^\w+/, text)
  // "famous for inventing" lacks its object.
  const thing = / for \p{L}+ing$/u.test(text) && mentions.find(({ pronoun }) => pronoun === 'it')
  return thing ? `${text} ${thing.name}` : undefined
}

/**
 * Replaces the first of each pronoun by a name, if no earlier name in the text explains it, and "this robot" by its
 * owner's.
 */
function withNames(text: string, mentions: Mention[], history: PastTurn[]): string {
  const people = history.slice(-2).flatMap((turn) => mentionsOf(turn).slice(0, 1))
  const isPair = people.every(({ pronoun }) => !/it|they/.test(pronoun ?? ''))
  const pair = isPair ? [...new Set(people.map(({ name }) => name))].join(' and ') : ''
  const own = new Set<Pronoun>()
  return text.replace(PRONOUNS, (...[word, he, she, they, at = 0]: [string, string?, string?, string?, number?]) => {
    const pronoun = he ? 'he' : she ? 'she' : they ? 'they' : 'it'
    const isOwn = own.has(pronoun) || namesIn(text).some((one) => one.at < at && (they || one.pronoun === pronoun))
    const name = (they && pair) || mentions.find((one) => they || (one.pronoun ?? pronoun) === pronoun)?.name
    if (isOwn || !name) return word
    own.add(pronoun)
    return /^this/i.test(word) ? `the ${name}` : OWNER.test(text.slice(at)) ? `${name}’s` : name
  })
}

/**
 * Returns the subjects of a turn, the likeliest first: the bold text of its answer, then its question, then its answer.
 * A subject without a pronoun matches any pronoun.
 */
function mentionsOf({ question, answer }: PastTurn): Mention[] {
  const [asked, told] = [question.slice(0, 1000), answer.slice(0, 2000)]
  const guess = /^where\b/i.test(asked) ? 'it' : KIN.exec(asked)?.[1] ? 'he' : KIN.test(asked) ? 'she' : undefined
  const bold = told.matchAll(new RegExp(`\\*\\*(${NAME}(?:(?:, | and )${NAME})*)\\*\\*`, 'gu'))
  const answers = [...bold].map(([, name = '']): Mention => {
    const [known] = namesIn(name)
    return known?.text === name ? known : { name, pronoun: / and /.test(name) ? 'they' : guess }
  })
  const [known, unknown] = [namesIn(asked), asked.slice(1).match(new RegExp(NAME, 'gu'))?.at(-1)]
  const named: Mention[] = known.length > 0 || !unknown ? known : [{ name: unknown.replace(/['’]s$/, '') }]
  return [...answers, ...named, ...namesIn(told)]
}
