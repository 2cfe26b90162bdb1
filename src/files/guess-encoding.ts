/** Guesses the encoding of a text that does not say it: by its statistics, and by how well each reading looks. */
import chardet from 'chardet'
import { decodeAs, knownEncoding } from './decode-as.ts'
import { EAST_ASIAN, eastAsianLook } from './east-asian-look.ts'

/** How many bytes the readings are compared on, from the first that is not ASCII. */
const COMPARED = 8192
/** The number of bytes that are read before the first one beyond ASCII. */
const CONTEXT = 8
/** How much better another reading must look than the one that the statistics name. */
const MARGIN = 0.1
/** Enough bytes for statistics to be certain. */
const CERTAIN_BYTES = 400

/** The letters of languages beside a to z: a text has those of one language, hardly of several. */
const WESTERN = ['äöüß', 'àâæçéèêëîïôœùûü', 'áéíñóúü', 'àáâãçéêíóôõú', 'åäöæøé', 'àèéìíòóùî', 'áæéíðóöúýþ']
const CENTRAL = ['ąćęłńóśźż', 'áčďéěíňóřšťúůýžäôľĺ', 'áéíóöőúüű', 'ăâîşţ', 'čćđšž']
const TURKISH = ['ğışçöüâîûİ']
const BALTIC = ['āčēģīķļņšūž', 'ąčęėįšųūž', 'äöüõšž']

interface ComparedEncoding {
  encoding: string
  /** What is common in the reading, by language: these characters count more than others of their script. */
  common: ReadonlySet<string>[]
  script: RegExp
}

const setsOf = (languages: string[]) => languages.map((all) => new Set(all + all.toUpperCase()))

const READINGS: ComparedEncoding[] = [
  { encoding: 'windows-1252', common: setsOf(WESTERN), script: /\p{sc=Latin}/u },
  { encoding: 'windows-1250', common: setsOf(CENTRAL), script: /\p{sc=Latin}/u },
  { encoding: 'windows-1251', common: [], script: /\p{sc=Cyrillic}/u },
  { encoding: 'koi8-r', common: [], script: /[А-яЁё]/u },
  { encoding: 'windows-1253', common: [], script: /\p{sc=Greek}/u },
  { encoding: 'windows-1254', common: setsOf(TURKISH), script: /\p{sc=Latin}/u },
  { encoding: 'windows-1255', common: [], script: /[א-ת]/ },
  { encoding: 'macintosh', common: setsOf(WESTERN), script: /\p{sc=Latin}/u },
  { encoding: 'cp850', common: setsOf(WESTERN), script: /\p{sc=Latin}/u },
  { encoding: 'iso-8859-2', common: setsOf(CENTRAL), script: /\p{sc=Latin}/u },
  { encoding: 'windows-1257', common: setsOf(BALTIC), script: /\p{sc=Latin}/u },
  { encoding: 'ibm866', common: [], script: /[А-яЁё]/u },
  { encoding: 'windows-1256', common: [], script: /\p{sc=Arabic}/u },
  { encoding: 'windows-874', common: [], script: /\p{sc=Thai}/u },
]
const UTF16 = ['utf-16le', 'utf-16be']
const EAST_ASIAN_LETTER = /[\p{sc=Han}ぁ-ヿ々가-힣]/u
const PUNCTUATION = /[‘’“”„‚–—…•·€£§µ±×÷¢¥‰†‡‹›¬°©®™«»½¼¾¿¡²³ºª\u00a0、。「」『』（），：；！？・ー～]/u

export function guessEncoding(sample: Uint8Array): string {
  const first = sample.findIndex((byte) => byte >= 0x80)
  // The letters before it show whether it stands in a word.
  const from = Math.max(0, first - CONTEXT)
  const part = sample.subarray(from, from + COMPARED)
  const statistical = byStatistics(sample)
  const scores = [
    ...READINGS.map((reading) => ({ encoding: reading.encoding, score: bestLook(part, reading) })),
    ...Object.entries(EAST_ASIAN).map(([encoding, one]) => ({
      encoding,
      score: eastAsianLook(part, decodeAs(part, encoding), one),
    })),
  ]
  const best = scores.reduce((one, other) => (other.score > one.score ? other : one))
  const high = part.reduce((sum, byte) => sum + (byte >= 0x80 ? 1 : 0), 0)
  // Statistics are better than looks on long texts, and as good for encodings that are not compared here.
  const own = scores.find(({ encoding }) => encoding === statistical)?.score
  // Of the statistics' guesses these are seldom right on short texts.
  const isDoubted = high < CERTAIN_BYTES && /^(?:iso-8859-2|windows-1257)$/.test(statistical)
  if (own === undefined) return high >= CERTAIN_BYTES || best.score < 0.7 ? statistical : best.encoding
  if (isDoubted) return best.encoding
  const margin = high >= CERTAIN_BYTES ? 4 * MARGIN : MARGIN
  return best.score > own + margin ? best.encoding : statistical
}

