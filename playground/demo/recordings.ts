/** Plays the recordings of recordings.txt, whose first lines explain its form. */
import { readFileSync } from 'node:fs'
import { sentencesOf } from '../../tools/wikipedia/sentences.ts'
import { join } from 'node:path'
import { knownName, NAME, namesIn, simply, sumOf } from './english.ts'
import { passageIn, searchWords } from './file-passage.ts'
import type { ReadPrompt } from './read-prompt.ts'
import { shownValues } from './shown-message.ts'
import { timeIn } from './time-words.ts'

/** An action with the reason for it. A lookup says on which `page` it is. */
export type Move = { thought: string; tool: string; input: string; page?: string }
/** The end of a run in Markdown. `isUnknown`: it says that the demo does not know. */
export type Final = { answer: string; isUnknown: boolean }
/** Yields actions and receives their observations. */
export type DemoPlan = Generator<Move, Final, string>

type Placeholders = Record<string, string | undefined>
const GAP = /\{([a-z]+)\}/g
const [, words = '', all = ''] = readFileSync(join(import.meta.dirname, 'recordings.txt'), 'utf8')
  .trim()
  .split('\n\n')
const macros = words.split('\n').map((line) => line.split(' = '))

/** Compiles a pattern: expands its macros, fills in the names in braces, and lets NAME match a proper name. */
function pattern(text: string, flags = 'iu', known: Placeholders = {}): RegExp {
  const whole = macros.reduce((said, [word = '', means = '']) => said.replaceAll(word, means), text)
  return new RegExp(filled(whole, known).replaceAll("'", "['’]").replaceAll('NAME', NAME), flags)
}

/** Fills in the names in braces of a text. Values inside JSON are encoded as JSON. */
function filled(text: string, known: Placeholders): string {
  const form = (value: string) => (text.startsWith('{"') ? JSON.stringify(value) : value)
  return text.replace(GAP, (_, name: string) => form(known[name] ?? ''))
}
const hasAll = (text: string, known: Placeholders) =>
  [...text.matchAll(GAP)].every(([, name = '']) => known[name] !== undefined)

const recordings = all.split(/(?<=\n= .*)\n(?=\? )/).map((block) => {
  const lines = block.split('\n')
  const after = (start: string) => lines.filter((line) => line.startsWith(start)).map((line) => line.slice(2))
  const steps = lines.filter((line) => /^[\w*]+ \| /.test(line)).map((line) => line.split(' | '))
  return { patterns: after('? ').map((one) => pattern(one)), steps, answers: after('= ') }
})

const hasShown = (text: string, shown: Placeholders) => !/\{(?:about|terms)\}/.test(text) || hasAll(text, shown)

/**
 * Returns the plan of the recording that fits: its question matches, the prompt lists its tools, and its subject can be
 * a name.
 */
export function played(asked: ReadPrompt, isWhole = false): DemoPlan | undefined {
  const question = simply(asked.question)
  for (const recording of recordings) {
    const found = recording.patterns.map((one) => one.exec(question)).find((one) => one !== null)
    const of = found?.groups?.['of']
    const isOf = of === undefined || (!isWhole && isName(of))
    // A file is searched only for what the shipped pages do not know.
    const inquiry = found?.groups?.['inquiry']
    if (inquiry !== undefined && (namesIn(inquiry).length > 0 || searchWords(inquiry) === '')) continue
    const shown = found ? shownValues(asked.messages ?? [], found.groups?.['column']) : {}
    // A recording about what was said is played only if the prompt shows it.
    if (!hasShown(recording.steps[0]?.[1] ?? recording.answers[0] ?? '', shown)) continue
    if (found && isOf && recording.steps.every(([tool = '']) => toolOf(asked, tool)))
      return play({ ...asked, question }, recording, {
        ...found.groups,
        ...daysOf(asked.today, found.groups?.['until']),
        ...timeIn(asked.time, found.groups?.['city']),
        today: asked.today,
        ...placeIn(asked),
        ...shown,
        said: asked.said,
        words: inquiry && searchWords(inquiry),
      })
  }
  return undefined
}

/**
 * Calls a tool that is in no recording, such as a custom one, if the question names it. Its input is the text after its
 * name.
 */
