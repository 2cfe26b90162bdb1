/** Guesses the encoding of a text that does not say it: by its statistics, and by how well each reading looks. */
import chardet from 'chardet'
import { ALPHABETS, wordLook, type Alphabet, type Language } from './alphabets.ts'
import { decodeAs, knownEncoding } from './decode-as.ts'
import { EAST_ASIAN, eastAsianLook } from './east-asian-look.ts'

/** How many bytes the readings are compared on, from the first that is not ASCII. */
const COMPARED = 8192
/** The number of bytes that are read before the first one beyond ASCII. */
const CONTEXT = 24
/** How much better another reading must look than the one that the statistics name. */
const MARGIN = 0.1
/** The look of UTF-16 without a mark or a zero, which is rare. */
const WIDE_LOOK = 0.45
/** Readings are in doubt if they look as well as this, in a text of no more bytes beyond ASCII. */
const DOUBT = 0.2
const DOUBTFUL_BYTES = 40
/** The longest part of a word that is shown in two readings. */
const MAX_WORD = 24
/** Enough bytes for statistics to be certain. */
const CERTAIN_BYTES = 400

const UTF16 = ['utf-16le', 'utf-16be']
const PUNCTUATION = /[‘’“”„‚–—…•·€£§µ±×÷¢¥‰†‡‹›¬°©®™«»½¼¾¿¡²³ºª\u00a0、。「」『』（），：；！？・ー～]/u

/** Another reading of a text that looks nearly as well. */
export interface OtherReading {
  encoding: string
  /** A word of the text as it is read, and as it would be in this encoding. */
  word: string
  instead: string
}

interface GuessedEncoding {
  encoding: string
  others: OtherReading[]
}

interface RankedEncoding {
  encoding: string
  /** The look of its reading, from -1 to 1, and a little more if the statistics name it. */
  score: number
}

/** Returns the likeliest encoding of bytes that are not all ASCII, and those that are nearly as likely. */
export function guessEncoding(sample: Uint8Array): GuessedEncoding {
  const first = sample.findIndex((byte) => byte >= 0x80)
  // The letters before it show whether it stands in a word.
  const from = Math.max(0, first - CONTEXT)
  const part = sample.subarray(from, from + COMPARED)
  const ranked = rankEncodings(sample, part)
  const [best] = ranked
  return { encoding: best!.encoding, others: highBytes(part) <= DOUBTFUL_BYTES ? otherReadings(part, ranked) : [] }
}

const highBytes = (part: Uint8Array) => part.reduce((sum, byte) => sum + (byte >= 0x80 ? 1 : 0), 0)

/** Returns the encodings that a text may have, the likeliest first. */
function rankEncodings(sample: Uint8Array, part: Uint8Array): RankedEncoding[] {
  const high = highBytes(part)
  const statistical = byStatistics(sample)
  const ranked = [
    ...ALPHABETS.map((one) => ({ encoding: one.encoding, score: bestLook(part, one) })),
    ...Object.entries(EAST_ASIAN).map(([encoding, one]) => ({
      encoding,
      score: eastAsianLook(part, decodeAs(part, encoding), one),
    })),
  ]
  const isLong = high >= CERTAIN_BYTES
  const wide = sample.length <= DOUBTFUL_BYTES ? utf16WithoutMark(sample) : undefined
  if (wide !== undefined) ranked.push({ encoding: wide, score: WIDE_LOOK })
  // Statistics are better than looks on long texts, and as good for encodings that are not compared here.
  const own = ranked.find(({ encoding }) => encoding === statistical)
  if (own === undefined) ranked.push({ encoding: statistical, score: isLong ? 2 : 0.7 })
  else if (isLong) own.score += 4 * MARGIN
  // Of the statistics' guesses these are seldom right on short texts.
  else if (high < 6 ? statistical === 'windows-1252' : !/^(?:iso-8859-2|windows-1257)$/.test(statistical))
    own.score += MARGIN
  return ranked.toSorted((one, other) => other.score - one.score)
}