/** The scripts of a text, one of which all its letters beyond ASCII have. Latin text in UTF-16 has zeros. */
const SCRIPTS = [EAST_ASIAN_LETTER, ...READINGS.map(({ script }) => script)].filter((script) => !script.test('é'))

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
  const guess = chardet.analyse(sample).find(({ name }) => name !== 'ASCII' && knownEncoding(name) !== undefined)
  if (!guess || guess.confidence < 20 || guess.name.startsWith('ISO-8859-1')) return 'windows-1252'
  const name = guess.name.toLowerCase()
  return SAME.get(name) ?? name
}

/** Returns how well a reading looks, from -1 to 1: letters of one script, in words, and in their usual case. */
function bestLook(part: Uint8Array, { encoding, common, script }: ComparedEncoding): number {
  const text = decodeAs(part, encoding)
  const languages = common.length > 0 ? common : [new Set<string>()]
  return Math.max(...languages.map((language) => look(text, language, script))) + bonus(text, encoding)
}

function look(text: string, common: ReadonlySet<string>, script: RegExp): number {
  let [sum, count] = [0, 0]
  let before = ''
  for (let at = 0; at < text.length;) {
    const one = String.fromCodePoint(text.codePointAt(at) ?? 0)
    at += one.length
    if (one > '\x7f') {
      count += 1
      sum += scoreOf(one, before, text[at] ?? '', common, script)
    }
    before = one
  }
  return count === 0 ? -1 : sum / count
}

/** Letters of Cyrillic that few languages have. */
const RARE = /[ЂЃЉЊЌЋЏђѓљњќћџЅѕЈј]/

function scoreOf(one: string, before: string, after: string, common: ReadonlySet<string>, script: RegExp): number {
  if (one === '\ufffd' || /\p{C}/u.test(one)) return -1
  const [isLetterBefore, isLetterAfter] = [/\p{L}/u.test(before), /\p{L}/u.test(after)]
  if (/[£¥€¢¼½¾]/.test(one) && (/[£¥€¢]/.test(one) ? isLetterAfter || isLetterBefore : isLetterBefore)) return -0.3
  if (/[«»º]/.test(one) && isLetterBefore !== isLetterAfter) return 1
  if (PUNCTUATION.test(one)) return isLetterBefore && isLetterAfter && !/[’–·、。，・ー]/.test(one) ? -0.5 : 0.8
  if (!script.test(one)) return -0.5
  if (RARE.test(one)) return 0.1
  if (/\p{Ll}/u.test(before) && /\p{Lu}/u.test(one)) return -0.6
  const isBesideLatin = /\p{sc=Latin}/u.test(before) || /\p{sc=Latin}/u.test(after)
  // Hardly any word has only letters with accents.
  const isBesidePlain = /[a-z]/i.test(before) || /[a-z]/i.test(after)
  if (common.size > 0) return !isBesideLatin ? alone(one) : !common.has(one) ? 0.3 : isBesidePlain ? 1 : 0.6
  // Other alphabets: the letters stand beside their own kind.
  if (isBesideLatin) return -0.7
  if (/\p{Lu}/u.test(before) && /\p{Ll}/u.test(one) === false && /\p{Ll}/u.test(after)) return -0.2
  return isLetterBefore || isLetterAfter ? 0.9 : 0.2
}

/** The score of a letter that is a word of its own. */
const alone = (one: string) => (/[àéèöåøæóáú]/i.test(one) ? 0.8 : 0.1)

const TURKISH_LETTERS = setsOf(TURKISH)[0]!
/** Words of these scripts have vowels. */
const VOWELS: [RegExp, RegExp][] = [
  [/\p{sc=Cyrillic}/u, /[аеёиоуыэюяіїє]/i],
  [/\p{sc=Greek}/u, /[αεηιουωάέήίόύώϊϋ]/i],
]

/** Hebrew has no case, and five letters only at the ends of words. Greek and Russian in the same bytes have neither. */
function bonus(text: string, encoding: string): number {
  if (encoding === 'windows-1255') {
    if (/[ךםןףץ][א-ת]/.test(text)) return -0.5
    return /[ךםןףץ]/.test(text) ? 0.3 : /[א-ת]{4}/.test(text) ? 0.15 : 0
  }
  if (encoding === 'windows-874') return -0.15
  if (encoding === 'windows-1254') {
    const beyond = text.replace(/[\0-\x7f]/g, '')
    return /[ğşıİŞĞ]/.test(beyond) && [...beyond].every((one) => TURKISH_LETTERS.has(one)) ? 0.2 : 0
  }
  const [, vowels] = VOWELS.find(([script]) => script.test(text)) ?? []
  if (vowels && !vowels.test(text)) return -0.3
  if (encoding === 'windows-1253') return /[άέήίόύώΆΈΉΊΌΎΏ]/.test(text) ? 0.05 : -0.2
  return 0
}
