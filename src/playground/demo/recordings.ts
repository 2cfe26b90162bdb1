/** Questions whose chain of steps was recorded; recordings.txt explains its form. */
import { readFileSync } from 'node:fs'
import { assetPath } from '../playground-root.ts'
import { NAME, sentencesOf, trimName } from './english.ts'
import { knownName, namesakes, namesIn } from './known-names.ts'
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
export function played(asked: Asked, isWhole = false): Plan | undefined {
  for (const { asked: patterns, steps, answer } of recordings) {
    const found = patterns.map((one) => one.exec(asked.question)).find((one) => one !== null)
    const known: Known = { ...found?.groups, today: asked.today }
    const toolOf = (name: string) =>
      asked.tools.find((one) => one === name || (name[0] === '*' && one.endsWith(name.slice(1))))
    const listed = steps.map(([tool = '', ...rest]) => ({
      tool: toolOf(tool.replace('or ', '')),
      isOr: tool.startsWith('or '),
      rest,
    }))
    const isOf = known['of'] === undefined || (!isWhole && isThing(known['of']))
    const question = `who is ${known['of']}`
    const isChain = PHRASE.test(known['of'] ?? '') && question !== asked.question
    if (found && isOf && listed.every(({ tool, isOr }) => tool ?? isOr))
      return play(asked.question, {
        steps: listed,
        answer,
        known,
        chain: isChain ? played({ ...asked, question }) : undefined,
      })
  }
  return undefined
}

type Known = Record<string, string | undefined>

function isThing(of: string): boolean {
  const no =
    'you|your|my|me|i|we|for|in|by|on|to|at|when|who|with|that|born|weather|news|today|yesterday|there|up|s?he|it|they'
  const isShort = new RegExp(
    `^(?!.*\\b(?:${no})\\b)(?!.*['’]s \\p{Ll})[\\p{L}\\p{N}#.'’&()-]+(?: [\\p{L}\\p{N}#.'’&()-]+){0,4}$`,
    'iu',
  )
  return knownName(of) !== undefined || PHRASE.test(of) || isShort.test(of)
}

/** `chain` finds out whom the question is about, where it says so by a relation: "the author of Dune's first publisher". */
type Played = {
  steps: { tool: string | undefined; isOr: boolean; rest: string[] }[]
  answer: string
  known: Known
  chain: Plan | undefined
}

function* play(question: string, { steps, answer, known, chain }: Played): Plan {
  const end = chain && (yield* chain)
  if (end?.isUnknown) return end
  Object.assign(known, namesOf(known, end?.answer ?? ''))
  let [isRead, page, failed]: [boolean, Page | undefined, Final | undefined] = [true, undefined, undefined]
  for (const { tool, isOr, rest } of steps) {
    const [word = '', read = '', thought = ''] = rest.map((text) => filled(text, known))
    if (tool === undefined || word === '' || isRead === isOr) continue
    const wanted = pattern(rest[1] ?? read, 'u', known)
    const reads = (text: string) => (wanted.test(text) ? text : undefined)
    let seen: string | undefined
    if (tool === 'wikipedia') {
      const opened = yield* openPage(question, word, thought)
      if ('answer' in opened) failed ??= opened
      else [page, seen] = [opened, opened.sentences.find(reads)]
      known['other'] = page?.others[0] ?? known['other']
    } else
      seen =
        tool === 'wikipedia_lookup'
          ? page && (yield* lookUp({ page, word, thought }, reads))
          : yield { thought, tool, input: word }
    const found = wanted.exec(seen?.slice(0, 5000) ?? '')
    isRead = found !== null && seen !== undefined
    if (!isRead && seen !== undefined) failed ??= unknown(`That is what ${tool} says: ${seen.slice(0, 300)}`)
    const sentence = sentencesOf(seen ?? '').find((one) => found && one.includes(found[0]))
    Object.assign(known, found?.groups, {
      seen,
      sentence,
      line: seen?.split('\n')[0],
      beginning: page && beginningOf(page),
    })
    Object.assign(known, reckoned(known))
  }
  return isRead
    ? answered(filled(answer, known))
    : (failed ?? unknown(`The page about ${known['of'] ?? 'it'} does not say that.`))
}

function beginningOf({ sentences, others }: Page): string {
  const also = others.length > 0 ? `\n\nThe name could also mean: ${others.join(', ')}.` : ''
  return `${sentences.slice(0, 2).join(' ')}${also}`
}

/** What is put into an input that is JSON is JSON too. */
function filled(text: string, known: Known): string {
  const form = (value: string) => (text.startsWith('{"') ? JSON.stringify(value) : value)
  return text.replace(/\{([a-z]+)\}/g, (_, name: string) => form(known[name] ?? ''))
}

/** The names that steps may use, of what was asked and of what a chain has found. */
function namesOf({ of, relation }: Known, chained: string): Known {
  const [, name, sentence] = /^\*\*(.*?)\*\*: (.*)$/.exec(chained) ?? []
  const whom = of && (name ?? knownName(of) ?? of.replace(/^(?:the|an?) /i, ''))
  const spouse = namesIn(whom ?? '')[0]?.pronoun === 'he' ? 'wife' : 'husband'
  const all = relation?.toLowerCase().replace(/spouse|partner/, spouse)
  const [head, other, evidence] = [all?.split(' ').at(-1), namesakes(whom ?? '')[0], sentence && ` (${sentence})`]
  return { of: whom, other, evidence, relation: all, head, stem: head?.replace(/d?[eo]r$/, '') }
}

/** The years from one day to another or to today, one less where the birthday has not come yet; and the sum that an age goes into. */
function reckoned({ from, to, today, name, age, then, result }: Known): Known {
  const [a, b] = [from ?? '', to ?? `${today}T00:00`].map(
    (day) => new Date(day.length === 4 ? `${day}-01-01T00:00` : day),
  )
  if (!from || !a || !b) return { name: name && trimName(name) }
  const isEarly = b.getMonth() * 100 + b.getDate() < a.getMonth() * 100 + a.getDate()
  const years = `${b.getFullYear()}-${a.getFullYear()}${isEarly ? '-1' : ''}`
  const sum = age && then && expressionOf(`${age} ${then}`)
  return { years, lived: to ? 'lived to be' : 'is', sum, power: result && `\n\n${sum} = **${result}**` }
}
