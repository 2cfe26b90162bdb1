/** Finds moments that do not depend on a place: times with a zone or an offset, and seconds since the epoch. */
import { clockOf, momentsOf } from '../../schedules/when.ts'
import { zoneNamed } from '../../schedules/zone-names.ts'

const DAY = 86_400_000
const MAX_INSTANTS = 200
const ISO =
  /(?:(?<![\d.-])(\d{4}-\d\d-\d\d)[T ,]{1,20}(?:at )?)?(?<![\d:.])(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?(?![\d:])/g
/** From 2000 to 2100, in seconds, milliseconds or finer. */
const EPOCH =
  /(?<![\p{LC}\p{N}_.,-])(?:9[5-9]\d{8}|[1-3]\d{9}|40\d{8})(?:\d{3}|\d{6}|\d{9})?(?:\.\d{1,6})?(?![\p{LC}\p{N}_.,-]\d|[\p{L}\p{N}_])/gu

/** The end of a range, behind which its zone stands. */
const TO_TIME = /^(?:\s-\s|\s?–\s?|\s(?:to|until)\s)\d{1,2}:\d\d(?:\s?[ap]\.?m\.?)?/i
const OFFSET = /^ ?(?:\()?(?:utc|gmt)? ?([+\u2212-])(\d{1,2})(?::?(\d\d))?(?![\d:])/i
const ZONE =
  /^(?:Z(?!\w)|,? ?\(?(?:(?:in|at|à|en|a|em|w|v|på|ad) )?(?:the )?((?:[A-Z][\p{L}_]+(?:\/[A-Z][\p{L}_]+){1,2})|[A-Z][\p{L}_]+(?:[ -](?:de |[A-Z])[\p{L}]+){0,2}|[A-Z]{2,4})(?![\p{L}_]))/u

/** The countries of one zone, which a schedule's words may mean otherwise. */
const COUNTRIES = new Map(
  Object.entries({
    ...{ germany: 'Europe/Berlin', german: 'Europe/Berlin', france: 'Europe/Paris', french: 'Europe/Paris' },
    ...{ uk: 'Europe/London', british: 'Europe/London', italy: 'Europe/Rome', italian: 'Europe/Rome' },
    ...{ spain: 'Europe/Madrid', spanish: 'Europe/Madrid', swiss: 'Europe/Zurich', switzerland: 'Europe/Zurich' },
    ...{ japan: 'Asia/Tokyo', japanese: 'Asia/Tokyo', india: 'Asia/Kolkata', indian: 'Asia/Kolkata' },
    ...{ china: 'Asia/Shanghai', chinese: 'Asia/Shanghai', korea: 'Asia/Seoul', korean: 'Asia/Seoul' },
  }),
)

function zoneOf(name: string): string | undefined {
  return zoneNamed(name) ?? COUNTRIES.get(name.toLowerCase())
}

/** A way to tell the clock: an IANA zone, or minutes ahead of UTC. */
export type Zone = string | number

/** The zone right behind a time: `Z`, `+01:00`, `CET`, ` in Berlin`, ` (Europe/Berlin)`, ` New York time`. */
export function zoneAfter(behind: string): Zone | undefined {
  const text = behind.replace(TO_TIME, '').replace(WORDS_BETWEEN, '')
  const offset = OFFSET.exec(text)
  if (offset) {
    const [, sign, hours, minutes = '0'] = offset
    const ahead = Number(hours) * 60 + Number(minutes)
    return Number(hours) > 14 ? undefined : sign === '+' ? ahead : -ahead
  }
  const found = ZONE.exec(text)
  if (!found) return undefined
  const words = (found[1] ?? 'UTC').split(' ')
  for (let count = words.length; count > 0; count -= 1) {
    const zone = zoneOf(words.slice(0, count).join(' '))
    if (zone !== undefined) return zone
  }
  return undefined
}

/** `1 AM the next day in Tokyo`, `2:30 am on Friday in Tokyo` */
const WORDS_BETWEEN =
  /^(?: tonight| tomorrow| on \p{Lu}\p{Ll}+day| (?:the )?(?:next|same|following|previous) \p{Ll}+)+(?= in )/u

/** A name before a time, in its sentence: `In Tokyo it starts at 0:30`, `東京では0時30分`. */
const NAMES = /\p{Lu}[\p{L}_]+|[\p{Lo}ー]{2,12}/gu

/** The last zone that is named in the sentence before a time, in one word or two. */
export function zoneBefore(text: string): Zone | undefined {
  const sentence = text.split(/[.!?;。！？\n]/).at(-1) ?? ''
  const names = [...sentence.matchAll(NAMES)].toReversed()
  for (const { 0: name, index } of names) {
    // `in Singapore (UTC+8) at 14:51`
    if (OFFSET.test(sentence.slice(index)) && /^(?:UTC|GMT)/.test(name)) return zoneAfter(sentence.slice(index))
    const two = /^\p{L}+ \p{Lu}\p{L}+/u.exec(sentence.slice(index, index + 40))?.[0]
    const starts = /^\p{Lo}/u.test(name) ? Array.from(name, (_, i) => name.slice(0, name.length - i)) : [name]
    for (const one of two === undefined ? starts : [two, ...starts]) {
      const zone = one.length > 1 ? zoneOf(one) : undefined
      if (zone !== undefined) return zone
    }
  }
  return undefined
}

/**
 * ms since the epoch. A time without a date is taken as one of `today`. `dated` are the times with a date, those
 * without a zone as of UTC: they count for differences only. Linear in the text's length.
 */
export function instantsIn(text: string, today: string): { instants: number[]; dated: number[] } {
  const found: number[] = []
  const dated: number[] = []
  for (const [digits] of text.matchAll(EPOCH)) {
    const [whole = ''] = digits.split('.')
    if (found.push(Number(whole) / 10 ** (whole.length - 13)) >= MAX_INSTANTS) break
  }
  for (const { 0: whole, 1: date, 2: h, 3: min, 4: s = '0', index } of text.matchAll(ISO)) {
    if (found.length >= MAX_INSTANTS) break
    const at = index + whole.length
    const half = /^\s?([ap])\.?m\.?\b/i.exec(text.slice(at, at + 6))
    const after = text.slice(at + (half?.[0].length ?? 0), at + 72)
    const zone = zoneAfter(after)
    if ((zone === undefined && date === undefined) || Number(h) > 23) continue
    const hour = half ? (Number(h) % 12) + (/p/i.test(half[1]!) ? 12 : 0) : Number(h)
    const shown = Date.parse(`${date ?? today}T00:00:00Z`) + (hour * 3600 + Number(min) * 60) * 1000
    if (Number.isNaN(shown)) continue
    if (zone === undefined) {
      if (dated.length < MAX_INSTANTS) dated.push(shown + Number(s) * 1000)
      continue
    }
    const minute = typeof zone === 'number' ? shown - zone * 60_000 : momentsOf(shown, clockOf(zone))[0]!
    found.push(minute + Number(s) * 1000)
  }
  return { instants: found, dated: [...found, ...dated] }
}

/** Returns the date and the time of a zone's clock: days since the epoch, and seconds after midnight. */
export function clockAt(instant: number, zone: Zone): { day: number; second: number } {
  const shown = typeof zone === 'number' ? instant + zone * 60_000 : clockOf(zone)(instant)
  const day = Math.floor(shown / DAY)
  const seconds = Math.floor(instant / 1000) % 60
  return { day, second: Math.floor((shown - day * DAY) / 60_000) * 60 + seconds }
}
