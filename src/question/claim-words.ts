/**
 * Finds what an answer claims to have done, in English, German, French, Spanish, Portuguese, Italian, Dutch, Japanese
 * and Chinese, so that the run's record can contradict it. Only the first `CHARS` of an answer are read.
 */
const CHARS = 20_000

const ADVERBS = '(?:(?:just|now|also|already|successfully|gladly|then|both|therefore|of course|happily)[ ,]+){0,3}'
const I = `\\b(?:I|we)(?:['’](?:ve|ll|m)| have| had| will| am going to| shall)? ${ADVERBS}`

/** Work that only a card and a press can do: reminders, schedules, memory. */
const KEPT = [
  `\\bI(?:['’]ll| will| am going to|['’]m going to| shall) ${ADVERBS}(?:remind|notify|alert|ping|remember|memori[sz]e|forget|keep (?:that|this|it) in mind|keep (?:you|an eye)|let you know|get back to you|come back to you|check (?:again|back|in)|follow up|send (?:you|it|them|this|that)\\b[^.!?\\n]{0,80}\\b(?:every|each|daily|weekly|tomorrow|later|at \\d|on (?:mon|tue|wed|thu|fri|sat|sun)))`,
  `\\bI(?:['’]ve| have|) ${ADVERBS}(?:set (?:up )?(?:a|the|your|this|that)|scheduled|remembered|memori[sz]ed|forgotten|erased|made a note|created (?:a|the|your) (?:reminder|schedule)|added (?:a|the|your|it to my|that to my|this to my) (?:reminder|schedule|memory))\\b`,
  `\\b(?:reminder|schedule)s? (?:is|are|has been|have been|was|were)? ?(?:now )?(?:set|scheduled|created|saved|active|in place)\\b`,
  `\\b(?:it|that|this)(?: is|['’]s| has been| was)? (?:now )?(?:remembered|forgotten|erased from my memory|deleted from my memory|scheduled)\\b`,
  "\\b(?:got it|noted|sure|ok(?:ay)?|done|understood)[,.!–—-]{1,2} (?:I(?:[’']ll| will)) ",
  '\\bich (?:werde (?:dich|euch|sie|mir|es|das|daran)\\b|erinnere (?:dich|euch|sie)|melde mich|merke (?:es )?mir|behalte (?:das|es))',
  '\\b(?:ich habe|habe ich|hab)\\b[^.!?\\n]{0,60}\\b(?:gemerkt|vergessen|geplant|eingeplant|eingerichtet)\\b',
  '\\b(?:erinnerung|zeitplan)\\b[^.!?\\n]{0,30}\\b(?:gesetzt|eingerichtet|erstellt|angelegt|geplant|gespeichert)\\b',
  "\\bje (?:te|vous|le|la|m[’']en|l[’'])\\s?(?:rappellerai|préviendrai|avertirai|tiendrai|notifierai|souviendrai|retiens|ferai)\\b",
  "\\bj[’']ai\\b[^.!?\\n]{0,40}(?:programmé|planifié|mémorisé|retenu|oublié|enregistré un rappel|créé un rappel)",
  '\\b(?:te|le|les|os|lo|la)\\s(?:recordaré|avisaré|notificaré)|\\bhe\\s[^.!?\\n]{0,30}(?:programado|memorizado|olvidado|creado (?:un|el) recordatorio)|\\brecordatorio\\b[^.!?\\n]{0,20}(?:creado|programado|guardado)',
  '\\b(?:vou|irei)\\s[^.!?\\n]{0,20}(?:lembrar|avisar|notificar)|\\b(?:lembrarei|avisarei|agendei|programei|memorizei|esqueci)\\b|\\blembrete\\b[^.!?\\n]{0,20}(?:criado|agendado|salvo)',
  '\\b(?:ti|vi|lo|le)\\s(?:ricorderò|avviserò|avvertirò)|\\bho\\s[^.!?\\n]{0,30}(?:programmato|pianificato|memorizzato|dimenticato|creato (?:un|il) promemoria)|\\bpromemoria\\b[^.!?\\n]{0,20}(?:creato|impostato|salvato)',
  '\\bik (?:zal|herinner|onthoud)\\s[^.!?\\n]{0,40}(?:herinneren|onthouden|laten weten|je|dat|eraan)|\\bik heb\\s[^.!?\\n]{0,40}(?:ingepland|onthouden|vergeten|herinnering)',
  '(?:リマインド|リマインダー|お知らせ|通知|覚え|記憶|忘れ|スケジュール)[^。\\n]{0,14}(?:します|しました|いたします|ておきます|ました|ます)',
  '(?:我会|我會|我将|我將|我已|已经|已經|已为您|已為您)[^。\\n]{0,14}(?:提醒|通知|记住|記住|记下|記下|安排|忘记|忘記)',
].map((pattern) => new RegExp(pattern, 'iu'))

const VERBS =
  'noted|written|wrote|created|updated|changed|modified|edited|sent|posted|published|deleted|removed|added|saved|stored|recorded|scheduled|booked|filed|opened|closed|reopened|resolved|moved|renamed|merged|deployed|restarted|assigned|invited|approved|cancell?ed|ordered|paid|transferred|submitted|uploaded|shared|e-?mailed|forwarded|replied|logged|registered|set|configured|enabled|disabled|installed|archived|restored|reset|replaced|inserted|appended|marked|completed|fixed|done|executed|ran|triggered|started|stopped|paused|made|put|entered|documented|notified|informed|pinged|refunded|locked|unlocked|granted|revoked|blocked|reserved|placed|committed|pushed|tagged|released|remembered|forgotten|erased|changed|turned'

