/** Guesses the encoding of a text that does not say it: by its statistics, and by how well each reading looks. */
import chardet from 'chardet'
import { decodeAs, knownEncoding } from './decode-as.ts'

/** How many bytes the readings are compared on, from the first that is not ASCII. */
const COMPARED = 8192
/** How much better another reading must look than the one that the statistics name. */
const MARGIN = 0.1
/** Enough bytes for statistics to be certain. */
const CERTAIN_BYTES = 400

/** The letters of languages beside a to z: a text has those of one language, hardly of several. */
const WESTERN = ['äöüß', 'àâæçéèêëîïôœùûü', 'áéíñóúü', 'àáâãçéêíóôõú', 'åäöæøé', 'àèéìíòóùî', 'áæéíðóöúýþ']
const CENTRAL = ['ąćęłńóśźż', 'áčďéěíňóřšťúůýžäôľĺ', 'áéíóöőúüű', 'ăâîşţ', 'čćđšž']
const TURKISH = ['ğışçöüâîûİ']
/** Letters and syllables that are common in names, places and tables. Other readings of the same bytes hit few. */
const JAPANESE =
  '田中山本川村小林加藤佐伊木高橋東京大阪名古屋日人年月円会社株式員県市区町番号電話住所数量金額合計売上部長課者分前後間学生先時今私言見行来出入新品商店北南西海道府都井上下一二三四五六七八九十百千万内外国語'
const SIMPLIFIED =
  '的一是不了人我在有他这中大来上国张王李刘陈杨赵黄周吴徐孙马朱胡郭何高林北京海广州深圳天津重庆成都南杭武汉市省区县公司有限姓名地址电话金额数量合计日期年月元单价号产品员工部门经理三四五六七八九十百千万小明华文志建国军平发票客户订'
const TRADITIONAL =
  '的一是不了人我在有他這中大來上國張王李劉陳楊趙黃周吳徐孫馬朱胡郭何高林台北臺灣雄新竹市縣區公司有限姓名地址電話金額數量合計日期年月元單價號產品員工部門經理三四五六七八九十百千萬小明華文志建軍平發票客戶訂美玲香港'

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
  { encoding: 'shift_jis', common: setsOf([JAPANESE]), script: /[\p{sc=Han}ぁ-ヿ々]/u },
  { encoding: 'euc-jp', common: setsOf([JAPANESE]), script: /[\p{sc=Han}ぁ-ヿ々]/u },
  { encoding: 'gb18030', common: setsOf([SIMPLIFIED]), script: /\p{sc=Han}/u },
  { encoding: 'big5', common: setsOf([TRADITIONAL]), script: /\p{sc=Han}/u },
  { encoding: 'euc-kr', common: [], script: /[가-힣]/u },
]
const UTF16 = ['utf-16le', 'utf-16be']
const EAST_ASIAN = /[\p{sc=Han}ぁ-ヿ々가-힣]/u
const PUNCTUATION = /[‘’“”„‚–—…•·€£§°©®™«»½¼¾¿¡²³ºª\u00a0、。「」『』（），：；！？・ー～]/u

export function guessEncoding(sample: Uint8Array): string {
  const first = sample.findIndex((byte) => byte >= 0x80)
  const part = sample.subarray(Math.max(0, first), Math.max(0, first) + COMPARED)
  const statistical = byStatistics(sample)
  const scores = READINGS.map((reading) => ({ encoding: reading.encoding, score: bestLook(part, reading) }))
  const best = scores.reduce((one, other) => (other.score > one.score ? other : one))
  const high = part.reduce((sum, byte) => sum + (byte >= 0x80 ? 1 : 0), 0)
  // Statistics are better than looks on long texts, and as good for encodings that are not compared here.
  const own = scores.find(({ encoding }) => encoding === statistical)?.score
  if (own === undefined) return high >= CERTAIN_BYTES || best.score < 0.7 ? statistical : best.encoding
  const margin = high >= CERTAIN_BYTES ? 4 * MARGIN : MARGIN
  return best.score > own + margin ? best.encoding : statistical
}

/** Returns UTF-16 if both bytes of nearly all units make East Asian text, which has few zeros. */
export function eastAsianUtf16(sample: Uint8Array): string | undefined {
  if (sample.length < 4 || sample.length % 2 !== 0) return undefined
  return UTF16.find((encoding) => {
    const text = decodeAs(sample.subarray(0, COMPARED), encoding)
    const all = [...text]
    const asian = all.filter((one) => EAST_ASIAN.test(one)).length
    const known = all.filter((one) => /[\t\n\r -~]/.test(one) || PUNCTUATION.test(one)).length
    return asian > all.length * 0.3 && asian + known > all.length * 0.97
  })
}

/** The guess of ICU's statistics. */
function byStatistics(sample: Uint8Array): string {
  const guess = chardet.analyse(sample).find(({ name }) => name !== 'ASCII' && knownEncoding(name) !== undefined)
  if (!guess || guess.confidence < 20 || guess.name.startsWith('ISO-8859-1')) return 'windows-1252'
  return guess.name.toLowerCase()
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
      sum += scoreOf(one, { before, after: text[at] ?? '', common, script })
    }
    before = one
  }
  return count === 0 ? -1 : sum / count
}

interface Around {
  before: string
  after: string
  common: ReadonlySet<string>
  script: RegExp
}

function scoreOf(one: string, { before, after, common, script }: Around): number {
  if (one === '\ufffd' || /\p{C}/u.test(one)) return -1
  const [isLetterBefore, isLetterAfter] = [/\p{L}/u.test(before), /\p{L}/u.test(after)]
  if (PUNCTUATION.test(one)) return isLetterBefore && isLetterAfter && !/[’–·、。，・ー]/.test(one) ? -0.5 : 0.8
  if (!script.test(one)) return -0.5
  if (EAST_ASIAN.test(one)) return common.has(one) || /[ぁ-ヿ가-힣]/.test(one) ? 1 : 0.6
  if (/\p{Ll}/u.test(before) && /\p{Lu}/u.test(one)) return -0.6
  const isBesideLatin = /[a-z]/i.test(before) || /[a-z]/i.test(after)
  if (common.size > 0) return !isBesideLatin ? 0.1 : common.has(one) ? 1 : 0.3
  // Other alphabets: the letters stand beside their own kind.
  if (isBesideLatin) return -0.7
  if (/\p{Lu}/u.test(before) && /\p{Ll}/u.test(one) === false && /\p{Ll}/u.test(after)) return -0.2
  return isLetterBefore || isLetterAfter ? 0.9 : 0.2
}

/** Hebrew has no case, and five letters only at the ends of words. Greek and Russian in the same bytes have neither. */
function bonus(text: string, encoding: string): number {
  if (encoding === 'windows-1255') {
    if (/[ךםןףץ][א-ת]/.test(text)) return -0.5
    return /[ךםןףץ]/.test(text) ? 0.3 : /[א-ת]{4}/.test(text) ? 0.15 : 0
  }
  if (encoding === 'windows-1253') return /[άέήίόύώΆΈΉΊΌΎΏ]/.test(text) ? 0.05 : -0.2
  return 0
}