export function calledByName(asked: ReadPrompt): DemoPlan | undefined {
  const recorded = recordings.flatMap(({ steps }) => steps.map(([name = '']) => toolOf(asked, name)))
  for (const tool of asked.tools?.filter((one) => one !== '' && !recorded.includes(one)) ?? []) {
    const name = tool.replace(/^.*__/, '').replace(/[^a-z\d]+/gi, '[ _-]')
    const called = new RegExp(`\\b${name}\\b:?(?: (?:is|was|are|of|for|on|with|about))* (.+)$`, 'i')
    const [, input] = called.exec(simply(asked.question)) ?? []
    if (input !== undefined) return callOf(tool, input)
  }
  return undefined
}

function* callOf(tool: string, input: string): DemoPlan {
  return { answer: yield { tool, input, thought: `The question names the tool ${tool}. I call it.` }, isUnknown: false }
}

/**
 * Returns the tool of this name that the prompt lists. A prompt that makes a follow-up standalone lists none; then any
 * tool counts as listed.
 */
function toolOf({ tools }: ReadPrompt, name: string): string | undefined {
  return tools ? tools.find((one) => one === name || (name[0] === '*' && one.endsWith(name.slice(1)))) : name
}

const RELATED = pattern("'s? REL$|^(?:the )?REL of ")
const OTHER = /\b(?:you|your|my|me|i|we|for|in|by|on|to|when|who|with|that|s?he|his|her|its?|they|their)\b|'s \p{Ll}/iu
const isName = (of: string) => RELATED.test(of) || knownName(of) !== undefined || (SHORT.test(of) && !OTHER.test(of))
const SHORT = /^[\p{L}\p{N}#.'’&()-]+(?: [\p{L}\p{N}#.'’&()-]+){0,4}$/u

/**
 * Plays a recording. A subject that is described by a relation ("the author of Dune's first publisher") is looked up
 * first.
 */
function* play(asked: ReadPrompt, { steps, answers }: (typeof recordings)[number], known: Placeholders): DemoPlan {
  const { of = '', relation = '' } = known
  const question = `who is ${of}`
  const chain = RELATED.test(of) && question !== asked.question && played({ ...asked, question })
  const end = chain ? yield* chain : undefined
  if (end?.isUnknown) return end
  const whom = /^\*\*(.*?)\*\*/.exec(end?.answer ?? '')?.[1] ?? knownName(of) ?? of.replace(/^(?:the|an?) /i, '')
  const head = relation.toLowerCase().split(' ').at(-1)
  Object.assign(known, { of: whom, head, stem: head?.replace(/d?[eo]r$/, '') })
  for (const [name = '', input = '', reads = '', thought = '', word = ''] of steps) {
    if (!hasAll(input, known)) continue
    const move = { tool: toolOf(asked, name) ?? name, input: filled(input, known), thought: filled(thought, known) }
    const wanted = pattern(reads, 'u', known)
    known['find'] = toolOf(asked, 'wikipedia_lookup') && filled(word, known)
    const seen = name === 'wikipedia' ? yield* look(move, wanted, known) : yield move
    const read = readIn(seen, wanted)
    const isFailed = !read && (name !== 'wikipedia' || FAILED.test(seen))
    if (isFailed) return { answer: name === 'wikipedia' ? seen : failureOf(name, seen), isUnknown: true }
    Object.assign(known, read, reckoned({ ...known, ...read }))
    if (known['words']) known['passage'] = passageIn(seen, known['words'])
  }
  const answer = answers.find((one) => hasAll(one, known)) ?? 'The page about {of} does not say that.'
  return { answer: filled(answer, known), isUnknown: !answers.includes(answer) }
}

/** A card that was not opened says itself why. */
function failureOf(tool: string, seen: string): string {
  const why = /^No card was opened: ([^]*)/.exec(seen)?.[1]
  return why ?? `The ${tool} says: ${seen}`
}

/** Returns where it is asked and by whom, and the channel's name if it is one. */
function placeIn({ place, asker }: ReadPrompt): Placeholders {
  return {
    place: place?.replaceAll('"', ''),
    asker: /^"([^"]+)"/.exec(asker ?? '')?.[1],
    here: /"(#[^"]+)"/.exec(place ?? '')?.[1],
  }
}

const FAILED = /^(?:wikipedia |I could not find |Could not find |The page \[|\[[^\]\n]+\] may refer |No more results|$)/

