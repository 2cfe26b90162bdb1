/**
 * Reads from the words of `/ask` who should see the answer, in English, German, French, Spanish, Portuguese, Italian,
 * Dutch, Japanese and Chinese. What only resembles a wish for privacy is `unclear`, so that the asker decides.
 */
import { editDistance } from './edit-distance.ts'

/**
 * `private`: the text without the wish. `unclear`: the text may ask for a private answer, or be about something
 * private.
 */
export type AskedPrivacy = { privacy: 'private' | 'unclear'; text: string }

/** Wishes that are adverbs: they say how to answer. */
const ADVERBS = [
  'privately|privatly|in private|in confidence|confidentially|secretly|off the record',
  '(?:just|only) (?:for|to) me|for (?:me|my eyes) only|(?:just|only) me|(?:just )?between (?:us|you and me)(?! and )',
  'nur für mich|nur fuer mich|nur an mich|nur mir|nur ich|unter uns(?! und )|im privaten|vertraulich|privatim',
  'en privé|en prive|privément|(?:juste|seulement|uniquement|rien que) (?:pour|à) moi|pour moi (?:seule?|seulement|uniquement)|entre nous(?! et )|en message privé',
  'en privado|privadamente|en confianza|(?:solo|sólo|solamente|únicamente) (?:para|a) m[íi]|para m[íi] (?:solo|sola|solamente)|entre nosotros(?! y )',
  'em privado|no privado|em particular|(?:só|so|apenas|somente) (?:para|pra) mim|para mim (?:só|apenas)|entre nós(?! e )',
  'in privato|privatamente|in forma privata|in via riservata|(?:solo|soltanto) (?:per|a) me|per me solo|tra (?:di )?noi(?! e )',
  'in privé|in prive|(?:alleen|enkel|slechts) (?:voor|aan) mij?|onder ons(?! en )|in vertrouwen|vertrouwelijk',
].join('|')
/** Adjectives, which may as well describe what is asked about. */
const ADJECTIVES = 'private|privat|priv|pvt|privée?s?|prive|privad[oa]|privat[oa]|particular'
/** Words that ask for privacy only with a colon or in brackets. */
const LABELS =
  'secret|confidential|personal|dm|pm|mp|vertraulich|geheim|persönlich|confidentiel(?:le)?|confidencial|secreto|riservato|riservata|personale|vertrouwelijk|geheim|persoonlijk|秘密|機密|机密'
const CJK =
  'プライベート|非公開|内緒|ないしょ|こっそり|ひそかに|個人的|私だけ|自分だけ|私にだけ|自分にだけ|私下|私底下|私密|私人|私聊|私信|悄悄|不公开|不公開|非公开|(?:仅限|僅限|仅对|僅對|只给|只給|只有|只对|只對|仅|僅|只)(?:我|自己)|单独|單獨'
const POLITE =
  "(?:(?:please|pls|plz|kindly|hey|hi|ok|okay|bitte|svp|s[’']il (?:te|vous) pla[iî]t|por favor|per favore|per piacere|alsjeblieft|alstublieft|graag|请|請|麻烦|麻煩)[ ,:，]*)?"
const REQUEST =
  '(?:(?:can|could|would|will) you )?(?:(?:answer|reply|respond|tell|dm|message|write)(?: to)?(?: me)?|antworte?(?: mir)?|sag(?:e)? mir|antworten sie(?: mir)?|réponds?(?:-| )?(?:moi)?|répondez(?:-| )?(?:moi)?|dis-moi|resp[oó]nd[ea](?:-?me)?|dime|contesta(?:me)?|contéstame|diga-me|rispondi(?:mi)?|dimmi|antwoord(?: me| mij)?|zeg me|回答我?|回复我?|回覆我?|告诉我|告訴我) '

const START = String.raw`^[\s\p{Cf}\p{So}#!/@>*_~\x60•·\[({（【「『-]*`
/**
 * Ends a wish: a colon, a comma, a bracket, a dash between spaces, a line end. A hyphen or a dot within a word does
 * not.
 */
