/** Sixty sentences of people who never read the docs, and forty that only resemble them, in every dialect. */
import { describe, expect, test } from 'vitest'
import { ALICE, GENERAL, RANDOM } from '../../playground/slack/slack.ts'
import { DIALECTS } from '../../src/agent/dialects/index.ts'
import type { DialectName } from '../../src/config.ts'
import { startBot } from '../harness/bot.ts'
import { answerIn, callIn } from '../harness/dialect-turns.ts'
import { fileEnds } from '../harness/ends.ts'
import type { PlayedRequest } from '../harness/played-model.ts'

interface Wish {
  /** What a model calls for it, if it is offered. */
  tool: string
  input: object
  /** What the asker sees. */
  card: RegExp
}

const schedule = (when: string, card: RegExp, question = 'the summary of #ops'): Wish => ({
  tool: 'propose_schedule',
  input: { when, question },
  card: new RegExp(`^\\*Your schedule, not saved yet\\*[^]*${card.source}`),
})
const memory = (text: string): Wish => ({
  tool: 'propose_memory',
  input: { text },
  card: /Should I remember this for this channel\?[^]*Nothing is saved yet/,
})
const FORGET: Wish = { tool: 'show_memory', input: {}, card: /I remember nothing for this channel yet/ }
const LIST: Wish = { tool: 'show_schedules', input: {}, card: /You have no schedules here/ }
const ALONE: Wish = {
  tool: 'answer_privately',
  input: { question: 'what is my salary?' },
  card: /Only you see this answer|Who should see my answer\?|Should I answer this to you alone\?/,
}
const SETTINGS: Wish = { tool: 'propose_settings', input: {}, card: /My settings here/ }

const WEEKDAYS = schedule('every weekday at 8:30', /Every weekday at 08:30/)
const MONDAYS = schedule('every Monday at 9', /Every Monday at 09:00/)
const TOMORROW = schedule('tomorrow at 8', /08:00/)
const FIRST = schedule('on the first of every month at 9', /09:00/)