/** Returns what a pattern captures in the first sentence that it matches. */
function readIn(seen: string, wanted: RegExp): Placeholders | undefined {
  const text = FAILED.test(seen) ? '' : seen.replace(/^\(Result \d+ \/ \d+\) /, '').slice(0, 5000)
  const [sentences, [line]] = [sentencesOf(text), text.split('\n')]
  const sentence = sentences.find((one) => wanted.test(one))
  const groups = wanted.exec(sentence ?? '')?.groups
  const bold = sentence?.replace(groups?.['value'] ?? '', (value) => value && `**${value}**`)
  const beginning = sentences.slice(0, 2).join(' ')
  return sentence === undefined ? undefined : { ...groups, seen: text, sentence: bold, line, beginning }
}

/** Opens a page and looks a word up on it, then on the pages that it names, for "Dune" also on "Dune (novel)". */
function* look(move: Move, wanted: RegExp, known: Placeholders): Generator<Move, string, string> {
  const [seen, page, input] = [yield move, move.input, known['find']]
  if (readIn(seen, wanted)) return seen
  const thought = `The beginning of the page does not say it. I look up "${input}" on it.`
  const hit = input && !FAILED.test(seen) ? yield { tool: 'wikipedia_lookup', input, thought, page } : ''
  if (readIn(hit, wanted)) return hit
  const isList = seen.startsWith('[')
  const named = isList ? /'((?:[^']|'(?![,\]]))+)'|"([^"]+)"/g : /(\p{Lu}\S* \([\p{L} ]+\))/gu
  const found = [...seen.slice(0, 5000).matchAll(named)].map(([, single, double]) => single ?? double ?? '')
  const titles = found.filter((title) => isList || FAILED.test(seen) || title.startsWith(`${page} (`))
  for (const title of titles.slice(0, 2)) {
    const other = yield { ...move, input: title, thought: `Maybe "${title}" is meant.` }
    known['also'] = titles.filter((one) => one !== title).join(', ') || undefined
    if (readIn(other, wanted)) return other
  }
  return seen
}

/**
 * Returns the years from one day to another or to today, less one before the birthday, and the sum that computes them.
 */
function reckoned({ from, to, today, age, then }: Placeholders): Placeholders {
  if (age && then) return { rest: sumOf(`${age} ${then}`) }
  const [a = '', b = ''] = [from, to ?? today].map((day) => new Date(`${day} UTC`).toJSON() ?? '')
  const years = `${b.slice(0, 4)}-${a.slice(0, 4)}${b.slice(4) < a.slice(4) ? '-1' : ''}`
  return a && b ? { years, lived: to ? 'lived to be' : 'is' } : {}
}

const DAY_MS = 86_400_000
const FEASTS: [RegExp, string][] = [
  [/^christmas eve$/i, 'December 24'],
  [/^christmas(?: day)?$/i, 'December 25'],
  [/^(?:the )?new year(?:'?s(?: day)?)?$/i, 'January 1'],
]

/** Made once, because making one is slow. */
const WHOLE_DATE = new Intl.DateTimeFormat('en-GB', {
  ...{ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' },
})

/** Returns today in words, and the sum of the days until the next such day, if both dates can be parsed. */
function daysOf(today: string, until = ''): Placeholders {
  const now = Date.parse(`${today} UTC`)
  if (Number.isNaN(now)) return {}
  const weekday = WHOLE_DATE.format(now).replace(',', '')
  const day = FEASTS.find(([name]) => name.test(until))?.[1] ?? until
  const year = Number(today.slice(0, 4))
  const years = /\d{4}/.test(day) ? [''] : [` ${year}`, ` ${year + 1}`]
  const then = years.map((one) => Date.parse(`${day}${one} UTC`)).find((one) => one >= now)
  return { weekday, ...(then !== undefined && { days: `${then / DAY_MS}-${now / DAY_MS}` }) }
}

/**
 * Runs a plan from its start over the observations so far. Past actions are not repeated. A lookup on a page that is
 * not open finds nothing.
 */
export function advance(plan: DemoPlan, observations: string[]): Move | Final {
  const [seen, rest] = [new Map<string, string>(), observations.values()]
  let [open, next] = ['', plan.next()]
  while (!next.done) {
    const { tool, input, page } = next.value
    const key = JSON.stringify([tool, input, page])
    const observation = seen.get(key) ?? (page && page !== open ? 'No more results.' : rest.next().value)
    if (observation === undefined) return next.value
    if (!page && !seen.has(key)) open = input
    seen.set(key, observation)
    next = plan.next(observation)
  }
  return next.value
}
