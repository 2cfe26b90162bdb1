/** Questions whose chain of steps was recorded; recordings.txt explains its form. */
import { readFileSync } from 'node:fs'
import { assetPath } from '../playground-root.ts'
import { NAME, sentencesOf, trimName } from './english.ts'
import { knownName, namesakes } from './known-names.ts'
import { lookUp, openPage, type Page } from './pages.ts'
import { answered, unknown, type Final, type Plan } from './plan.ts'
import type { Asked } from './read-prompt.ts'
import { expressionOf } from './sums.ts'

const [, words = '', ...blocks] = readFileSync(assetPath('demo', 'recordings.txt'), 'utf8').trim().split(/\n\n+/)
const macros = words.split('\n').map((line) => line.split(' = '))

/** A pattern with what its words in capitals stand for. */
function pattern(text: string, flags = 'u', known: Known = {}): RegExp {
  const whole = macros.toReversed().reduce((said, [word = '', means = '']) => said.replaceAll(word, means), text)
  return new RegExp(filled(whole, known).replaceAll("'", "['’]").replaceAll('NAME', NAME), flags)
}
/** What one thing may be to another, and a phrase that says so. */
export const RELATION = pattern('REL').source
const PHRASE = pattern("'s? REL$|^(?:the )?REL of ", 'iu')

const recordings = blocks.map((block) => {
  const lines = block.split('\n')
  const asked = lines.filter((line) => line.startsWith('? ')).map((line) => pattern(line.slice(2), 'iu'))
  const answer = lines.find((line) => line.startsWith('= '))?.slice(2) ?? ''
  return { asked, steps: lines.filter((line) => line.includes(' | ')).map((line) => line.split(' | ')), answer }
})

/** A recording fits where its question does, the prompt lists its tools, and what it is of can be the name of something. */
export const played = (asked: Asked, isWhole = false): Plan | undefined => {
  for (const { asked: patterns, steps, answer } of recordings) {
    const found = patterns.map((one) => one.exec(asked.question)).find((one) => one !== null)
    const known: Known = { ...found?.groups, today: asked.today }
    const toolOf = ([tool = '']) =>
      asked.tools.find((one) => one === tool || (tool[0] === '*' && one.endsWith(tool.slice(1))))
    const tools = steps.map(([tool = '']) => toolOf([tool.replace('or ', '')]))
    const isListed = steps.every(([tool = ''], i) => tools[i] ?? tool.startsWith('or '))
    if (!found || !isListed || (known['of'] !== undefined && (isWhole || !isThing(known['of'])))) continue
    const question = `who is ${known['of']}`
    const isChain =
      PHRASE.test(known['of'] ?? '') && question.length < asked.question.length + 7 && question !== asked.question
    const chain = isChain ? played({ ...asked, question }) : undefined
    return play({
      asked,
      answer,
      known,
      chain,
      steps: steps.map((step, i) => [tools[i] ?? '', ...step]),
    })
  }
  return undefined
}

type Known = Record<string, string | undefined>

function isThing(of: string): boolean {
  const no = 'you|your|my|me|i|we|for|in|by|on|to|at|when|who|with|that|born|weather|news|today|yesterday|there|up|it'
  const isShort = new RegExp(
    `^(?!.*\\b(?:${no})\\b)(?!.*'s \\p{Ll})[\\p{L}\\p{N}#.'’&()-]+(?: [\\p{L}\\p{N}#.'’&()-]+){0,4}$`,
    'iu',
  )
  return knownName(of) !== undefined || PHRASE.test(of) || isShort.test(of)
}

interface Played {
  asked: Asked
  steps: string[][]
  answer: string
  known: Known
  /** Finds out whom the question is about, where it says so by a relation: "the author of Dune's first publisher". */
  chain: Plan | undefined
}

function* play({ asked, steps, answer, known, chain }: Played): Plan {
  const end = chain && (yield* chain)
  if (end?.isUnknown) return end
  Object.assign(known, namesOf(known, end?.answer ?? ''))
  let [isRead, page, failed]: [boolean, Page | undefined, Final | undefined] = [true, undefined, undefined]
  for (const [tool = '', name = '', input = '', read = '', why = ''] of steps) {
    const [word, thought] = [filled(input, known), filled(why, known)]
    if (name.startsWith('or ') ? isRead || tool === '' || word === '' : !isRead) continue
    const wanted = pattern(read, 'u', known)
    const reads = (text: string) => (wanted.test(text) ? text : undefined)
    let seen: string | undefined
    if (tool === 'wikipedia') {
      const opened = yield* openPage(asked.question, word, thought)
      if ('answer' in opened) failed ??= opened
      else page = opened
      seen = 'answer' in opened ? undefined : opened.sentences.find(reads)
      Object.assign(known, { beginning: page?.sentences.slice(0, 2).join(' '), also: page?.also })
    } else if (tool === 'wikipedia_lookup') seen = page && (yield* lookUp({ page, word, thought }, reads))
    else seen = yield { thought, tool, input: word }
    const found = wanted.exec(seen?.slice(0, 5000) ?? '')
    isRead = seen !== undefined && found !== null
    if (isRead)
      Object.assign(
        known,
        found?.groups,
        { seen, line: seen?.split('\n')[0] },
        { sentence: seen && found ? sentencesOf(seen).find((one) => one.includes(found[0])) : '' },
      )
    else if (seen !== undefined) failed ??= unknown(`That is what ${tool} says: ${seen.slice(0, 300)}`)
    Object.assign(known, reckoned(known))
  }
  return isRead
    ? answered(filled(answer, known))
    : (failed ?? unknown(`I looked for it, but the page about ${known['of'] ?? 'it'} does not say.`))
}

/** What is put into an input that is JSON is JSON too. */
function filled(text: string, known: Known): string {
  return text.replace(/\{([a-z]+)\}/g, (_, name: string) =>
    text.startsWith('{"') ? JSON.stringify(known[name] ?? '') : (known[name] ?? ''),
  )
}

/** The names that steps may use, of what was asked and of what a chain has found. */
function namesOf({ of, relation }: Known, chained: string): Known {
  const [, name, sentence] = /^\*\*(.*?)\*\*: (.*)$/.exec(chained) ?? []
  const whom = of && (name ?? knownName(of) ?? of.replace(/^(?:the|an?) /i, ''))
  const head = relation?.toLowerCase().split(' ').at(-1)
  const said = { relation: relation?.toLowerCase(), head, stem: head?.replace(/d?[eo]r$/, '') }
  return { of: whom, other: namesakes(whom ?? '')[0], evidence: sentence && ` (${sentence})`, ...said }
}

/** The years from one day to another or to today, one less where the birthday has not come yet; and the sum that an age goes into. */
function reckoned({ from, to, today, name, age, then }: Known): Known {
  const [a, b] = [from ?? '', to ?? `${today}T00:00`].map(
    (day) => new Date(day.length === 4 ? `${day}-01-01T00:00` : day),
  )
  if (!from || !a || !b) return { name: name && trimName(name) }
  const isEarly = b.getMonth() * 100 + b.getDate() < a.getMonth() * 100 + a.getDate()
  const years = `${b.getFullYear()}-${a.getFullYear()}${isEarly ? '-1' : ''}`
  return { years, lived: to ? 'lived to be' : 'is', sum: age && then && expressionOf(`${age} ${then}`) }
}
