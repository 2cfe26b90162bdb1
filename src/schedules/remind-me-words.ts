/** Finds the time in `remind me tomorrow at 8 to …` and `remind me to … tomorrow at 8`. */

const REMIND =
  /^(?:please |pls |hey,? |hi,? )?(?:(?:can|could|would|will) you (?:please )?|please )?(?<verb>remind|ping|notify|alert) (?<whom>me|us)(?: again)?,? (?<rest>\S.*)$/is
/** Words that a time begins with. */
const BEGINS = /(?<=\s)(?:tomorrow|today|tonight|on|every|each|in|at|next|daily|weekdays|weekly)(?=\s|$)/gi
const TAIL_CHARS = 120
const MAX_TRIES = 8

/** `time`: what may be the time; `about`: the words for the question. `isLast`: the time ends the sentence. */
interface ReminderReading {
  time: string
  about(rest: string): string
  isLast: boolean
}

/** The ways in which a text may be a reminder, likeliest first; none for any other text. */
export function reminderReadings(text: string): ReminderReading[] {
  const { verb = '', whom = '', rest = '' } = REMIND.exec(text.trim().replaceAll(/\s+/g, ' '))?.groups ?? {}
  if (rest === '') return []
  const head = `${verb.toLowerCase()} ${whom.toLowerCase()}`
  const readings: ReminderReading[] = [
    { time: rest, about: (behind) => `${head} ${behind.replace(/\?+$/, '')}`, isLast: false },
  ]
  if (!/^(?:to|of|about|that|when) /i.test(rest)) return readings
  const body = rest.replace(/[\s.!?]+$/, '')
  const from = Math.max(0, body.length - TAIL_CHARS)
  for (const found of [...body.slice(from).matchAll(BEGINS)].slice(0, MAX_TRIES)) {
    const at = from + found.index
    const about = `${head} ${body.slice(0, at).trim()}`
    readings.push({ time: body.slice(at), about: () => about, isLast: true })
  }
  return readings
}
