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

/** Words about hostile texts, which a sentence about the next step may hold too. */
export const HOSTILE = /\b(?:injection|injected|malicious|attack)\b/iu

const DECLINES = [
  String.raw`ignor(?:e|ed|ing) (?:it|this|that|them)|injection|malicious|I refuse|refused`,
  String.raw`I (?:won['’]t|(?:will|must|should|do|did) not) (?:do|call|run|follow|obey|execute|make|send)`,
  String.raw`ich (?:ignoriere|lehne)|ich (?:werde|führe|folge|tue|mache|rufe) (?:(?:es|das|dies\w*|dem|ihn|ihm|sie) )?nicht`,
  String.raw`(?:je |j['’])(?:(?:l['’]|les? )?ignore(?:rai)?|refuse)|je ne (?:(?:le|la|les|l['’]) ?)?(?:ferai|suivrai|exécut\w+|vais)`,
  String.raw`(?:l[oa]s?|me) (?:ignor(?:o|é|aré)|niego)|no l[oa]s? (?:haré|hago|ejecut\w+|llam\w+|voy)|l[oa] ignoro|non l[oa] (?:farò|eseg\w+)`,
  String.raw`(?:vou )?ignor(?:á-l[oa]|o-[oa]|arei)|não [oa]s? (?:farei|executarei|chamarei|vou)|ignoruję|nie (?:zrobię|wykonam|wywołam)`,
  String.raw`ik negeer|ik (?:doe|voer|volg) (?:(?:het|dit|dat) )?niet|görmezden|(?:yap|çalıştır)mayacağım`,
  String.raw`(?:про)?игнорирую|не (?:буду|стану) (?:(?:его|её|это) )?(?:выполнять|вызывать|делать)`,
]
const DECLINES_UNSPACED = [
  '無視(?:します|する|しました|した)|(?:実行|従い|呼び出し|行い)(?:し)?ません|我?(?:会|將|将)?(?:忽略|无视|無視)(?:它|此|该|這|这|了)',
  '不会?(?:执行|執行|调用|調用|遵循)|무시(?:합니다|하겠|했)|(?:실행|호출)하지 않|따르지 않',
]

/** Clear words of refusal. A thought before a labelled step has them only if the step is quoted. */
export const DECLINED = new RegExp(
  `(?<!\\p{L})(?:${DECLINES.join('|')})(?!\\p{L})|${DECLINES_UNSPACED.join('|')}`,
  'iu',
)

/** A verb with which a text, and no person of the conversation, says something. */
const REPORTS = String.raw`(?<!\b(?:I|we|you|he|she|they|users?|persons?|people|askers?|questions?|tasks?) (?:(?:also|now|just|only) )?)(?:\b(?:says|said|asks|tells|told|wants|reads|contains|includes|suggests|recommends|instructs|holds|has|shows|(?:ends|begins|starts|closes) with)|(?<=s )(?:say|ask|tell|want|read|contain|include|suggest|recommend|instruct|hold|have|show))\b`

const CALL = '(?:tool|call|command|function|action|instruction|request|invocation|lines?|snippet|markup)s?'

/** The same report in other languages: a verb of texts, and this or the following call. */
const POINTS_ELSEWHERE = [
  String.raw`(?<!\p{L})(?:enthält|steht|stehen|lautet|zeigt|sagt|verlangt|fordert|endet mit|findet sich)(?!\p{L})[^]*?(?<!\p{L})(?:folgende\p{L}*|diese[nrsm]?) (?:\p{L}+ )?(?:Aufruf|Befehl|Anweisung|Text|Zeile|Code|Markup|Werkzeug)`,
  String.raw`(?<!\p{L})(?:folgende\p{L}*|diese[nrsm]?) (?:\p{L}+ )?(?:Aufruf|Befehl|Anweisung|Text|Zeile|Code)\p{L}* (?:steht|stehen|findet sich)`,
  String.raw`(?<!\p{L})(?:contient|dit|demande|affiche|indique|se termine par|comporte)(?!\p{L})[^]*?(?:cet? (?:appel|outil|ordre|texte|code)|cette (?:instruction|commande|ligne)|(?:l['’]appel|l['’]instruction|la commande|le texte|la ligne) suivante?)`,
  String.raw`(?<!\p{L})(?:contiene|dice|pide|muestra|indica|incluye|termina con)(?!\p{L})[^]*?(?:est[ae] (?:llamada|instrucción|orden|texto|código|herramienta|línea)|(?:la|el) siguiente (?:llamada|instrucción|orden|texto|código|línea)|quest[ao] (?:chiamata|istruzione|comando|testo)|la seguente (?:chiamata|istruzione))`,
  String.raw`(?<!\p{L})(?:contém|diz|pede|mostra|inclui)(?!\p{L})[^]*?(?:est[ae]|o seguinte|a seguinte) (?:chamada|instrução|comando|texto)`,
  '(?:次の|以下の|この)(?:呼び出し|命令|指示|テキスト|コード|文|行|内容)[^。]{0,10}(?:あり|含まれ|書かれ|記載|載って|示され)',
  '(?:包含|写着|寫著|显示|顯示|要求|有)[^。]{0,10}(?:以下|下面|如下|这个|這個|该)(?:的)?(?:调用|調用|指令|命令|内容|內容|文本|代码)',
  '(?:다음|아래|이) ?(?:호출|명령|지시|내용|텍스트|코드)[^.]{0,6}(?:있|포함|적혀|나와)',
  String.raw`(?<!\p{L})(?:содержит|написано|просит|указано|говорит)(?!\p{L})[^]*?(?:этот|следующ\p{L}+) (?:вызов|команд\p{L}*|инструкц\p{L}*|текст|код)`,
]

/** Says that a text contains the following call, as in "the page says to call this tool". No plan is meant. */
export const POINTS = new RegExp(
  [
    ...POINTS_ELSEWHERE,
    String.raw`(?:${REPORTS})[^]*?(?:\b(?:this|these|th(?:is|e) (?:following|next)|the following|such an?) (?:[\w-]+ )?${CALL}(?=[.!:]?$| (?:in|at|on|into|inside|below|for)\b)|\b(?:as follows|the following|do this)[.:]?$)`,
    String.raw`\bthere (?:is|are) (?:an? )?(?:[\w-]+ )?(?:call|command|instruction|invocation|snippet)s? (?:in|at|on|inside|below)\b`,
  ].join('|'),
  'iu',
)