const CARDS: [sentence: string, wish: Wish][] = [
  ['can you send me a summary of #ops every weekday at 8:30?', WEEKDAYS],
  ['I want to get the numbers each Monday morning at nine', MONDAYS],
  ['remind me tomorrow at 8 to call the dentist', TOMORROW],
  ['Could you ping me tomorrow at 8 about the invoice?', TOMORROW],
  ['every Monday at 9 what happened in #ops?', MONDAYS],
  ['post the open tickets here on the first of every month at 9 please', FIRST],
  ['Schick mir bitte jeden Werktag um 8:30 eine Zusammenfassung von #ops', WEEKDAYS],
  ['Erinnere mich morgen um 8 an den Zahnarzt', TOMORROW],
  ['Kannst du montags um 9 die Zahlen posten?', MONDAYS],
  ['Envoie-moi un résumé tous les jours ouvrés à 8h30', WEEKDAYS],
  ['Rappelle-moi demain à 8 heures d’appeler le dentiste', TOMORROW],
  ['Mándame un resumen cada día laborable a las 8:30', WEEKDAYS],
  ['Recuérdame mañana a las 8 llamar al dentista', TOMORROW],
  ['Me manda um resumo toda segunda-feira às 9', MONDAYS],
  ['Me lembra amanhã às 8 de ligar para o dentista', TOMORROW],
  ['Mandami un riassunto ogni lunedì alle 9', MONDAYS],
  ['Ricordami domani alle 8 di chiamare il dentista', TOMORROW],
  ['Stuur me elke maandag om 9 uur de cijfers', MONDAYS],
  ['Herinner me morgen om 8 uur aan de tandarts', TOMORROW],
  ['毎週月曜の9時に要約を送って', MONDAYS],
  ['明日の8時に歯医者をリマインドして', TOMORROW],
  ['每个工作日8:30给我发一份总结', WEEKDAYS],
  ['明天8点提醒我给牙医打电话', TOMORROW],
  ['Which reminders do I have?', LIST],
  ['cancel my Monday report', LIST],
  ['Welche Erinnerungen habe ich?', LIST],
  ['Quels rappels ai-je ?', LIST],
  ['¿Qué recordatorios tengo?', LIST],
  ['please keep in mind that our fiscal year starts in May', memory('Our fiscal year starts in May.')],
  ['note that Dana owns billing from now on', memory('Dana owns billing.')],
  ['From now on, call the staging server Bertha', memory('The staging server is called Bertha.')],
  ['Merk dir bitte, dass unser Geschäftsjahr im Mai beginnt', memory('Das Geschäftsjahr beginnt im Mai.')],
  ['Retiens que notre exercice commence en mai', memory('L’exercice commence en mai.')],
  ['Recuerda que nuestro año fiscal empieza en mayo', memory('El año fiscal empieza en mayo.')],
  ['Lembra que o nosso ano fiscal começa em maio', memory('O ano fiscal começa em maio.')],
  ['Ricorda che il nostro anno fiscale inizia a maggio', memory('L’anno fiscale inizia a maggio.')],
  ['Onthoud dat ons boekjaar in mei begint', memory('Het boekjaar begint in mei.')],
  ['会計年度は5月に始まると覚えておいて', memory('会計年度は5月に始まる。')],
  ['请记住我们的财年从五月开始', memory('财年从五月开始。')],
  ['What do you remember about us?', FORGET],
  ['forget that our fiscal year starts in May', FORGET],
  ['Please delete what I told you about Dana', FORGET],
  ['Vergiss, dass Dana die Rechnungen macht', FORGET],
  ['Oublie ce que je t’ai dit sur Dana', FORGET],
  ['Olvida lo que te dije de Dana', FORGET],
  ['Dana のことは忘れて', FORGET],
  ['忘掉我说的关于Dana的事', FORGET],
  ['can you tell me privately what my salary is?', ALONE],
  ['I do not want the others to read the answer: what is my salary?', ALONE],
  ['Kannst du mir das unter vier Augen sagen: wie hoch ist mein Gehalt?', ALONE],
  ['Peux-tu me répondre en privé ? Quel est mon salaire ?', ALONE],
  ['¿Me lo puedes decir en privado? ¿Cuál es mi salario?', ALONE],
  ['私だけに見えるように答えて', ALONE],
  ['use another model here please', SETTINGS],
  ['stop showing all those steps', SETTINGS],
  ['Zeig hier bitte nicht mehr jeden Schritt', SETTINGS],
  ['Change de modèle dans ce canal', SETTINGS],
]

/** What only the prompt tells a model, by what it is asked. */
const FACTS: [sentence: string, fact: RegExp, answer: RegExp][] = [
  ['who am I?', /by "([^"]+)"/, /^Alice$/],
  ['Wie heiße ich?', /by "([^"]+)"/, /^Alice$/],
  ['what are you called?', /You are "([^"]+)"/, /^Thinkaloud$/],
  ['which channel is this?', /asked in ([^,]+),/, /^the public channel "#general"$/],
  ['Dans quel canal sommes-nous ?', /asked in ([^,]+),/, /^the public channel "#general"$/],
  ['what time is it?', /, at (.*)\.$/m, /^\w{3}, \d{1,2} \w{3} \d{4}, \d\d:\d\d \(Europe\/London\)$/],
  ['What is the time in Tokyo right now?', /, at (.*)\.$/m, /\d\d:\d\d/],
  ['今何時ですか？', /, at (.*)\.$/m, /\d\d:\d\d/],
  ['what can you do?', /(\/ask schedules)/, /^\/ask schedules$/],
  ['Was kannst du alles?', /(\/ask remember)/, /^\/ask remember$/],
]