const MARK = String.raw`(?:\s*(?:[:：;；,，、。!！|)\]}）】」』>*~\x60＝=]|_(?![\p{L}\p{N}])|[-–—−]+(?=\s|$)|[–—−]|(?:\.{2,}|…)|[./](?=\s|$)|\n))[\s:：;；,，、。.!！|)\]}）】」』>*_~\x60–—−-]*`
const FILLERS =
  '(?: (?:please|pls|question|answer|reply|message|note|mode|chat|bitte|frage|antworte|antwort|antworten|nachricht|question|réponse|répondre|svp|pregunta|respuesta|responder|por favor|pergunta|resposta|domanda|risposta|rispondere|per favore|vraag|antwoord|antwoorden|alsjeblieft|aub)){0,2}'

const flags = 'isu'
const MARKED = new RegExp(
  `${START}${POLITE}(?:${ADVERBS}|${ADJECTIVES}|${LABELS}|${CJK})(?:で|に|地)?${FILLERS}${MARK}(?<rest>.*)$`,
  flags,
)
const SPOKEN = new RegExp(
  `${START}${POLITE}(?:${REQUEST})(?:${ADVERBS}|${ADJECTIVES}|${CJK})(?![\\p{L}\\p{N}_])${FILLERS}(?:${MARK}|\\s+|$)(?<rest>.*)$`,
  flags,
)
const BEFORE = new RegExp(
  `${START}(?:["“”'‘’«»„]\\s*)?${POLITE}(?:(?:${ADVERBS}|${ADJECTIVES})(?![\\p{L}\\p{N}_])|(?:${CJK})(?:で|に|地)?)${FILLERS}(?<rest>.*)$`,
  flags,
)
const QUOTED = new RegExp(`${START}["“”'‘’«»„]`, 'u')
const LABEL = new RegExp(`^(?:${LABELS})$`, 'iu')

/** Words that a question or a request begins with. */
const OPENERS = [
  "what|what[’']s|whats|who|who[’']s|whose|whom|which|how|how[’']s|when|where|why|is|are|was|were|am|do|does|did|has|have|had|can|could|should|would|will|may|shall|isn[’']t|aren[’']t|don[’']t|doesn[’']t|didn[’']t|can[’']t|any|anyone|anybody",
  "please|pls|tell|show|give|list|explain|summari[sz]e|find|look|search|check|compare|calculate|compute|translate|write|draft|help|remind|read|describe|review|send|remember|let|count|sum|convert|define|suggest|make|create|i|i[’']m|i[’']d|i[’']ve|my|we|our|me",
  'was|wer|wie|wo|wann|warum|wieso|weshalb|welche[rsnm]?|wessen|wem|wen|ist|sind|war|hat|haben|kann|kannst|könnte|könntest|darf|soll|sollte|muss|gibt|bitte|sag|sage|zeig|zeige|erkläre?|fasse?|nenne?|rechne|übersetze?|schreib|suche?|finde?|ich|mein|meine[rmns]?|wir|unser|mir',
  "que|qu[’']est-ce|quoi|qui|quel(?:le)?s?|comment|quand|où|pourquoi|combien|est-ce|est|sont|peux-tu|peut-on|pouvez-vous|dis|dis-moi|montre|explique|résume|traduis|calcule|cherche|trouve|donne|je|j[’'](?:ai|aimerais)|mon|ma|mes|nous|notre",
  'qué|quién|cuáles|cuál|cual|cómo|como|cuándo|cuando|dónde|donde|cuánto|cuánta|cuántos|cuántas|cuanto|es|son|está|hay|puedes|puede|puedo|dime|muestra|explica|resume|traduce|busca|encuentra|yo|mi|mis|nuestro|por|para',
  'qual|quais|quem|quando|onde|quanto|quantos|quantas|é|são|há|pode|posso|diga|mostre|explique|resuma|traduza|calcule|procure|eu|meu|minha|meus|minhas|nosso|o|a',
  "cosa|che|chi|quale|quali|dove|perché|quanto|quanti|quante|è|sono|c[’']è|puoi|può|posso|dimmi|mostra|spiega|riassumi|traduci|calcola|cerca|trova|io|mio|mia|nostro",
  'wat|wie|waar|wanneer|waarom|hoeveel|welke?|hoe|is|zijn|heeft|heb|kan|kun|mag|moet|geef|toon|leg|vat|vertaal|zoek|bereken|ik|mijn|wij|onze|graag',
].join('|')
const OPENER = new RegExp(`^\\s+(?:${OPENERS})(?![\\p{L}\\p{N}_-])`, 'iu')
const CJK_OPENER =
  /^\s*(?:で|に|地|(?:请|請|告诉|告訴|问|問|回答|回复|回覆|查|帮|幫|我|什么|什麼|怎么|怎麼|如何|为什么|為什麼|谁|誰|哪|何|なぜ|どう|どこ|いつ|誰|だれ|教えて|聞きたい|質問))/u

