/** "Olivia Wilde's boyfriend", "the author of Dune": phrases that name one thing by another. */
import { findPage, lookUp } from './pages.ts'
import type { Move } from './plan.ts'
import type { Asked } from './read-prompt.ts'
import { NAME, trimName } from './sentence-words.ts'

/** A thing as a question names it: by its name, or by what it is to another. */
export type Phrase = { name: string } | { relation: string; of: Phrase }

/** Words that relate two things, and the verb by which a page may say the same. */
const VERBS: Record<string, string> = {
  author: 'written',
  writer: 'written',
  publisher: 'published',
  inventor: 'invented',
  designer: 'designed',
  creator: 'created',
  founder: 'founded',
  director: 'directed',
  builder: 'built',
  discoverer: 'discovered',
}
/** Relations that pages state in so many words: “His brother was …”. */
const KIN = 'boyfriend girlfriend partner husband wife spouse brother sister father mother son daughter capital'.split(
  ' ',
)
const RELATION = `(?:(?:first|last|current|former|original|elder|younger) )?(?:${[...Object.keys(VERBS), ...KIN].join('|')})`
/** What only books have: where a page does not name it, the novel of that name may be meant. */
const BOOKISH = /author|writer|publisher/

/** Reads a phrase; what it does not take apart is a name. */
export function readPhrase(text: string): Phrase {
  const phrase = text.trim().replace(/^the (?=\p{Lu})/u, '')
  const owned = new RegExp(`^(.+?)['’]s? (${RELATION})$`, 'iu').exec(phrase)
  if (owned?.[1] && owned[2]) return { relation: owned[2].toLowerCase(), of: readPhrase(owned[1]) }
  const related = new RegExp(`^(?:the )?(${RELATION}) of (.+)$`, 'iu').exec(phrase)
  if (related?.[1] && related[2]) return { relation: related[1].toLowerCase(), of: readPhrase(related[2]) }
  return { name: phrase.replace(/^(?:a|an|the)\s+/i, '') }
}

/** Who VERBed X: the relation that such a question asks for. */
export function relationOfVerb(verb: string): string | undefined {
  const asked = { wrote: 'written', writes: 'written' }[verb.toLowerCase()] ?? verb.toLowerCase()
  return Object.keys(VERBS).find((relation) => VERBS[relation] === asked)
}

/** A thing that was found out. */
export interface Resolved {
  name: string
  /** The sentence that says so; a plain name needs none. */
  evidence?: string
}

/** Finds out which thing a phrase names, page by page. Gives a sentence of regret where a page does not say. */
export function* resolve(asked: Asked, phrase: Phrase): Generator<Move, Resolved | string, string> {
  if ('name' in phrase) return { name: phrase.name }
  const of = yield* resolve(asked, phrase.of)
  if (typeof of === 'string') return of
  const titles = BOOKISH.test(phrase.relation) && !of.evidence ? [of.name, `${of.name} (novel)`] : [of.name]
  for (const title of titles) {
    const found = yield* onPage(asked, title, phrase.relation)
    if (found) return found
  }
  return `I looked for the ${phrase.relation} of ${of.name}, but the page that I found does not say.`
}

/** One page: its first sentences, and if they do not say, a lookup of the word. */
function* onPage(asked: Asked, title: string, relation: string): Generator<Move, Resolved | undefined, string> {
  const page = yield* findPage(asked, title, `I need the ${relation} of ${title}. I look up ${title} first.`)
  if (typeof page === 'string') return undefined
  const here = readRelation(page.sentences, relation)
  if (here) return here
  const word = relation.split(' ').at(-1) ?? relation
  const sentence = yield* lookUp(
    asked,
    word,
    `The beginning of the page does not name the ${relation}. I look up "${word}" on it.`,
  )
  return sentence === undefined ? undefined : readRelation([sentence], relation)
}

/** Finds the sentence that states a relation, and the name in it. */
export function readRelation(sentences: string[], relation: string): Resolved | undefined {
  const head = relation.split(' ').at(-1) ?? relation
  for (const word of new Set([relation, head])) {
    for (const pattern of patternsFor(word, VERBS[head])) {
      for (const sentence of sentences) {
        const name = pattern.exec(sentence.slice(0, 1000))?.[1]
        if (name) return { name: trimName(name), evidence: sentence }
      }
    }
  }
  return undefined
}

/**
 * Three ways to state it, the surest first: “His brother was N”, “the author N”, “invented in 1974 by the architect
 * N”.
 */
function patternsFor(word: string, verb: string | undefined): RegExp[] {
  const stated = new RegExp(`\\b${word}s?\\b(?: [\\p{L}'’-]+){0,8}? (?:is|was|are|were) (${NAME})`, 'u')
  const titled = new RegExp(`\\b${word} (${NAME})`, 'u')
  const done = new RegExp(
    `\\b${verb}\\b(?: [\\p{L}\\d]+){0,4}? by (?:the (?:\\p{Lu}\\p{Ll}+ )?(?:\\p{Ll}+ )+)?(${NAME})`,
    'u',
  )
  return verb ? [stated, titled, done] : [stated, titled]
}
