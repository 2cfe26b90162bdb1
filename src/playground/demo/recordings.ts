/** Plays what recordings.txt tells; its first lines explain its form. */
import { readFileSync } from 'node:fs'
import { sentencesOf } from '../../../tools/wikipedia/sentences.ts'
import { assetPath } from '../playground-root.ts'
import { NAME, plainly, simply, sumOf } from './english.ts'
import { knownName, namesIn } from './names.ts'
import type { Move, Plan } from './plan.ts'
import type { Asked } from './read-prompt.ts'

type Known = Record<string, string | undefined>
type Recording = { patterns: RegExp[]; steps: string[][]; answers: string[] }

const GAP = /\{([a-z]+)\}/g
const [, words = '', ...blocks] = readFileSync(assetPath('demo', 'recordings.txt'), 'utf8').trim().split(/\n\n+/)
const macros = words.split('\n').map((line) => line.split(' = '))

/** A pattern with what its words in capitals and the names in braces stand for. */
function pattern(text: string, flags = 'iu', known: Known = {}): RegExp {
  const whole = macros.reduce((said, [word = '', means = '']) => said.replaceAll(word, means), text)
  return new RegExp(filled(whole, known).replaceAll("'", "['’]").replaceAll('NAME', NAME), flags)
}

/** Text with names in braces filled in; what is put into JSON is JSON too. */
function filled(text: string, known: Known): string {
  const form = (value: string) => (text.startsWith('{"') ? JSON.stringify(value) : value)
  return text.replace(GAP, (_, name: string) => form(known[name] ?? ''))
}

function hasAll(text: string, known: Known): boolean {
  return [...text.matchAll(GAP)].every(([, name = '']) => known[name] !== undefined)
}

const recordings = blocks.map((block): Recording => {
  const lines = block.split('\n')
  const after = (start: string) => lines.filter((line) => line.startsWith(start)).map((line) => line.slice(2))
  const steps = lines.filter((line) => /^[\w*]+ \| /.test(line)).map((line) => line.split(' | '))
  return { patterns: after('? ').map((one) => pattern(one)), steps, answers: after('= ') }
})

/** A recording fits where its question does, the prompt lists its tools, and what it is of can be the name of something. */
export function played(asked: Asked, isWhole = false): Plan | undefined {
  const question = isWhole ? plainly(asked.question) : simply(asked.question)
  for (const recording of recordings) {
    const found = recording.patterns.map((one) => one.exec(question)).find((one) => one !== null)
    const of = found?.groups?.['of']
    const isOf = of === undefined || (!isWhole && isThing(of))
    if (found && isOf && recording.steps.every(([tool = '']) => toolOf(asked, tool)))
      return play({ ...asked, question }, recording, { ...found.groups, today: asked.today })
  }
  return undefined
}

/** A prompt that makes a follow-up standalone tells no tools: then any may be there. */
function toolOf({ tools }: Asked, name: string): string | undefined {
  return tools ? tools.find((one) => one === name || (name[0] === '*' && one.endsWith(name.slice(1)))) : name
}

const RELATED = pattern("'s? REL$|^(?:the )?REL of ")
const OTHER = /\b(?:you|your|my|me|i|we|for|in|by|on|to|when|who|with|that|s?he|his|her|its?|they|their)\b|'s \p{Ll}/iu

