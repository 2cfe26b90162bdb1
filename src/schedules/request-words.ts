/** Tells what follows a time: a question or a request, a statement, or a condition that no schedule can have. */

/** Words that a request begins with. */
const REQUEST =
  /^(?:please|list|summari[sz]e|sum up|tell|show|give|post|check|report|send|find|look|search|compare|remind|count|write|run|create|make|draft|update|ping|notify|alert|review|prepare|let me know)\b/i
/** Words that a question or a request begins with: before one of them a bare number is an hour. */
const QUESTION = /^(?:what|who|whose|which|how|when|where|why|is|are|was|were|do|does|did|has|have|can|any|anything)\b/i
const WH = /^(?:what|who|whose|which|how|when|where|why)\b/i
const PAST = /\b(?:was|were|did|had|happened|went|came|got|\p{Ll}{3,}ed)\b/iu

export function begins(text: string): boolean {
  return REQUEST.test(text) || QUESTION.test(text)
}

/** Returns whether something is asked for in the future: a request, or a question that is not about the past. */
export function isForLater(text: string): boolean {
  return REQUEST.test(text) || (WH.test(text) && !PAST.test(text))
}

/** `days`: the words before it. A `daily report` is a thing, and `daily report the numbers` a request. */
export function isRequest(text: string, days = ''): boolean {
  return REQUEST.test(text) && !(/ly$/i.test(days) && NOUN.test(text))
}

const NOUN =
  /^(?:list|report|check|post|search|look|count|run|draft|update|ping|alert|review|show)(?!\s(?:the|all|me|us|my|our|any|an?|how|what|which|whether|if|for new|open|new|in)\b)/i

export function isReminder(text: string): boolean {
  return /^(?:please )?(?:remind|ping|notify|alert)\b/i.test(text)
}