/** A wish at the end: in brackets, after a dash or a comma, or a last sentence of its own. */
const TAIL_CHARS = 120
const ENDING = String.raw`[\s.!?。！？…]*$`
const TAILS = [
  `[([（【]\\s*${POLITE}(?:${REQUEST})?(?:${ADVERBS}|${ADJECTIVES}|${LABELS}|${CJK})${FILLERS}\\s*[)\\]）】]${ENDING}`,
  `(?:[,;:，、]\\s*|\\s+[-–—]+\\s*|[.?!。？！\\n]\\s*)${POLITE}(?:${REQUEST})?(?:${ADVERBS}|${CJK})(?:で|に|地|でお願いします|で教えて)?${FILLERS}${ENDING}`,
  `(?:[,;:，、]\\s*|\\s+[-–—]+\\s*|[.?!。？！\\n]\\s*)${POLITE}(?:${REQUEST})(?:${ADJECTIVES})${FILLERS}${ENDING}`,
  `(?:[,;:]\\s*|\\s+[-–—]+\\s*|[.?!\\n]\\s*)(?:(?:${POLITE}(?:${ADJECTIVES}) (?:please|pls|bitte|svp|por favor|per favore|alsjeblieft|aub))|(?:${ADJECTIVES}|${LABELS})[.!])${ENDING}`,
  `\\s(?:${ADVERBS}) (?:please|pls|bitte|svp|s[’']il (?:te|vous) pla[iî]t|por favor|per favore|alsjeblieft|aub)${ENDING}`,
  `[.?!,;\\n]\\s*${POLITE}keep (?:it|this|that) (?:private|confidential|between us|to yourself|secret)${ENDING}`,
].map((tail) => new RegExp(tail, 'iu'))

/** Verbs of answering. Beside a wish, anywhere in a sentence, they make it likely enough to ask. */
const SAY =
  'answer|reply|respond|tell|show|say|send|visible|antwort\\p{L}*|sag\\p{L}*|zeig\\p{L}*|sichtbar|répon\\p{L}*|dire|dis|dites|montre\\p{L}*|resp[oó]n[dt]\\p{L}*|dec[ií]r\\p{L}*|di|dime|diga\\p{L}*|mu[eé]str\\p{L}*|mostr\\p{L}*|rispond\\p{L}*|dir(?:e|mi|me\\p{L}*)|dimmi|antwoord\\p{L}*|vertel\\p{L}*|zeg\\p{L}*|toon'
