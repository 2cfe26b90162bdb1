import { findPage, lookUp } from './pages.ts'
import { answered, type Plan, type Rule } from './plan.ts'
import type { Asked } from './read-prompt.ts'
import { readPhrase, relationOfVerb, resolve, type Phrase } from './relations.ts'
import { NAME, sentencesOf, trimName } from './sentence-words.ts'

/** "Who is X's brother?", "What is the capital of France?", "Who invented X?". */
export const relations: Rule = (asked) => {
  const question = asked.question.trim().replace(/[?.\s]+$/, '')
  const verb = /^(?:and )?who ([a-z]+) (.+)$/i.exec(question)
  const relation = relationOfVerb(verb?.[1] ?? '')
  if (relation && verb?.[2]) return tell(asked, { relation, of: readPhrase(verb[2]) })
  const plain = /^(?:and )?(?:who|what|which)(?:['’]s| is| was| are| were) (.+)$/i.exec(question)
  const phrase = plain?.[1] ? readPhrase(plain[1]) : undefined
  return phrase && 'relation' in phrase ? tell(asked, phrase) : undefined
}

/** The answer is the name with the sentence that it was read in, so that a person can judge it. */
function* tell(asked: Asked, phrase: Phrase): Plan {
  const found = yield* resolve(asked, phrase)
  if (typeof found === 'string') return answered(found, 'I cannot find out more.')
  const evidence = found.evidence ?? ''
  return answered(/\bwere\b/.test(evidence.split(found.name)[0] ?? '') ? evidence : `**${found.name}**: “${evidence}”`)
}

/**
 * The question of the ReAct paper's kind, with a person in the middle: "Author X has worked with a U.S. Navy admiral who
 * was ambassador to Y under which President?"
 */
export const throughSomebody: Rule = (asked) => {
  const parts = new RegExp(
    `(${NAME}) (?:has |have |had )?[\\p{L} ]{3,40}? (?:an?|the) ([^?]{3,60}?) who ([^?]{5,120}?) under which ([\\p{L}]+)`,
    'u',
  ).exec(asked.question.slice(0, 500))
  if (!parts) return undefined
  const [, name = '', description = '', clause = '', wanted = ''] = parts
  return follow(asked, { name: name.replace(/^(?:Author|Writer|Actor) /, ''), description, clause, wanted })
}

/** The parts of such a question: whose page, which person on it, what is known of them, and what is wanted. */
interface Through {
  name: string
  description: string
  clause: string
  wanted: string
}

/** Two pages and maybe a lookup between them: who is meant, then what their own page says. */
function* follow(asked: Asked, { name, description, clause, wanted }: Through): Plan {
  const first = yield* findPage(asked, name, `I need to find out about ${name}, and which ${description} is meant.`)
  if (typeof first === 'string') return answered(`I could not find a page about ${name}.`, 'I cannot find out more.')
  const word = description.split(' ').at(-1) ?? description
  const named = new RegExp(`\\b${word} (${NAME})`, 'u')
  let who = named.exec(first.sentences.join(' '))?.[1]
  if (!who) {
    const sentence = yield* lookUp(
      asked,
      word,
      `The beginning of the page does not say who the ${word} is. I look up "${word}" on it.`,
    )
    who = named.exec(sentence ?? '')?.[1]
  }
  if (!who) return answered(`The page about ${name} does not name an ${word}.`, 'I cannot find out more.')
  const person = trimName(who)
  const second = yield* findPage(
    asked,
    person,
    `The ${word} is ${person}. Now I need to know under which ${wanted} the rest was.`,
  )
  if (typeof second === 'string') return answered(`I could not find a page about ${person}.`, 'I cannot find out more.')
  return under(second.sentences.join(' '), { name: person, description, clause, wanted })
}

/** Reads "… as the ambassador … under President N": the name after the clause's own words. */
function under(text: string, { name, clause, wanted }: Through): ReturnType<typeof answered> {
  const key = clause.split(' ').find((word) => word.length > 5 && text.includes(word)) ?? ''
  const rest = text.slice(Math.max(text.indexOf(key), 0))
  const found = new RegExp(`under (?:the )?${wanted}s? (${NAME}(?: and ${NAME})?)`, 'u').exec(rest)?.[1]
  if (!found) return answered(`The page about ${name} does not say under which ${wanted}.`, 'I cannot find out more.')
  const sentence = sentencesOf(text).find((one) => one.includes(found) && one.includes(key))
  return answered(`**${trimName(found)}**: “${sentence ?? ''}” (the page about ${name})`)
}