function isThing(of: string): boolean {
  const isShort = /^[\p{L}\p{N}#.'’&()-]+(?: [\p{L}\p{N}#.'’&()-]+){0,4}$/u.test(of)
  return knownName(of) !== undefined || RELATED.test(of) || (isShort && !OTHER.test(of))
}

/** Whom it is about may be told by a relation ("the author of Dune's first publisher"): that is found out first. */
function* play(asked: Asked, { steps, answers }: Recording, known: Known): Plan {
  const question = `who is ${known['of']}`
  const chain = RELATED.test(known['of'] ?? '') && question !== asked.question && played({ ...asked, question })
  const end = chain ? yield* chain : undefined
  if (end?.isUnknown) return end
  Object.assign(known, namesOf(known, end?.answer))
  for (const [name = '', input = '', reads = '', thought = '', word = ''] of steps) {
    if (!hasAll(input, known)) continue
    const move = { tool: toolOf(asked, name) ?? name, input: filled(input, known), thought: filled(thought, known) }
    const wanted = pattern(reads, 'u', known)
    known['find'] = toolOf(asked, 'wikipedia_lookup') && filled(word, known)
    const seen = name === 'wikipedia' ? yield* look(move, wanted, known) : yield move
    const read = readIn(seen, wanted)
    if (!read && name !== 'wikipedia')
      return { answer: `The ${move.tool} says: ${seen.slice(0, 300)}`, isUnknown: true }
    if (!read && FAILED.test(seen)) return { answer: seen, isUnknown: true }
    Object.assign(known, read)
    Object.assign(known, reckoned(known))
  }
  const answer = answers.find((one) => hasAll(one, known)) ?? 'The page about {of} does not say that.'
  return { answer: filled(answer, known), isUnknown: !answers.includes(answer) }
}

/** What the tools of the wiki say in place of a page. */
const FAILED = /^(?:wikipedia |I could not find |Could not find |The page \[|\[[^\]\n]+\] may refer |No more results|$)/

/** What a pattern reads in the first sentence that it fits. */
function readIn(seen: string, wanted: RegExp): Known | undefined {
  const text = FAILED.test(seen) ? '' : seen.replace(/^\(Result \d+ \/ \d+\) /, '').slice(0, 5000)
  const [sentences, [line]] = [sentencesOf(text), text.split('\n')]
  const sentence = sentences.find((one) => wanted.test(one))
  const groups = wanted.exec(sentence ?? '')?.groups
  const bold = sentence?.replace(groups?.['value'] ?? '', (value) => value && `**${value}**`)
  const beginning = sentences.slice(0, 2).join(' ')
  return sentence === undefined ? undefined : { ...groups, seen: text, sentence: bold, line, beginning }
}

/** Opens a page, or one that the tool names in its place, and looks a word up on it; then on another page of that name. */
function* look(move: Move, wanted: RegExp, known: Known): Generator<Move, string, string> {
  let [seen, page] = [yield move, move.input]
  const offered = titlesIn(seen, page)
  const [best, ...others] = offered ?? [page]
  if (best === undefined) return `I could not find a page about ${page}.`
  known['also'] = others.length > 0 ? others.join(', ') : undefined
  const thought = `There is no page "${page}" with text, but "${best}".`
  if (offered) [page, seen] = [best, yield { ...move, input: best, thought }]
  if (readIn(seen, wanted)) return seen
  for (let hit = 1; known['find'] && hit <= 3; hit++) {
    const why = `The beginning of the page does not say it. I look up "${known['find']}" on it.`
    const found = yield { tool: 'wikipedia_lookup', input: known['find'], thought: why, page, hit }
    if (readIn(found, wanted)) return found
    if (!/^\(Result (\d+) \/ (?!\1\))/.test(found)) break
  }
  const other = others[0] ?? /\p{Lu}\S* \([\p{L} ]+\)/u.exec(seen.slice(0, 5000))?.[0]
  return other === undefined ? seen : yield { ...move, input: other, thought: `Maybe "${other}" is meant.` }
}

/** The titles that may be meant, of "Could not find … Similar: ['a', 'b']" and "… may refer to: ['a', 'b']". */
function titlesIn(seen: string, wanted: string): string[] | undefined {
  const isSimilar = seen.startsWith('Could not find')
  if (!isSimilar && !/^\[[^\]\n]+\] may refer to/.test(seen)) return undefined
  const list = seen.slice(seen.indexOf(']'), 5000).matchAll(/'((?:[^']|'(?![,\]]))*)'|"([^"]*)"/g)
  const bare = (title: string) => title.toLowerCase().replace(/ \(.*/, '')
  const isMeant = (title: string) => bare(title).includes(bare(wanted)) || bare(wanted).includes(bare(title))
  return [...list].map(([, a, b]) => a ?? b ?? '').filter((title) => !isSimilar || isMeant(title))
}

/** The names that steps may use, of what was asked and of what a chain has found. */
function namesOf({ of, relation }: Known, chained = ''): Known {
  const whom = of && (/^\*\*(.*?)\*\*/.exec(chained)?.[1] ?? knownName(of) ?? of.replace(/^(?:the|an?) /i, ''))
  const spouse = namesIn(whom ?? '')[0]?.pronoun === 'he' ? 'wife' : 'husband'
  const all = relation?.toLowerCase().replace('spouse', spouse)
  const head = all?.split(' ').at(-1)
  return { of: whom, relation: all, head, stem: head?.replace(/d?[eo]r$/, '') }
}

/** The years from one day to another or to today, less one where the birthday has not come yet; the sum that an age goes into. */
function reckoned({ from, to, today, age, then }: Known): Known {
  if (age && then) return { rest: sumOf(`${age} ${then}`) }
  const [a = '', b = ''] = [from, to ?? today].map((day) => new Date(`${day} UTC`).toJSON() ?? '')
  const years = `${b.slice(0, 4)}-${a.slice(0, 4)}${b.slice(4) < a.slice(4) ? '-1' : ''}`
  return a && b ? { years, lived: to ? 'lived to be' : 'is' } : {}
}