const SAY_AFTER = 'antworten|beantworten|sagen|zeigen|schreiben|antwoorden|vertellen|zeggen|tonen'
const SAY_CJK = '答|教|返事|見せ|回答|回复|回覆|告诉|告訴|说|說|发给|發給'
const AN_ANSWER = 'answer|reply|antwort|réponse|respuesta|resposta|risposta|antwoord'
const WORD = ['(?<![\\p{L}\\p{N}_])', '(?![\\p{L}\\p{N}_])'] as const
const wordOf = (words: string) => `${WORD[0]}(?:${words})${WORD[1]}`
const HINTS = [
  `${wordOf(SAY)}[^.?!。？！\\n]{0,40}${wordOf(ADVERBS)}`,
  `${wordOf(ADVERBS)}[^.?!。？！\\n]{0,20}${wordOf(SAY)}`,
  `${wordOf(SAY)}(?: \\p{L}+){0,2} (?:${ADJECTIVES})(?: (?:please|pls|bitte|stp|svp|por favor|per favore|graag|aub))?\\s*(?:[.,;:!?]|$)`,
  `${wordOf(ADJECTIVES)} ${wordOf(`${SAY_AFTER}|${AN_ANSWER}`)}`,
  `(?:^|[.?!,;\\n]\\s*)${POLITE}(?:whisper|(?:dm|pm)(?: (?:it|this|that))?(?: to)? (?:me|us))${WORD[1]}`,
  `(?:^|[.?!\\n]\\s*)${POLITE}only (?:show|tell|answer) me${WORD[1]}`,
  `${wordOf('(?:only|just) visible (?:to|for) me|visible (?:only|just) (?:to|for) me')}`,
  `^\\s*${POLITE}(?:keep (?:it|this|that)|this is|that[’']s|it[’']s|make (?:it|this)) (?:${ADJECTIVES}|${LABELS})\\s*(?:[.,;:!?]|$)`,
  `\\s[-–—]+\\s*(?:${ADJECTIVES}|${LABELS})${ENDING}`,
  `(?:${CJK})[^。？！?!\\n]{0,12}(?:${SAY_CJK})`,
  `(?:只|仅|僅)(?:告诉|告訴|给|給|对|對|回答|回复|回覆)我`,
].map((hint) => new RegExp(hint, 'iu'))
/** A hint is looked for in this many characters at the start, and as many at the end. */
const HINT_CHARS = 300

/** Other words that resemble `private`. */
const OTHER_WORDS =
  /^(?:primate|privat|prive|privates|privater|privaten|privatem|privé|privado|privada|privato|privata)$/i

/** Undefined for an ordinary question. `text` is what `/ask` was sent with, as people see it. */
export function askedPrivacy(text: string): AskedPrivacy | undefined {
  const folded = text.normalize('NFKC')
  const found = privacyOf(corrected(text)) ?? (folded === text ? undefined : privacyOf(corrected(folded)))
  return found?.privacy === 'unclear' ? { privacy: 'unclear', text } : found
}

function privacyOf(text: string): AskedPrivacy | undefined {
  const isQuoted = QUOTED.test(text)
  const marked = isQuoted ? undefined : (MARKED.exec(text) ?? SPOKEN.exec(text))?.groups?.['rest']
  if (marked !== undefined) return { privacy: 'private', text: marked.trim() }
  const rest = BEFORE.exec(text)?.groups?.['rest']
  if (rest !== undefined) {
    const isAsked = !isQuoted && (rest.trim() === '' || OPENER.test(rest) || CJK_OPENER.test(rest))
    return isAsked
      ? { privacy: 'private', text: rest.replace(/^(?:で|に|地)/u, '').trim() }
      : { privacy: 'unclear', text }
  }
  if (LABEL.test(text.trim())) return { privacy: 'unclear', text }
  const at = Math.max(0, text.length - TAIL_CHARS)
  for (const tail of TAILS) {
    const found = tail.exec(text.slice(at))
    if (found) return { privacy: 'private', text: withoutTail(text, at + found.index, found[0]) }
  }
  const ends = text.length > 2 * HINT_CHARS ? [text.slice(0, HINT_CHARS), text.slice(-HINT_CHARS)] : [text]
  const isHinted = ends.some((part) => HINTS.some((hint) => hint.test(part)))
  return isHinted ? { privacy: 'unclear', text } : undefined
}

/** A question mark or a full stop before the wish stays. */
function withoutTail(text: string, at: number, tail: string): string {
  return `${text.slice(0, at)}${/^[.?!。？！]/u.exec(tail)?.[0] ?? ''}`.trim()
}

/** `privte: …`: a typing error in the first word is corrected. */
function corrected(text: string): string {
  const [lead = '', word = ''] = /^[\s\p{P}\p{S}]{0,8}([\p{L}]{5,10})(?![\p{L}\p{N}_])/u.exec(text) ?? []
  if (word === '' || OTHER_WORDS.test(word)) return text
  const lower = word.toLowerCase()
  const meant = ['private', 'privately'].find(
    (one) => lower !== one && lower[0] === 'p' && editDistance(lower, one) === 1,
  )
  return meant === undefined ? text : `${lead.slice(0, lead.length - word.length)}${meant}${text.slice(lead.length)}`
}
