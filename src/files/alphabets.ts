/** The letters of languages, and what their words hardly have: one reading of bytes looks like words, others do not. */

export interface Language {
  /** The letters that it has beside a to z; of another alphabet, its frequent ones. */
  letters: ReadonlySet<string>
  /** Matches words in lower case that the language hardly has. */
  unlikely?: RegExp
  /** Subtracted from the look of its words, because it is written less than the others. */
  rarity?: number
}

export interface Alphabet {
  encoding: string
  script: RegExp
  languages: Language[]
  /** Subtracted from its look, because it is used less than the common encodings. */
  rarity: number
}

const language = (letters: string, unlikely?: RegExp, rarity = 0): Language => ({
  letters: new Set(letters + letters.toUpperCase()),
  ...(unlikely && { unlikely }),
  rarity,
})

const CONSONANT = '(?![aeiouy])[a-z]'
/** A consonant with an accent has a vowel beside it, or begins the word. */
const CROWDED = new RegExp(
  `${CONSONANT}[čćďňńřśšťžź](?:(?![aeiouyrvtkl])[a-z]|$)|${CONSONANT}[čćďňńśšťžź][klrtv]|^[^aeiouyáéíóúýěůąęőűöüāēīūėįųõä]{2,}$`,
)

const WESTERN = [
  language('äöüß', /[äöü][äöü]|^ß|ß[bcdgpqrvwx]/),
  language(
    'àâæçéèêëîïôœùûü',
    /(?<![aeiouéœ])[ëï]|è[aeiou]|ç(?![aeiouéèêâôœ])|ù.|[âîûôè]$|iê$|^è.|œ[^udnsrti]|[wâêîû]{2}|aá/,
  ),
  language('áéíñóúü', /ñ(?![aeiouáéíóú])|[wk]|aá|áa|[áéíóú].*[áéíóú]|ü(?![eiéí])/),
  language('àáâãçéêíóôõú', /õ(?!e)|ã(?![eo])(?=.)|ç(?![aouãáâéêíóôõú])|[wky]|aá|áa|í[áéóú]/),
  language('åäöæøé', /[åäöæø]{2}|ø[ai]|æ[aeiou]/),
  language('àèéìòóùç', /[ìùò].|^è.|è[aeiou]|[^aeiouhcdlmnprstfvbgzx]ò$|eò|[wky]|ç(?![aouàòó])/),
  language('áæéíðóöúýþ', /^ð|þ$|[cqwz]|aá|áa/, 0.25),
]
const CENTRAL = [
  language('ąćęłńóśźż', CROWDED),
  language('áčďéěíňóřšťúůýžäôľĺ', new RegExp(`${CROWDED.source}|aá|áa`)),
  language('áéíóöőúüű', /[öőüű].*[óú]|w|aá|áa/),
  language('ăâîşţ', /[âî]$/),
  language('čćđšž', CROWDED),
]
const TURKISH = [language('ğışçöüâîûİ', /^ğ|[qwx]|[âîû](?![a-z])/)]
const BALTIC = [
  language('āčēģīķļņšūž', new RegExp(`${CROWDED.source}|[ģķ](?![aeiouāēīū])`)),
  language('ąčęėįšųūž', CROWDED),
  language('äöüõšž', /[äöüõ][äöüõ](?<!ää|öö|üü|õõ)/),
]
const CYRILLIC = [
  language(
    'оеаинтсрвлкмдпуяыьгзбчйхіїєў',
    /^[ыьъ]|^[^аеёиоуыэюяіїєѣ]{2,}$|[ьъ][ьъыаоу]|[бвгджзклмнпрстфхцчшщ]й|ы[аыь]|[эщ][щэъ]/,
  ),
]
const RUSSIAN = [language('оеаинтсрвлкмдпуяыьгзбчйх', CYRILLIC[0]!.unlikely)]
const GREEK = [
  language(
    'αοιετσνηυρπκμλςωάέίόήγδύώ',
    // A word has an accent, but for some short ones and those in capitals.
    /ς.|.σ$|^[βγδζθκλμνξπρσςτφχψ]+$|[άέήίόύώ].*[άέήίόύώ]|^[α-ωϊϋ]{4,}$|ΐ|[ΆΈΉΊΌΎΏ]\p{Lu}|^(?!(?:και|ναι|τ[οα]|οι|με|σε|να|θα|για|των|του|της|την|τον|στη|στο|στα|δεν|μας|σας|τις|μου|σου)$)[α-ω]{2,3}$/u,
  ),
]
const HEBREW = [language('יוהלארתבמשנדכםחקסעפן', /[ךםןףץ].|.[מנצ]$/)]
const ARABIC = [language('اليمنورتبهدعسفكقأحةجشطخ', /[ةى].|^[ئءؤةى]/)]
const THAI = [language('านรอกเงมยวลดทสตะปบคหแจพชขใไโถัิีืุู่้ำ์็', /(?<![ก-ฮัิีึืุู])[ัิ-ฺ็-๎]|[เ-ไ](?![ก-ฮ])|^[ก-ฮ]{4,}$|[๐-๙ฯๆ]|[ะาำ]{2}/)]