const SUBJECT = /^(?:I|we|you|he|she|it|they|there|somebody|someone|everybody|nobody)(?:['’](?:m|ve|ll|re|s|d))?\s/i
const WISH = /^(?:I|we)(?:['’]d| would)? (?:like|want|need) (?:to (?:know|see|get|hear)|you|an?|the)\b/i

/** The end of a text that says what goes wrong, and asks about it: `the server crashes, why?` */
const ASKS_WHY =
  /[,.:;!–-]\s*(?:so |and |but )?(?:why|how come|what (?:is|could be) (?:wrong|the (?:cause|reason|problem|matter))|what[’']?s (?:wrong|going on|the (?:cause|reason|problem|matter))|what (?:can|should|do) (?:I|we)|how (?:do|can|should) (?:I|we)|any ideas?|is (?:that|this|it)|can (?:you|anyone|somebody) (?:fix|help|explain))\b[^.?!]{0,80}[.?!]*\s*$/i

/**
 * Returns whether a text behind a time says what happens then: `in 10 minutes I have a standup. Summarise what is
 * open.` Such a text is asked now.
 */
export function isStatement(text: string, isOnce: boolean): boolean {
  if (WISH.test(text)) return false
  if (!begins(text) && ASKS_WHY.test(text)) return true
  const at = text.search(/[.:;,!?](?:\s|$)| [–—-] /)
  const isAsked =
    at >= 0 && text[at] !== '?' && begins(text.slice(at + 1).replace(/^[\s–—-]+(?:(?:so|and|then) )?/i, ''))
  if (SUBJECT.test(text)) return isOnce || isAsked
  return isOnce && isAsked && !REQUEST.test(text) && !WH.test(text)
}

const WEEKDAY = '(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?)(?:days?)?'
const CLOCK = String.raw`(?:(?:at )?\d{1,2}(?:[:.]\d\d)?(?: ?[ap]\.?m\b\.?)?(?![\w%])|noon|midnight)`
const DATE_WORD = `(?:${CLOCK}|${WEEKDAY}\\b|today|tomorrow|tonight|now|next|the (?:\\d|next|first|last|end|start)|\\d{4}-|jan|feb|mar(?:ch)?\\b|apr|may\\b|june?\\b|july?\\b|aug|sept?|oct|nov|dec)`
const CONDITIONS = [
  'between (?:\\d|noon|midnight|the|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)',
  `(?:from|after|before|since) ${DATE_WORD}`,
  `(?:until|till|through|thru|up to) `,
  '(?:except|excluding|excl\\.|unless|skipping|but not|but only|apart from|other than|as long as|while)\\b',
  `(?:starting|beginning|begin|start)(?: (?:on|at|from|in|with|next))? ${DATE_WORD}|(?:starting|beginning) (?:on|at|from|next)\\b`,
  `(?:(?:only )?on|only) (?:weekdays?|week-?ends?|work(?:ing )?days?|business days?|school days?|bank holidays?|holidays|${WEEKDAY}(?![\\w-])|the \\d{1,2}(?:st|nd|rd|th)|odd|even|alternate)`,
  '(?:weekdays|weekends|workdays|business days)\\b',
  `but (?:not )?(?:on )?(?:${WEEKDAY}(?![\\w-])|weekends|holidays)`,
  `(?:(?:and|or|&) (?:also )?|, ?)(?:on )?(?:every )?${WEEKDAY},? ${CLOCK}`,
  '(?:as of|effective) ',
  'at :\\d\\d',
  '\\(?\\d{1,2}(?::\\d\\d)?(?: ?[ap]m)? ?[-–] ?\\d{1,2}(?::\\d\\d)?(?: ?[ap]m)?(?![\\w%])',
  'during (?:the )?(?:business|working|office|opening|week|day|night|morning|winter|summer|school|month)',
  'for (?:the )?(?:next|first|\\d+|an?|one|two|three|four|five|six|ten) (?:\\d+ )?(?:minute|hour|day|week|month|year|time)s?\\b',
  '(?:in|every) (?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter|q[1-4])\\b(?! \\d)',
  '(?:every|each|once (?:a|every)) (?:(?:other|second|third|2nd|3rd|\\d+) )?(?:day|week|month|quarter|year|weekday|working day)s?\\b',
  '(?:(?:and|or|plus) (?:also )?|, ?)(?:at )?(?:half|a half|\\d{1,2}(?::\\d\\d)? ?(?:minutes|[ap]m\\b))',
  'and a (?:half|quarter)\\b',
  '(?:and|or|,) ?(?:at )?(?:noon|midnight)\\b',
  '[-–—/] ?\\d{1,2}(?::\\d\\d)?(?: ?[ap]\\.?m\\b\\.?)?(?![\\w%])',
  'to \\d{1,2}(?::\\d\\d)?(?: ?[ap]\\.?m\\b)?(?![\\w%])',
  'at (?:\\d{1,2}(?::\\d\\d)?(?: ?[ap]\\.?m\\b)?(?![\\w%])|noon|midnight|the (?:hour|half))',
  "past the hour|on the (?:hour|half)|o[’']clock to",
  "if (?:it is|it’s|it's|that is|today is) (?:not )?an? (?:holiday|work|week|business)",
  'weekly\\b|bi-?weekly\\b|fortnightly\\b|monthly\\b|yearly\\b|twice\\b',
]
const CONDITION = new RegExp(`^[ ,(]{0,3}(?:${CONDITIONS.join('|')})`, 'i')

/** The words of a condition at the start of a text, such as `until Friday`; undefined if there is none. */
export function conditionIn(text: string): string | undefined {
  if (!CONDITION.test(text)) return undefined
  const words = text.replace(/^[ ,(]+/, '').split(' ', 12)
  const end = words.findIndex((word, i) => i > 0 && (begins(word) || /[,:;?!]$/.test(words[i - 1] ?? '')))
  return words
    .slice(0, end < 0 ? 6 : end)
    .join(' ')
    .replace(/[,:;?!)]+$/, '')
}

/** The sentence for a time that says more than a schedule can. */
export function notUnderstood(words: string): string {
  return `I don’t understand “${words.slice(0, 80)}” as part of the schedule’s time. Leave it out, or write the days and the hour in one of these forms.`
}

/** How often it should run, in words that no schedule can have: `every other Monday`, `every 2 weeks`. */
const RARE = new RegExp(
  `^(?:on )?((?:every|each) (?:other|second|third|fourth|alternate|2nd|3rd|4th|\\d{1,3}(?:st|nd|rd|th)?|two|three|four) (?:${WEEKDAY}|days?|weeks?|months?|mornings?|evenings?|quarters?|years?|weekdays?|weekends?|hours?|minutes?)|(?:every|each) (?:business|working|school) days?|(?:every|each) (?:\\d{1,3}[.,]\\d{1,2}|one and a half|five|six|eight|ten|twelve|fifteen|twenty|thirty) (?:hours?|minutes?|days?)|(?:every|each) (?:week|quarter|year|month|fortnight)|(?:bi-?)?weekly|fortnightly|monthly|quarterly|yearly|annually|(?:once|twice|\\d{1,2} times|three times) (?:a|per|every|each) (?:day|week|month|quarter|year|hour)|every few \\w+|(?:every|each) (?:first|last|\\d{1,2}(?:st|nd|rd|th))(?: ${WEEKDAY}| day)?|(?:every|each) (?:half|quarter)(?: an?| of an)? hour|half-?hourly|hourly)(?![\\w-])(.*)$`,
  'is',
)

/** Returns such words if a request or an hour follows them: `every 2 days we lose orders, why?` is a question. */
export function rareTimes(text: string): string | undefined {
  const [, words, rest = ''] = RARE.exec(text) ?? []
  const isTime = new RegExp(
    `^,?(?: on (?:${WEEKDAY}|the \\d{1,2}\\w{0,2})| in the \\w+)?,? (?:${CLOCK})|^(?: (?:on|in|of) [\\w ]{1,30}?)?,? at ${CLOCK}`,
    'i',
  ).test(rest)
  if (words !== undefined && (isTime || isRequest(withoutMarks(rest), words))) return words
  const [, later, request = ''] = LATER.exec(text) ?? []
  return later !== undefined && isRequest(withoutMarks(request)) ? later : undefined
}

/** One time, in words that no schedule can have: `at 17:00`, `on 3 December at 9`, `next week`. */
const MONTH = '(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*'
const LATER = new RegExp(
  `^((?:at )?${CLOCK}|(?:on )?(?:(?:the )?\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH}|${MONTH} \\d{1,2}(?:st|nd|rd|th)?)(?:,? \\d{4})?(?:,? ${CLOCK})?|next (?:week|month|year)|(?:in (?:an?|two|three|four|five|six|ten|half an|\\d{1,3}(?:[.,]\\d{1,2})?) (?:hour|day|week|month|year)s?|(?:the )?day after tomorrow)(?:,? ${CLOCK})?|in \\d{1,2} ?h(?:ours?)? ?\\d{1,2}(?: ?m(?:in(?:ute)?s?)?)?|later(?: today)?)(?![\\w-])(.*)$`,
  'is',
)

function withoutMarks(text: string): string {
  return text.replace(/^[\s,:;–—-]+/, '')
}