/** Work that a tool with effects can do. */
const WRITTEN = [
  `${I}(?:${VERBS})\\b`,
  `\\b(?:has|have|had) ${ADVERBS}been ${ADVERBS}(?:${VERBS})\\b`,
  `\\b(?:is|are|was|were) (?:now|successfully|already) ${ADVERBS}(?:${VERBS})\\b`,
  `(?:^|[.!?:]\\s|\\n)\\W{0,4}(?:successfully )?(?:${VERBS})\\b[ .!:,]`,
  "\\b(?:all set|all done|taken care of|(?:it|that|this|everything)(?:[’']s| is) (?:done|saved|sent|set|in place|updated|fixed|gone|live))\\b",
  '\\b(?:ich habe|habe ich|wir haben|wurden?|ist jetzt|sind jetzt|ist nun)\\b[^.!?\\n]{0,100}\\b(?:ge\\p{Ll}{3,}|be\\p{Ll}{4,}|er\\p{Ll}{4,}t|ver\\p{Ll}{4,}|\\p{Ll}{2,}iert|\\p{Ll}{2,}ge\\p{Ll}{3,})\\b|\\b(?:erledigt|notiert|gespeichert|angelegt|gelöscht|gesendet|verschickt)\\b',
  "\\bj[’']ai\\b[^.!?\\n]{0,40}(?:\\p{Ll}+é|écrit|mis|fait|envoyé)|\\b(?:a|ont) été \\p{Ll}+é|\\bc[’']est fait",
  '\\b(?:he|hemos|ha sido|han sido)\\s[^.!?\\n]{0,30}\\p{Ll}+(?:ado|ido|to|cho)|(?:^|[.!]\\s)(?:listo|hecho)',
  '\\b(?:criei|enviei|anotei|atualizei|apaguei|adicionei|salvei|movi|publiquei|foi \\p{Ll}+[ai]do|foram \\p{Ll}+[ai]dos)|(?:^|[.!]\\s)(?:feito|pronto)',
  '\\b(?:ho|abbiamo|è stat[oa]|sono stat[ie])\\s[^.!?\\n]{0,30}\\p{Ll}+(?:at|it|ut|tt|ss)[oaie]|(?:^|[.!]\\s)fatto',
  '\\b(?:ik heb|we hebben|is|zijn)\\s[^.!?\\n]{0,40}\\b(?:aange|toege|bij?ge|opge|ver|ge)\\p{Ll}{3,}(?:d|t|en)\\b|(?:^|[.!]\\s)gedaan',
  '(?:しました|いたしました|完了|済み)',
  '已(?:经|經|成功)?[^。，\\s]{0,12}|(?:完成|成功|好)了',
].map((pattern) => new RegExp(pattern, 'imu'))

/** A request to write something. The answer to one is read as saying that it was done, unless it declines. */
const ASKED =
  /^\W{0,3}(?:(?:please|pls|can you|could you|would you|bitte|kannst du|peux-tu|pouvez-vous|puedes|por favor|pode|puoi|kun je|请|請)[ ,]{1,2})?(?:write|note|create|add(?! (?:up|\d|(?:these|those|all|the) (?:numbers|figures|values|amounts|column)))|send|post|delete|remove|update|change|book|file|open|close|move|rename|set|save|store|record|schedule|assign|invite|approve|cancel|order|deploy|restart|merge|upload|publish|share|edit|log|mark|turn|enable|disable|put|make an?|archive|restore|reset|schreib|notiere?|erstelle?|leg|füge?|sende?|schick|lösche?|ändere?|buche?|verschieb|speichere?|écris|note|crée|ajoute|envoie|supprime|change|mets|escribe|anota|crea|añade|envía|borra|cambia|escreva|anote|crie|adicione|envie|apague|scrivi|annota|aggiungi|invia|cancella|schrijf|noteer|maak|voeg|stuur|verwijder|wijzig)(?!\p{L})/iu
const DECLINED =
  /\b(?:can(?:no|['’])t|could(?:n['’]t| not)|unable|not able|not allowed|won['’]t|did(?:n['’]t| not)|have(?:n['’]t| not)|was not|wasn['’]t|sorry|denied|declined|refused|nothing was|kann (?:ich )?(?:das |es )?nicht|konnte .{0,40}nicht|leider|ne peux pas|désolé|no puedo|lo siento|não (?:posso|consigo)|non posso|mi dispiace|kan (?:ik )?(?:dat )?niet|helaas)\b|できません|無法|无法|不能|抱歉/iu

/** Returns whether an answer claims what only a card can do: a reminder, a schedule, memory. */
export function claimsKept(answer: string): boolean {
  const said = ownWords(answer)
  return KEPT.some((claim) => claim.test(said))
}

/** Returns whether an answer could be read as saying that something was changed. */
export function mayClaimWrite(answer: string, question: string): boolean {
  const said = ownWords(answer)
  if ([...WRITTEN, ...KEPT].some((claim) => claim.test(said))) return true
  return ASKED.test(question.slice(0, 200)) && !DECLINED.test(said)
}

/** The answer without quotations and code, which are others' words. */
function ownWords(answer: string): string {
  return answer
    .slice(0, CHARS)
    .replace(/```[^]*?(?:```|$)|`[^`\n]*`|^\s*>.*$|“[^”\n]{0,500}”|"[^"\n]{0,500}"|«[^»\n]{0,500}»/gmu, ' ')
}