const LATIN = /\p{sc=Latin}/u

export const ALPHABETS: Alphabet[] = [
  { encoding: 'windows-1252', script: LATIN, languages: WESTERN, rarity: 0 },
  { encoding: 'windows-1250', script: LATIN, languages: CENTRAL, rarity: 0.08 },
  { encoding: 'windows-1251', script: /\p{sc=Cyrillic}/u, languages: CYRILLIC, rarity: 0.05 },
  { encoding: 'koi8-r', script: /[А-яЁё]/u, languages: RUSSIAN, rarity: 0.2 },
  { encoding: 'windows-1253', script: /\p{sc=Greek}/u, languages: GREEK, rarity: 0.08 },
  { encoding: 'windows-1254', script: LATIN, languages: TURKISH, rarity: 0.05 },
  { encoding: 'windows-1255', script: /[א-ת]/, languages: HEBREW, rarity: 0.08 },
  { encoding: 'macintosh', script: LATIN, languages: WESTERN, rarity: 0.12 },
  { encoding: 'cp850', script: LATIN, languages: WESTERN, rarity: 0.2 },
  { encoding: 'iso-8859-2', script: LATIN, languages: CENTRAL, rarity: 0.15 },
  { encoding: 'windows-1257', script: LATIN, languages: BALTIC, rarity: 0.09 },
  { encoding: 'ibm866', script: /[А-яЁё]/u, languages: RUSSIAN, rarity: 0.2 },
  { encoding: 'windows-1256', script: /\p{sc=Arabic}/u, languages: ARABIC, rarity: 0.05 },
  { encoding: 'windows-874', script: /\p{sc=Thai}/u, languages: THAI, rarity: 0.2 },
]

/** Letters of Cyrillic that few languages have. */
const SELDOM = /[ЂЃЉЊЌЋЏђѓљњќћџЅѕЈј]/
/** Lower case, capitals, or one capital before lower case. */
const USUAL_CASE = /^(?:\P{Lu}*|\P{Ll}+|\p{Lu}\P{Lu}+)$/u
/** Letters that are words, or stand for something. */
const ALONE = /^[àéèöåøæóáú]$/i

/** Returns how much a word with letters beyond ASCII looks like one of the language, from -1 to 1. */
export function wordLook(word: string, { letters, unlikely, rarity = 0 }: Language, script: RegExp): number {
  const beyond = word.replace(/[\0-\x7f]/g, '')
  // ß stands between capitals too.
  if (!USUAL_CASE.test(word.replaceAll('ß', ''))) return -0.6
  const isLatin = script === LATIN
  if (!isLatin && /[a-z]/i.test(word)) return -0.7
  const length = [...word].length
  if (length === 1) return !script.test(word) ? -0.5 : !isLatin ? 0.2 : ALONE.test(word) ? 0.8 : 0.15
  let sum = 0
  for (const one of beyond)
    sum += letters.has(one)
      ? 1
      : !script.test(one) && !/\p{M}/u.test(one)
        ? -0.5
        : SELDOM.test(one)
          ? 0.1
          : isLatin
            ? 0.3
            : 0.5
  const score = sum / [...beyond].length
  // Capitals of Greek have no accents.
  const isGreekCapitals = script.test('Σ') && word === word.toUpperCase()
  const asWritten = isGreekCapitals ? word : word.replaceAll('İ', 'i').toLowerCase()
  const isShort = word.length <= 4 && word === word.toUpperCase()
  const isUnlikely = /^\p{M}/u.test(word) || (!isShort && unlikely?.test(asWritten) === true)
  // Hardly any Latin word has only letters with accents.
  const look = score * (isLatin ? (/[a-z]/i.test(word) ? 1 : 0.5) : 0.95) - (isUnlikely ? 0.4 : 0)
  return look - rarity
}
