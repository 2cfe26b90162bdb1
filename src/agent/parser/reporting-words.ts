/**
 * The words before a call that show whether the model means it. They only help where the place of the call does not
 * decide (`quoted-call.ts`). An unknown language costs a second try, or reads a report as a thought.
 */

/** A sentence in which the model says what it does next. */
export const INTENT =
  /^[^\p{L}\p{N}]{0,6}(?:(?:thought|plan)\s?\d{0,3}\s?[:：]\s?)?(?:(?:so|then|now|next|first|ok|okay|and|but|therefore|thus|to [^,]{1,80}|since [^,]{1,80}|because [^,]{1,80})[, ]{1,2}){0,3}(?:I(?: (?:now|also|just|still|first|then|only))?(?:['’]ll|['’]d| will| would| should| shall| must| need| want| have to| can| call| search| use| look|['’]m going| am going)\b|let me\b|let us\b|let['’]s\b|(?:search|call|look|use)\b|ich (?:werde|muss|suche|rufe|will)\b|je (?:vais|dois)\b|voy a\b|debo\b|vou\b)|我(?:要|会|將|将|来|需要|先)|让我|讓我|します|しよう|ましょう/iu

/** A heading of the call itself. */
export const HEADING =
  /^(?=[^\n]{0,40}\p{L})(?:[^\p{L}\p{N}]|here(?: is|['’]s)|\b(?:the|my|a|this|call|calling|search|searching|using|action|code|tool|json|plan|thought|step|query|next|input|python|command|function|行动|思考|动作|操作)\b|\d{1,3})+[:：]?$/iu

const LATIN = [
  String.raw`ignor\w*|refus\w*|won['’]t|never|without (?:calling|running|making)|for (?:example|instance)|e\.g\.|such as`,
  String.raw`not (?:\w+ )?(?:call|run|follow|obey|execute|do|make|send|from)|(?<![./])examples?(?!\.\p{L})`,
  'nicht|keine?|niemals|beispiel\\w*|pas|jamais|exemple|no (?:lo|la|voy|se|debo|haré|ejecut\\w*)|nunca|ejemplo',
  'exemplo|não|non|esempio|niet|nooit|voorbeeld|nie|przykład\\w*|inte|ikke|aldrig|değil|örnek|không|ví dụ',
]
const SPACED = 'не|нельзя|никогда|игнорир\\p{L}*|например|пример\\p{L}*|नहीं|لن|لا|لم|مثال'
const UNSPACED = [
  '例如|例えば|たとえば|比如|忽略|无视|無視|不(?:会|會|要|应|應|该|該|执行|執行|理)|没有|沒有',
  'ません|しない|ない[。．]|않|무시|예를 들어|ไม่',
]

/** Words that say that a call is an example or is not made, in the languages of most teams. */
export const REFUSED = new RegExp(
  `(?<!\\p{L})(?:${[...LATIN, SPACED].join('|')})(?!\\p{L})|${UNSPACED.join('|')}`,
  'iu',
)

/** Words that lead to an example, as the whole sentence. */
export const EXAMPLE =
  /^(?:for (?:example|instance)|e\.g\.|zum beispiel|z\. ?b\.|par exemple|por ejemplo|por exemplo|per esempio|bijvoorbeeld|na przykład|например|例如|比如|例えば|たとえば|예를 들어)[,.:]?$/iu

/** Words about hostile texts, which a sentence about the next step may hold too. */
export const HOSTILE = /\b(?:injection|injected|malicious|attack)\b/iu

/** Clear words of refusal. A thought before a labelled step has them only if the step is quoted. */
export const DECLINED =
  /\b(?:ignor(?:e|ed|ing) (?:it|this|that|them)|injection|malicious|I refuse|refused|I (?:won['’]t|(?:will|must|should|do|did) not) (?:do|call|run|follow|obey|execute|make|send))\b/iu

/** A verb with which a text, and no person of the conversation, says something. */
const REPORTS = String.raw`(?<!\b(?:I|we|you|he|she|they|users?|persons?|people|askers?|questions?|tasks?) (?:(?:also|now|just|only) )?)(?:\b(?:says|said|asks|tells|told|wants|reads|contains|includes|suggests|recommends|instructs|holds|has|shows|(?:ends|begins|starts|closes) with)|(?<=s )(?:say|ask|tell|want|read|contain|include|suggest|recommend|instruct|hold|have|show))\b`

const CALL = '(?:tool|call|command|function|action|instruction|request|invocation|lines?|snippet|markup)s?'

/** Says that a text contains the following call, as in "the page says to call this tool". No plan is meant. */
export const POINTS = new RegExp(
  [
    String.raw`(?:${REPORTS})[^]*?(?:\b(?:this|these|th(?:is|e) (?:following|next)|the following|such an?) (?:[\w-]+ )?${CALL}(?=[.!:]?$| (?:in|at|on|into|inside|below|for)\b)|\b(?:as follows|the following|do this)[.:]?$)`,
    // A question to the person.
    String.raw`^(?:(?:should|shall|may) I|(?:do|would) you (?:want|like)) [^?]*(?:\bthis\b|\bcall\b|\bit\b)[^?]*\?$`,
    String.raw`\bthere (?:is|are) (?:an? )?(?:[\w-]+ )?(?:call|command|instruction|invocation|snippet)s? (?:in|at|on|inside|below)\b`,
  ].join('|'),
  'iu',
)