const QUESTIONS = [
  'every day at 9 the server crashes, why?',
  'in 10 minutes I have a standup. Summarise what is open.',
  'How do reminders in Slack work?',
  'What happens on the first of every month in payroll?',
  'Is there a train every Monday at 9 to Lyon?',
  'When does the shop open tomorrow?',
  'Why is the report late every Friday?',
  'Who reminded me of the meeting yesterday?',
  'Warum stürzt der Server jeden Tag um 9 ab?',
  'Welche Züge fahren täglich nach Bremen?',
  'Pourquoi le serveur tombe-t-il tous les lundis ?',
  '¿Por qué falla el servidor todos los días?',
  '毎週月曜の会議は誰が司会ですか？',
  '为什么服务器每天九点崩溃？',
  'Remember the Titans: who directed it?',
  'Do you remember the name of the moon of Neptune?',
  'What does "remember" mean in French?',
  'How much memory does our server have?',
  'Woran erinnert der Volkstrauertag?',
  'Quel souvenir offrir à un collègue ?',
  'How do people forget a language?',
  'What is the forgetting curve?',
  'forgot my password, what now?',
  'Was bedeutet vergessen auf Englisch?',
  'Comment oublier un mot de passe enregistré ?',
  'Which repositories are private?',
  'What is a private method in Java?',
  'Wie mache ich einen Kanal privat?',
  'What settings does nginx need for gzip?',
  'How do I change the settings of my phone?',
  'Welche Einstellungen hat nginx?',
  'Who am I talking about if I say the father of the atom?',
  'What is a name server?',
  'Which channel is Ofcom?',
  'Time complexity of quicksort?',
  'Which time zones does Brazil have?',
  'What can a chess queen do?',
  'Can you stop a train with a feather?',
  'How do I mute a microphone in Zoom?',
  'Schedule of the World Cup 2026, who plays first?',
]

/** A model that takes every sentence for what it is, and can only do what it is told that it can. */
function reader(name: DialectName) {
  return (request: PlayedRequest) => {
    const { prompt, raw } = request
    if (prompt.includes('A card is open')) return answerIn(name, 'A card waits for you.')
    const question = prompt.slice(prompt.lastIndexOf('You are asked in'))
    const [, wish] = CARDS.find(([sentence]) => question.includes(sentence)) ?? []
    if (wish && raw.includes(wish.tool)) return callIn(name, wish.tool, wish.input)
    const [, fact] = FACTS.find(([sentence]) => question.includes(sentence)) ?? []
    return answerIn(name, fact ? (fact.exec(prompt)?.[1] ?? 'I do not know.') : 'Plain words.')
  }
}

test('there are sixty and forty of them', () => {
  expect([CARDS.length + FACTS.length >= 60, QUESTIONS.length]).toEqual([true, 40])
})

describe.each(Object.keys(DIALECTS) as DialectName[])('in %s', async (name) => {
  const bot = await startBot(fileEnds(), {
    model: reader(name),
    env: { AGENT_DIALECT: name, TOOLS: 'wikipedia', SCHEDULES_PER_USER: '50' },
  })
  const seen = (channel = GENERAL) => bot.slack.ephemerals(channel, ALICE)

  test.each(CARDS)('%j opens its card', async (sentence, { card }) => {
    const before = seen().length
    await bot.slack.mention(sentence)
    await bot.slack.until(
      () =>
        seen()
          .slice(before)
          .some((text) => card.test(text)),
      `a card for ${sentence}`,
      10_000,
    )
    expect(seen().slice(before)).toHaveLength(1)
  })

  test.each(FACTS)('%j is answered', async (sentence, _, answer) => {
    expect(await (await bot.mention(sentence)).lastAnswer()).toMatch(answer)
  })

  test.each(QUESTIONS)('%j is a question', async (sentence) => {
    const thread = await bot.mention(sentence, { channel: RANDOM })
    expect(await thread.lastAnswer()).toBe('Plain words.')
    expect(seen(RANDOM)).toEqual([])
  })
})
