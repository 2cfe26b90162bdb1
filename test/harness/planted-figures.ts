import { judgeFigures } from '../../src/question/check-figures/judge-figures.ts'
import { figuresIn } from '../../src/question/check-figures/find-figures.ts'

/** A question, and the texts that were read for it. */
export interface Episode {
  question: string
  observations: string[]
}

export interface Measured {
  answers: number
  /** Answers of quoted sentences in which a figure was reported as missing. */
  alarms: string[]
  planted: number
  /** Changed figures that were not reported. */
  missed: string[]
}

const TODAY = new Date('2026-11-26T12:00:00Z')
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October']
const COUNTS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
]

/**
 * Answers each episode with sentences from its texts, with figures in other forms, and then again with one figure
 * changed.
 */
export function measureFigures(episodes: readonly Episode[], seed = 7): Measured {
  const random = randomFrom(seed)
  const measured: Measured = { answers: 0, alarms: [], planted: 0, missed: [] }
  for (const episode of episodes) {
    const sentences = episode.observations.flatMap((text) => text.split(/(?<=[.!?])\s+(?=[A-Z])/)).filter(hasFigure)
    if (sentences.length === 0) continue
    const answer = inOtherForms(`${random.pick(sentences)} ${random.pick(sentences)}`, random)
    const wrong = missingIn(answer, episode)
    if (!wrong) continue
    measured.answers += 1
    if (wrong.length > 0) measured.alarms.push(`${wrong.join(' | ')} in: ${answer}`)
    plant(answer, episode, { random, measured })
  }
  return measured
}

function hasFigure(sentence: string): boolean {
  return /\d/.test(sentence) && sentence.length < 400
}

/** @returns undefined for an answer without figures */
function missingIn(answer: string, { question, observations }: Episode): string[] | undefined {
  const steps = observations.map((text, i) => ({ place: `step ${i + 1}`, text }))
  const read = [{ place: 'the question', text: question }, ...steps]
  const judged = judgeFigures(answer, { question, read, today: TODAY })
  if (!judged || judged.length === 0) return undefined
  return judged.filter((figure) => figure.in.length === 0).map(({ text }) => text)
}

function plant(answer: string, episode: Episode, { random, measured }: { random: Random; measured: Measured }): void {
  const figures = figuresIn(answer).filter(
    ({ kind, text }) => (kind === 'number' || kind === 'date') && /\d/.test(text),
  )
  const victim = figures.length > 0 ? random.pick(figures) : undefined
  if (!victim) return
  const digits = /\d{4}/.exec(victim.text)?.[0] ?? /\d[\d.,]*\d|\d/.exec(victim.text)?.[0] ?? ''
  const other =
    digits.length === 1
      ? String(20 + random.below(70))
      : digits.replace(/\d(?=\D*$)|\d(?=\d\D*$)/g, () => String(random.below(10)))
  const changed = victim.text.replace(digits, other)
  if (other === digits || episode.observations.some((text) => text.includes(other))) return
  const lie = answer.slice(0, victim.at) + changed + answer.slice(victim.at + victim.text.length)
  const found = missingIn(lie, episode)?.some((text) => text.includes(other) || changed.includes(text))
  measured.planted += 1
  if (!found) measured.missed.push(`${victim.text} -> ${changed}`)
}

function inOtherForms(text: string, random: Random): string {
  return text
    .replace(new RegExp(`\\b(${MONTHS.join('|')}) (\\d{1,2}), (\\d{4})`, 'g'), (whole, ...parts: string[]) => {
      const [month = '', day = '', year = ''] = parts
      const [m, d] = [String(MONTHS.indexOf(month) + 1).padStart(2, '0'), day.padStart(2, '0')]
      return random.pick([
        whole,
        `${year}-${m}-${d}`,
        `${day} ${month} ${year}`,
        `${month.slice(0, 3)} ${day}, ${year}`,
        `${d}.${m}.${year}`,
        `${Number(m)}/${day}/${year}`,
      ])
    })
    .replace(/(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d.,]\d)/g, (whole) => {
      const value = Number(whole.replaceAll(',', ''))
      const forms = [
        whole,
        String(value),
        whole.replaceAll(',', '.'),
        whole.replaceAll(',', '\u202f'),
        whole.replaceAll(',', ' '),
      ]
      const rounded =
        value > 1e6
          ? [`${(value / 1e6).toFixed(1)} million`]
          : value > 20_000
            ? [`about ${Math.round(value / 1000)},000`]
            : []
      return random.pick([...forms, ...rounded])
    })
    .replace(/\b(\d{1,2}\.\d)(?: ?%| percent)/g, (whole, n: string) =>
      random.pick([whole, `${n} %`, `${Math.round(Number(n))} %`]),
    )
    .replace(new RegExp(`\\b(?:${COUNTS.slice(4).join('|')})\\b`, 'g'), (whole) =>
      random.pick([whole, String(COUNTS.indexOf(whole))]),
    )
}

interface Random {
  below(n: number): number
  pick<Item>(items: readonly Item[]): Item
}

function randomFrom(seed: number): Random {
  let state = seed
  const below = (n: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * n)
  }
  return { below, pick: (items) => items[below(items.length)]! }
}
