/** Makes follow-ups standalone: pronouns and bare sums take their meaning from what was said, each by its gender and number. */
import { NAME, plainly, questionsIn, subjectOf } from './english.ts'
import { namesIn, pronounIn, type Pronoun } from './known-names.ts'
import { RELATION } from './recordings.ts'
import type { PastTurn } from './read-prompt.ts'
import { conversionOf, expressionOf } from './sums.ts'

/** Somebody or something that was spoken of; without a pronoun any may stand for it. */
type Mention = { name: string; pronoun?: Pronoun | undefined }

const HE = /\b(?:boyfriend|husband|brother|father|son)\b/i
const SHE = /\b(?:girlfriend|wife|sister|mother|daughter)\b/i
const QUESTION = /^(?:who|whom|what|when|where|which|how|why|can|could|did|does|is|was|are|were)\b/i
const PRONOUNS = /\b(?:he|him|his|she|hers?|they|them|their|its?)\b/gi

/** Rewrites a follow-up by the last turns. What nothing fits is given back unchanged: a wrong guess is worse. */
export function standalone(turns: PastTurn[], followUp: string): string {
  if (turns.length === 0 || followUp.length > 500) return followUp
  const history = turns.slice(-12)
  const parts = questionsIn(followUp).map((part) => {
    const plain = plainly(part).replace(/[?.!\s]+$/, '')
    const question = aboutNumber(plain, history.at(-1)?.answer ?? '') ?? aboutName(plain, history) ?? part
    history.push({ question, answer: '' })
    return question
  })
  return parts.every((part) => followUp.includes(part)) ? followUp : parts.join(' ')
}

/** "and half of it?", "what is that in celsius?", "squared?": about the number in bold in the last answer, or the last one. */
function aboutNumber(text: string, answer: string): string | undefined {
  const last = (pattern: RegExp) => [...answer.slice(-4000).matchAll(pattern)].at(-1)
  const found =
    last(/\*\*(-?\d[\d,]*(?:\.\d+)?)([^*\n]{0,12})\*\*/g) ?? last(/(-?\d[\d,]*(?:\.\d+)?)(\s?°[CF]| \p{L}+)?/gu)
  const [, number = '', unit = ''] = found ?? []
  const put = (value: string) => text.replace(/\b(?:it|that|this|the result)\b/i, value.replaceAll(',', ''))
  const isTrailing = /^(?:halved|doubled|(?:squar|cub)ed|plus|minus|times|divided|raised|to the power|[-+*/^])/i.test(
    text,
  )
  const sum = isTrailing ? `${number.replaceAll(',', '')} ${text}` : put('') === text ? '' : put(number)
  const said = sum !== '' && conversionOf(put(number + unit)) ? put(number + unit) : sum
  if (!number || !(conversionOf(said) ?? expressionOf(said))) return undefined
  return /^(?:what|how|calculate)\b/i.test(said) ? `${said}?` : `What is ${said}?`
}

/** "and who was his brother?", "her boyfriend?", "what about Charles Babbage?", "and when?". */
function aboutName(text: string, history: PastTurn[]): string | undefined {
  const mentions = history.toReversed().flatMap(mentionsOf)
  const [first, last] = [mentions[0]?.name, history.at(-1)?.question ?? '']
  if (first === undefined || text === '') return undefined
  const [, relation] = new RegExp(`^(?:(?:who|what)(?:['’]s| is| was) )?(?:the )?(${RELATION})$`, 'i').exec(text) ?? []
  if (relation) return `Who is ${first}’s ${relation}?`
  const named = withNames(text, mentions, pairOf(history))
  const bare = named.replace(/^(?:what|how) about (?:the )?/i, '')
  const [name, before] = [namesIn(bare)[0], namesIn(last)[0]]
  if (name?.text === bare && before && (bare !== text || !/^wh(?:o|at)\b/i.test(last)))
    return `${last.slice(0, before.at)}${name.name}${last.slice(before.at + before.text.length)}`
  if (named !== text) return `${QUESTION.test(named) || expressionOf(named) ? capital(named) : `Who is ${named}`}?`
  if (/^(?:when|where|why|how)$/i.test(text) && QUESTION.test(last)) return capital(last.replace(/^\w+/, text))
  const isBare = /^.+ .+ /.test(text) && !subjectOf(text) && !/\d|\b(?:you|your|i|my|me|we|s?he|they)\b/i.test(text)
  return QUESTION.test(text) && isBare ? capital(`${text} (about ${first})?`) : undefined
}