/** Returns up to two other readings that look nearly as well as the best. */
function otherReadings(part: Uint8Array, [best, ...rest]: RankedEncoding[]): OtherReading[] {
  const others: OtherReading[] = []
  const tokens = (encoding: string) => decodeAs(part, encoding).split(/[\s,;|"]+/)
  const own = tokens(best!.encoding)
  for (const { encoding, score } of rest) {
    if (others.length === 2 || score < best!.score - DOUBT) break
    const its = tokens(encoding)
    const at = own.findIndex((token, i) => token !== its[i])
    const [word = '', instead = ''] = [own[at]?.slice(0, MAX_WORD), its[at]?.slice(0, MAX_WORD)]
    if (at >= 0 && !others.some((other) => other.instead === instead)) others.push({ encoding, word, instead })
  }
  return others
}

/** The scripts of a text, one of which all its letters beyond ASCII have. Latin text in UTF-16 has zeros. */
const SCRIPTS = [/[\p{sc=Han}ぁ-ヿ々]/u, /[가-힣]/, ...ALPHABETS.map(({ script }) => script)].filter(
  (script) => !script.test('é'),
)

/** Returns UTF-16 if both bytes of nearly all units make text of one script, which has few zeros. */
export function utf16WithoutMark(sample: Uint8Array): string | undefined {
  if (sample.length < 4 || sample.length % 2 !== 0) return undefined
  return UTF16.find((encoding) => {
    const all = [...decodeAs(sample.subarray(0, COMPARED), encoding)]
    const known = all.filter((one) => /[\t\n\r -~]/.test(one) || PUNCTUATION.test(one)).length
    return SCRIPTS.some((script) => {
      const letters = all.filter((one) => one > '\x7f' && script.test(one)).length
      return letters > all.length * 0.3 && letters + known > all.length * 0.97
    })
  })
}

/** Encodings whose letters stand at the same bytes as those of a compared one, which has more signs. */
const SAME = new Map([
  ['iso-8859-7', 'windows-1253'],
  ['iso-8859-8', 'windows-1255'],
  ['iso-8859-9', 'windows-1254'],
  ['gb2312', 'gb18030'],
  ['gbk', 'gb18030'],
])

/** The guess of ICU's statistics. */
function byStatistics(sample: Uint8Array): string {
  const guess = chardet
    .analyse(sample)
    .find(({ name }) => !/^(?:ASCII|UTF-8)$/.test(name) && knownEncoding(name) !== undefined)
  if (!guess || guess.confidence < 20 || guess.name.startsWith('ISO-8859-1')) return 'windows-1252'
  const name = guess.name.toLowerCase()
  return SAME.get(name) ?? name
}

/** Returns how well a reading looks, from -1 to 1: words of one language, in their usual case, and signs in place. */
function bestLook(part: Uint8Array, { encoding, languages, script, rarity }: Alphabet): number {
  const text = decodeAs(part, encoding)
  return Math.max(...languages.map((language) => look(text, language, script))) - rarity
}

/** A word, or a sign beyond ASCII. */
const PIECE = /(?:(?![ªµº])[\p{L}\p{M}])+|[^\0-\x7f]/gu

function look(text: string, language: Language, script: RegExp): number {
  let [sum, count] = [0, 0]
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    const size = piece.replace(/[\0-\x7f]/g, '').length
    if (size === 0) continue
    const isWord = /[\p{L}\p{M}]/u.test(piece) && !/[ªµº]/.test(piece)
    const score = isWord ? wordLook(piece, language, script) : signLook(piece, text, index)
    count += size
    sum += size * score
  }
  return count === 0 ? -1 : sum / count
}

/** The distance within which the other quotation mark is looked for, in characters. */
const QUOTED = 80
const QUOTE = /[“”‘’«»„‚‹›]/

/** Returns how well a sign stands between what is before and after it, from -1 to 1. */
function signLook(sign: string, text: string, at: number): number {
  if (sign === '\ufffd' || /\p{C}/u.test(sign)) return -1
  const before = text.slice(Math.max(0, at - QUOTED), at)
  const after = text.slice(at + sign.length, at + QUOTED)
  // Nº, Mª and the like.
  if (/[ªº]/.test(sign) && /(?<!\p{L})(?:n|s\/n|[mdf])\.?$/iu.test(before)) return 0.95
  const isAfter = /\p{L}$/u.test(before)
  const isBefore = /^\p{L}/u.test(after)
  if (/[£¥€¢₪№±×÷§]/.test(sign)) return isBesideDigit(before, after) ? 0.95 : isAfter || isBefore ? -0.3 : 0.4
  if (/[²³]/.test(sign) && isAfter) return isBefore ? -0.3 : 0.95
  if (sign === 'µ') return isAfter || !isBefore ? -0.3 : 0.95
  if (/[½¼¾]/.test(sign) && !isAfter && /^ \p{L}/u.test(after)) return 0.95
  if (/[°²³‰ªº½¼¾]/.test(sign)) return /\d\s?$/.test(before) ? 0.95 : isAfter ? -0.3 : 0.3
  if (sign === '’' && !isAfter && /^\d\d/.test(after)) return 0.95
  if (QUOTE.test(sign)) {
    if (isAfter && isBefore) return sign === '’' ? 1 : -0.5
    return !isAfter && !isBefore ? 0.1 : QUOTE.test(before) || QUOTE.test(after) ? 0.95 : 0.5
  }
  if (/[–—·]/.test(sign)) return isAfter && isBefore ? 0.75 : 0.85
  if (/[¡¿]/.test(sign)) return isBefore && !isAfter && /[!?]/.test(after) ? 1 : -0.3
  if (
    sign === '\u00a0' ||
    (sign === '…' && !isBefore) ||
    (/[©®™]/.test(sign) && !(isAfter && isBefore)) ||
    (sign === '•' && !isAfter)
  )
    return 0.85
  return -0.3
}

const isBesideDigit = (before: string, after: string) => /\d\s?$/.test(before) || /^\s?\d/.test(after)
