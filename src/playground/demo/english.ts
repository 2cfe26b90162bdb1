/** Reading English a little: sentences, names, what is said for politeness, several questions in one. */
import { knownName, namesIn } from './known-names.ts'

const CAPITALISED = "(?:\\p{Lu}\\.(?:\\p{Lu}\\.)*|(?:Jr|Sr|Dr|St|Inc)\\.|\\p{Lu}[\\p{L}'’&-]*)"
/** A proper name: words with capitals, initials, and the small words that stand inside names. */
export const NAME = `${CAPITALISED}(?:\\s(?:(?:de|van|von|du|la|&)\\s)?${CAPITALISED})*(?:\\s\\([\\p{L} ]+\\))?`

/** The sentences of a text; an initial or an abbreviation ends none. */
export function sentencesOf(text: string): string[] {
  const out: string[] = []
  for (const piece of text.split(/(?<=[.!?]["”’)]?)\s+/)) {
    const isAbbreviated = /(?:^|[\s(])(?:\p{Lu}|[JS]r|[DM]r|Mrs|St|No|vs|approx|U\.[SK])\.$/u.test(
      out.at(-1)?.slice(-9) ?? '',
    )
    if (out.length > 0 && (isAbbreviated || !/^["“(]?[\p{Lu}\d]/u.test(piece))) out.push(`${out.pop()} ${piece}`)
    else out.push(piece)
  }
  return out.filter(Boolean)
}

/** A name without the full stop of the sentence that it ended. */
export function trimName(name: string): string {
  return /(?:\b\p{Lu}|Jr|Sr|Inc)\.$/u.test(name) ? name : name.replace(/[.'’]+$/, '')
}

const SMALL = `a about an and are as at be been by can could current did do does ever exactly expect fact few for from get give had has have
 he her him his how i in is it its made many me much my no of on one or our please say she should so solve solved solving some tell than that
 the their them there these they thing this time to us was we were what when where who whom whose why will which with would year you your`
const small = new Set(SMALL.split(/\s+/))
const SYNONYMS: Record<string, string> = {
  faster: 'fastest',
  quickest: 'fastest',
  high: 'height tall',
  tall: 'height high',
  buy: 'bought',
}

/** Lower-case words, without a possessive s. */
export function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+(?:['’.-][\p{L}\p{N}]+)*/gu) ?? []
  return words.map((word) => word.replace(/['’]s$/, ''))
}

/** The words of a question that say what it is about, the longest first, without those of its subject. */
export function contentWords(question: string, subject: string): string[] {
  const taken = new Set(wordsOf(subject).concat(...small))
  const words = wordsOf(question).filter((word) => !taken.has(word))
  return [...new Set(words)].map((word) => (word === 'faster' ? 'fastest' : word)).sort((a, b) => b.length - a.length)
}

/** How many of the words a sentence has, or words that begin like them. */
export function overlap(sentence: string, words: string[]): number {
  const own = wordsOf(sentence)
  const stem = (word: string) => word.replace(/(?<=...)(?:e?s|e?d)$/, '')
  return words.filter((word) => own.some((one) => one.startsWith(stem(word)) || SYNONYMS[word]?.includes(one))).length
}

/** What a question is about: a known name, else its longest proper name, else what its last article introduces. */
export function subjectOf(text: string): string | undefined {
  const rest = text.slice(0, 500).replace(/^\P{L}*(?:(?:and|so|but)\s)?\p{L}+\s(?=\p{L})/u, '')
  const [longest] = (rest.match(new RegExp(NAME, 'gu')) ?? []).sort((a, b) => b.length - a.length)
  const article = /\b(?:an?|the)\s((?:[\p{L}'’]+ ){0,2}[\p{L}'’]+)[?.\s]*$/u.exec(rest)?.[1]
  return namesIn(text)[0]?.name ?? (longest ? trimName(longest.replace(/['’]s$/, '')) : article)
}

/** What people say before and after what they want to know. */
const POLITE = [
  /^[\s,:;.!@¿-]+/,
  /^(?:hey|hi|hello|good (?:morning|day|evening)|there|ok(?:ay)?|well|great|so|and|but|also|then|please|pls|plz|kindly|thanks|thank you|sorry|excuse me|by the way|btw|(?:just )?(?:a |one )?(?:quick |short )?question|thinkaloud|bot)\b[\s,:;.!-]*/i,
  /^(?:can|could|would|will|may|might) (?:you|i|we|somebody|anyone)\b(?: (?:please|kindly|maybe|perhaps|possibly|also))* (?=(?:tell|give|show|remind|explain|ask|know|find|look|say|help|list|calculate|compute|convert|work|solve|write|note|define|describe)\b)/i,
  /^(?:tell|remind|show|teach|ask|help|inform|give)(?: (?:to )?(?:me|us|you))?(?: (?:quickly|please|again|find out))*[\s,:]+/i,
  /^(?:i|we)(?:['’]d| would|['’]m| am| was)?(?: (?:just|only|really|also|still))* (?:like|love|want|need|curious|interested|wonder(?:ing)?|wanted)\b(?: (?:to|in))?(?: (?:know|hear|learn|ask|find out|understand|see))?(?: if you (?:could |can )?(?:know|tell me)?)?[\s,:]+/i,
  /^(?:do|did|would) you (?:(?:happen|by any chance) to )?(?:know|remember)[\s,:]+/i,
  /^(?:any idea|let me know|if (?:i|you) (?:may|can|could)(?: ask)?|find out|look up|say|explain(?: to (?:me|us))?|list)[\s,:]+(?=(?:who|what|when|where|which|how|why)\b)/i,
  /[\s,.;:!?-]+(?:please|pls|plz|thanks|thank you|thx|cheers)(?: (?:a lot|so much|very much|in advance|again))?[\s.!?)]*$/i,
  /[\s,.;:-]+(?:for me|if you (?:can|could|know)|if possible|would you|could you|can you|do you know|exactly|again|then|anyway|by the way|btw|:-?\))[\s.!?]*$/i,
]

/** Takes off emoji and what is said for politeness, on both sides, as often as it stands there. */
export function plainly(text: string): string {
  let plain = text
    .slice(0, 2000)
    .normalize('NFC')
    .replace(/[\p{Extended_Pictographic}\p{Emoji_Modifier}\u200d\ufe0f]+|:[a-z_]{2,30}:/gu, ' ')
  for (let before = ''; before !== plain;) {
    before = plain
    for (const said of POLITE) plain = plain.replace(said, '').trim()
  }
  return plain
}

const VERB = '(is|was|are|were)'
/** Ways to ask the same, each with the one that the rules read. */
const SAME: [string, string][] = [
  ["^(who|what|which|where|when|how)['’]?s ", '$1 is '],
  ['^what (?:year|date) ', 'when '],
  [`^(who|what|where|when|how (?:old|tall|high|long|big|far)) (?!${VERB}\\b)(.+) ${VERB}$`, '$1 $4 $3'],
  ['^(?:what is )?the name of ', 'who is '],
  ['^(?:(?:me )?about|explain|define|describe|what do you know about|who or what (?:is|was)) ', 'what is '],
  ['^what (?:does|is) (?!the\\b)(.+) mean$', 'what is $1'],
  ['^who (?:is|was) (.+) (written|invented|designed|created|founded|directed|built|discovered) by$', 'who $2 $1'],
  ['^who (?:wrote|written|writes) (?:the (?:book|novel) )?', 'who is the author of '],
  ['^who (invent|creat|direct)(?:ed|s) ', 'who is the $1or of '],
  ['^who (design|publish|found|discover|develop)(?:ed|s) ', 'who is the $1er of '],
  ['^who built ', 'who is the builder of '],
  ['^who (?:is|was|did) (.+?) (?:married to|marry)$', 'who is $1’s spouse'],
  ['^who is (.+?) dating$', 'who is $1’s boyfriend'],
]

/** A question in the few forms that the rules read: straight quotes, no question mark, the verb at its place. */
export function simply(text: string): string {
  const simple = plainly(text)
    .replace(/[’‘`]/g, "'")
    .replace(/\s+/g, ' ')
    .replace(/[?.\s]+$/, '')
  const same = SAME.reduce((said, [from, to]) => said.replace(new RegExp(from, 'i'), to), simple)
  return knownName(same) ? `what is ${same}` : same
}

const ASKS = '(?:who|what|when|where|which|why|how|can|could|does|did|is|was|tell me|calculate|convert|explain)\\b'
const SPLITS = [
  '(?<=[?;])\\s+',
  `(?<=[\\p{L}\\d)]{2}[.!])\\s+(?=(?:(?:and|also|then|please|so|but|now)[, ]+)*(?:${ASKS}|please|i|half)\\b)`,
  `,?\\s+(?:and|also|plus|&|but)(?:,? (?:also|then|please|now))*,?\\s+(?=${ASKS})`,
  ',\\s+(?=(?:who|what|when|where|how)\\b)',
  ',?\\s+and(?: then)?\\s+(?=(?:(?:a )?(?:half|third|quarter)|twice|double)\\b[^?]{0,20}\\b(?:it|that)\\b|(?:squar|cub|halv|doubl)ed\\b|(?:his|her|its|their)\\b)',
]

/** The questions of a text, one or several; one about two known names is a question about each. */
export function questionsIn(text: string): string[] {
  const parts = text.split(new RegExp(SPLITS.join('|'), 'iu')).filter((part) => /[\p{L}\p{N}]/u.test(part))
  return parts.slice(0, 4).flatMap((part) => {
    const [first, second] = namesIn(part)
    const between = first && second && part.slice(first.at + first.text.length, second.at)
    if (!between || !/^(?:['’]s?)? and (?:the )?$/i.test(between)) return [part]
    return [part.replace(between + second.text, ''), part.slice(0, first.at) + part.slice(second.at)]
  })
}