/** Puts a name for each pronoun that no earlier name in the text explains, and for "this robot" whose it is. */
function withNames(text: string, mentions: Mention[], pair: string | undefined): string {
  const nameOf = (pronoun: Pronoun) => mentions.find((one) => (one.pronoun ?? pronoun) === pronoun)?.name
  const both = mentions[0]?.pronoun === 'they' ? mentions[0].name : (pair ?? mentions[0]?.name)
  const things = text.replace(
    /\b(?:this|that) (?=(?:robot|book|novel|company|tower|puzzle|app)\b)/i,
    () => `the ${nameOf('it') ?? ''} `,
  )
  if (things !== text) return things
  const isNamed = new Set<Pronoun>()
  return text.replace(PRONOUNS, (word: string, at: number) => {
    const they = /^the/i.test(word)
    const pronoun: Pronoun = they ? 'they' : /^h(?:e|im|is)$/i.test(word) ? 'he' : /^[sh]/i.test(word) ? 'she' : 'it'
    const isOwn = isNamed.has(pronoun) || namesIn(text).some((one) => one.at < at && (they || one.pronoun === pronoun))
    const name = isOwn ? undefined : they ? both : nameOf(pronoun)
    const isOwner =
      /^(?:his|its|their)$/i.test(word) ||
      /^her (?!(?:in|at|on|and|when|before|after|from|to)\b)\p{L}/iu.test(text.slice(at))
    isNamed.add(pronoun)
    return name === undefined ? word : isOwner ? `${name}’s` : name
  })
}

/** Whom "they" are where the last two questions were about one person each. */
function pairOf(history: PastTurn[]): string | undefined {
  const [a, b] = history.slice(-2).map((turn) => mentionsOf(turn)[0])
  const isPair = a && b && a.name !== b.name && ![a, b].some(({ pronoun }) => pronoun === 'it' || pronoun === 'they')
  return isPair ? `${a.name} and ${b.name}` : undefined
}

/** What a turn spoke of, the likeliest first: the answer in bold, whom the question named, whom the answer names besides. */
function mentionsOf({ question, answer }: PastTurn): Mention[] {
  const [asked, told] = [question.slice(0, 1000), answer.slice(0, 2000)]
  const kin: Pronoun | undefined = HE.test(asked) ? 'he' : SHE.test(asked) ? 'she' : undefined
  const bold = told.matchAll(new RegExp(`\\*\\*(${NAME}(?:(?:, | and )${NAME})*)\\*\\*`, 'gu'))
  const answers = [...bold].map(([, name = '']): Mention => {
    const known = namesIn(name)[0]
    return { name, pronoun: / and /.test(name) ? 'they' : known?.text === name ? known.pronoun : kin }
  })
  const named = namesIn(asked)
  const relative = [HE, SHE].map((one) => one.exec(asked)?.[0]).find(Boolean)
  const phrase =
    answers.length === 0 && relative && named[0] ? [{ name: `${named[0].name}’s ${relative}`, pronoun: kin }] : []
  const subject = named.length === 0 && QUESTION.test(asked) ? subjectOf(asked) : undefined
  const guessed = subject ? [{ name: subject, pronoun: pronounIn(told) }] : []
  return [...answers, ...phrase, ...named, ...guessed, ...namesIn(told)]
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
