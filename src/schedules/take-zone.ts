/** Takes the time zone behind a time. */
import { timeZone } from './when.ts'
import { zoneNamed } from './zone-names.ts'

type ParsedZone = { zone: string; rest: string } | { problem: string; isSure: boolean; rest: string }

/** Texts that people use for a zone but that do not name exactly one: an offset, an abbreviation, an IANA region. */
const OFFSET = /^ ?\(?((?:utc|gmt) ?[+-]\d{1,2}(?::?\d\d)?|[+-]\d\d:?\d\d)\)?(?![\w/])(.*)$/is
const ABBREVIATION =
  /^ ?\(?((?:A[CEK]?|[CEMPH]|NZ)[SD]T|CEST|EEST|BST|[CEW]ET|HKT|IST|JST|KST|MSK|SAST|SGT)\)?(?![\w/])(.*)$/s
const REGION =
  /^(?:africa|america|antarctica|arctic|asia|atlantic|australia|brazil|canada|chile|etc|europe|indian|mexico|pacific|us)\//i

/** `Berlin time`, `New York time`, `Eastern time`. */
const SPOKEN =
  /^ ?(?:in |at )?\(?(?:the )?([A-Z][\p{L}_]+(?:[ -][A-Z][\p{L}_]+){0,2}) (?:standard |daylight )?time\b\)?(.*)$/su
/** Short forms that are words too, so they are asked back rather than read. */
const SHORT =
  /^ ?\(?([ECMP]T|(?:US )?(?:Eastern|Pacific|Mountain|Central))\)?(?=[\s,:;?]*(?:$|[,:;]| \p{Ll}| [A-Z]\p{Ll}+ | \d{1,2}(?::\d\d| ?[ap]m)))(?![\w/-])(.*)$/su

const OWN = /^ ?\(?(?:in )?(?:(?:my|our) (?:own )?|local )time(?: ?zone)?\b\)?(.*)$/is
/** `(Berlin)` is a zone; `in Berlin what …` may be a part of the question. */
const CITY = /^ ?(?:(\()|in )?([A-Z][\p{L}_]+(?:[ -][A-Z][\p{L}_]+){0,2})(\))?(?=\s*(?:$|[,:;]|[a-z]))[\s]*(.*)$/su

/** A zone's name right after the time, else `zone`. */
export function takeZone(text: string, { zone, explicit }: { zone: string; explicit: boolean }): ParsedZone {
  const own = OWN.exec(text)?.[1]
  if (own !== undefined) return { zone, rest: own }
  const [, spoken = '', after = ''] = SPOKEN.exec(text) ?? []
  const known = zoneNamed(spoken)
  if (spoken !== '' && known !== undefined) return { zone: known, rest: after }
  if (spoken !== '') return { problem: notAZone(`${spoken} time`), isSure: true, rest: after }
  const [, unknownZone, behind = ''] = OFFSET.exec(text) ?? ABBREVIATION.exec(text) ?? SHORT.exec(text) ?? []
  if (unknownZone !== undefined) return { problem: notAZone(unknownZone), isSure: true, rest: behind }
  const [, isOpen, city = '', isClosed, question = ''] = CITY.exec(text) ?? []
  const ofCity = /[a-z]/.test(city) ? zoneNamed(city) : undefined
  if (ofCity !== undefined && isOpen && isClosed) return { zone: ofCity, rest: ` ${question}` }
  if (ofCity !== undefined && ofCity !== zone && !isOpen && !/\//.test(city))
    return {
      problem: `I can’t tell if ${city} is the time zone. Write “${city} time”, or move “${city}” to the end of your question.`,
      isSure: true,
      rest: text,
    }
  const found = /^ ?(?:in )?\(?(utc|gmt|[a-z_]+(?:\/[a-z_+-]+){1,2}[+-]?\d{0,2})\)?(?![\w/])(.*)$/is.exec(text)
  if (!found) return { zone, rest: text }
  const [, name = '', rest = ''] = found
  const named = timeZone(name)
  if (named !== undefined) return { zone: named, rest }
  const isSure = REGION.test(name)
  return isSure || (explicit && /^[A-Z][a-z]\w*\/[A-Z]/.test(name))
    ? { problem: notAZone(name), isSure, rest }
    : { zone, rest: text }
}

function notAZone(name: string): string {
  return `${name} is not a time zone that I know. Write one such as Europe/Berlin or UTC.`
}
