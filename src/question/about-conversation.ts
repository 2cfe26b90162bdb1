/**
 * Recognises questions about the conversation itself, in English, German, and a little in other languages: what was
 * asked or answered, or the last answer in another form. Condensing would answer them, or lose what they ask for.
 */

/** Longer messages bring their own matter. */
const MAX_CHARS = 300

const LANGUAGE =
  '(?:english|german|french|spanish|italian|dutch|polish|portuguese|russian|ukrainian|czech|swedish|danish|norwegian|finnish|turkish|greek|arabic|hebrew|hindi|chinese|japanese|korean|latin|' +
  'englisch|deutsch|französisch|spanisch|italienisch|niederländisch|polnisch|portugiesisch|russisch|türkisch|chinesisch|japanisch|' +
  'français|anglais|allemand|espagnol|italien|inglés|alemán|francés|español|italiano)'
const POLITE =
  '(?:(?:please|can you|could you|would you|pls|now|ok(?:ay)?|and|but|then|bitte|und|kannst du|nun)[,\\s]+)*'
/** The end of a message that says nothing but how to answer. */
const ALONE = '(?:[,\\s]+(?:please|instead|again|bitte|now|then|for me))*[\\s.!?…]*$'
const FORM =
  '(?:(?:a (?:bit|little) |much |etwas |viel )?(?:shorter|longer|simpler|briefer|clearer|friendlier|politer|more \\w+|less \\w+|kürzer|länger|einfacher|genauer|knapper|ausführlicher|höflicher|freundlicher)' +
  `|(?:in|auf|en|into|to) ${LANGUAGE}` +
  '|in (?:other words|short|brief|more detail|detail|plain \\w+|simple \\w+|(?:a|one|two|three|\\d) (?:\\w+ )?(?:sentences?|words?|lines?|table|list|nutshell)|bullet ?points|einem satz|(?:zwei|drei|einfachen) \\w+|kurz)' +
  '|as (?:an? )?(?:\\w+ )?(?:table|list|bullets?|points|json|csv|e-?mail|poem)|als (?:tabelle|liste|stichpunkte)' +
  '|again|once more|repeat|continue|go on|tl;?dr|pardon|noch ?(?:ein)?mal|weiter)'
const CHANGE =
  '(?:repeat|rephrase|reword|rewrite|paraphrase|summari[sz]e|shorten|simplify|translate|explain|elaborate|clarify|say|write|put|make|give me|show me|format|turn|wiederhol\\w*|übersetz\\w*|kürz\\w*|vereinfach\\w*|erklär\\w*|sag\\w*|schreib\\w*|fass\\w*|répète\\w*|traduis|résume|repite|traduce|resume)'
const IT = '(?:that|it|this|them|those|everything|das|es|dies|alles|mir das)'
const ANSWER =
  '(?:answer|reply|response|conversation|chat|discussion|last message|antwort|gespräch|conversación|réponse)'

const PATTERNS = [
  // "what was my first question?", "your last answer"
  /\b(?:my|your|our|the)\s+(?:very\s+)?(?:first|second|third|fourth|last|latest|previous|earlier|initial|original|prior|preceding)\s+(?:\w+\s+)?(?:questions?|answers?|messages?|repl(?:y|ies)|responses?|requests?)\b/i,
  /\b(?:mein|dein|unser|di)e\w*\s+(?:aller)?(?:erst|zweit|dritt|letzt|vorherig|vorig|früher|ursprünglich)\w*\s+(?:frage|antwort|nachricht)/i,
  /\b(?:ma|mi|ta|tu)\s+(?:première|dernière|primera|última)\s+(?:question|réponse|pregunta|respuesta)/i,
  // "what did I ask first?", "which questions have we discussed?", "what do you mean?"
  /\b(?:what|which|when|how (?:many|often)|did|have)\b.{0,40}\b(?:I|we|you)\b.{0,15}\b(?:ask|asked|say|said|answer|answered|tell me|told|talked?|discuss|discussed|mean|meant|mention|mentioned)\b/i,
  /\b(?:was|welche\w*|worüber|wonach|wie viele)\b.{0,40}\b(?:ich|wir|du)\b.{0,30}\b(?:gefragt|gesagt|geantwortet|besprochen|gemeint|geredet|gesprochen)\b/i,
  // "you said that …", "as I asked"
  /\b(?:you|I)\s+(?:just\s+|already\s+)?(?:said|told (?:me|you)|mentioned|asked(?: you)?|answered)\b/i,
  /\b(?:this|our)\s+(?:whole\s+|entire\s+)?(?:conversation|chat|discussion|thread)\b/i,
  // "in diesem Thread", "ce fil", "この スレッド", in the languages that people write schedules in
  /(?<!\p{L})(?:diese[nmsr]?|unser\p{L}*)\s+(?:ganzen?\s+)?(?:thread|unterhaltung|diskussion|gespräch|verlauf|chat)/iu,
  /(?<!\p{L})(?:ce|cette|notre)\s+(?:fil|discussion|conversation|thread)(?!\p{L})/iu,
  /(?<!\p{L})(?:est[ea]|ess[ea]|nuestr[oa]|noss[oa])\s+(?:hilo|conversación|discusión|conversa|discussão|thread)(?!\p{L})/iu,
  /(?<!\p{L})(?:quest[oa]|nostr[oa])\s+(?:conversazione|discussione|thread)(?!\p{L})/iu,
  /(?<!\p{L})(?:dit|deze|ons|onze)\s+(?:gesprek|discussie|thread|draad)(?!\p{L})/iu,
  /(?:この|ここまでの|今までの)\s*(?:スレッド|会話|やり取り|やりとり|話)|(?:这个|這個|本|上面的|以上)\s*(?:讨论串|討論串|讨论|討論|对话|對話|会话|會話|帖子)/u,
  // "summarise the thread", "recap of the discussion above"
  new RegExp(
    `^${POLITE}(?:${CHANGE}|sum up|recap(?: of)?)\\s+(?:the|den|das|die|le|la|el|o|il|de|het)\\s+(?:\\w+\\s+)?(?:thread|fil|hilo|discussion above)`,
    'iu',
  ),
  /^(?:are you (?:sure|certain)|is that (?:right|correct|true)|how (?:do|did) you know|why do you (?:say|think) (?:so|that)|bist du sicher)\b/i,
  // "repeat that", "translate it into German", "summarise your answer", "explain it more simply"
  new RegExp(
    `^${POLITE}${CHANGE}\\s+(?:${IT}(?=${ALONE}|\\s+(?:again|in|into|to|as|with|more|less|a|on|without|for|like|auf|ins|nochmal|noch|kürzer|shorter|longer|simpler|differently|zusammen|en|al)\\b)|(?:the|your|our|my|die|deine|das|la|ta|tu)\\s+(?:\\w+\\s+)?${ANSWER}\\b)`,
    'iu',
  ),
  // "shorter, please", "and in German?", "as a table"
  new RegExp(`^${POLITE}(?:${CHANGE}\\s+(?:me\\s+)?)?${FORM}${ALONE}`, 'iu'),
]

export function isAboutConversation(text: string): boolean {
  const asked = text.trim()
  return asked.length <= MAX_CHARS && PATTERNS.some((pattern) => pattern.test(asked))
}
