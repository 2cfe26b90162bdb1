/** `/ask` in the words of people who mean `/ask private:`, or another command: nothing is posted that they did not mean to. */
import { describe, expect, test } from 'vitest'
import { ALICE, BOB, BOT_USER, GENERAL, RANDOM } from '../../playground/slack/slack.ts'
import { ASK_ALONE, ASK_HERE } from '../../src/slack/format/action-ids.ts'
import { pressAlone } from '../harness/answer-buttons.ts'
import { secondBot, startBot, type TestBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { finish } from '../harness/played-model.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'

const ONLY_YOU = 'Only you see this answer.'
const CARD = '*Who should see this question and its answer?* Nothing is posted yet.'

const PRIVATE = [
  'private what is my salary?',
  'Private: what is my salary?',
  'PRIVATE what is my salary',
  'private, what is my salary?',
  'privately what is my salary?',
  'Privately - my salary?',
  'in private what is my salary?',
  'In Private: my salary?',
  '(private) my salary?',
  '[PRIVATE] my salary?',
  '*private* what is my salary?',
  'private – my salary',
  'private; my salary',
  'private. My salary?',
  'private：my salary?',
  'ｐｒｉｖａｔｅ： my salary?',
  '🔒 private: my salary?',
  'please privately: my salary',
  'Please answer privately: what is my salary?',
  'answer me privately what is my salary?',
  'privte: what is my salary?',
  'prviate what is my salary?',
  'just for me: my salary?',
  'only for me, my salary?',
  'confidential: my salary?',
  'private question: my salary?',
  'What is my salary? (privately please)',
  'What is my salary (private)?',
  'What is my salary? Answer privately.',
  'What is my salary, privately please',
  'What is my salary? Please keep this private.',
  'privat: mein Gehalt?',
  'Privat wie hoch ist mein Gehalt?',
  'nur für mich: mein Gehalt?',
  'Bitte privat antworten: mein Gehalt?',
  'Wie hoch ist mein Gehalt? (bitte privat)',
  'privé : mon salaire ?',
  'en privé quel est mon salaire ?',
  'Réponds-moi en privé : mon salaire ?',
  'Quel est mon salaire ? (en privé)',
  'privado: mi salario',
  'En privado, mi salario',
  '¿Cuál es mi salario? Solo para mí.',
  'em privado: meu salário?',
  'Privado qual é o meu salário?',
  'só para mim: meu salário?',
  'privato: il mio stipendio?',
  'in privato quanto guadagno?',
  'Quanto guadagno? Rispondi in privato.',
  'privé: mijn salaris?',
  'prive wat is mijn salaris?',
  'alleen voor mij: mijn salaris?',
  'プライベート：私の給料は？',
  'プライベートで教えて、私の給料は？',
  '内緒で、私の給料は？',
  '（非公開）私の給料は？',
  '私下告诉我我的工资',
  '私密：我的工资是多少？',
  '（私信）我的工资',
  '我的工资是多少？（私下）',
]

const UNCLEAR = [
  'private equity in Europe?',
  'private-equity funds in Europe?',
  'Private beaches near Lisbon',
  '"private" or "public" cloud?',
  'private key rotation?',
  'privately held companies in Germany?',
  'private Krankenversicherung kündigen?',
  'privat versichert oder gesetzlich?',
  '私人股本是什么',
  'プライベート・エクイティとは',
  'Wie hoch ist mein Gehalt? Bitte privat antworten.',
  'Kannst du mir privat sagen, wie hoch mein Gehalt ist?',
  'What is my salary? DM me please',
  'What is my salary - only visible to me please',
  'whisper: what is my salary?',
  'I want a private answer: my salary',
  'Quel est mon salaire ? Réponds en privé stp',
  '¿Puedes decirme en privado cuál es mi salario?',
  'Me diga em particular qual é o meu salário',
  'Puoi dirmi in privato il mio stipendio?',
  'Kun je me privé vertellen wat mijn salaris is?',
  '私の給料を内緒で教えてください',
  '我的工资是多少？只告诉我',
]

const PUBLIC = [
  'What is private equity?',
  'privacy policy?',
  'How do I make a channel private?',
  'Is this channel private?',
  'Privatise the railways, yes or no?',
  'How do I share a file privately in Slack?',
  'What is the difference between public and private keys?',
  'primate evolution?',
  'Privatversicherung?',
  'our private cloud costs in May',
  'Which of our repos are private?',
  'personal computer history',
  'secret santa ideas',
  'confidential computing, what is it?',
  'What does "private" mean in Java?',
  'Is the repo public or private?',
  'Wie mache ich einen Kanal privat?',
  'Comment rendre un canal privé ?',
  '¿Cómo hago un canal privado?',
  'Hoe maak ik een kanaal privé?',
  '会社の非公開情報とは何ですか',
  '什么是私人股本？',
  'pirate bay history',
  'scheduled maintenance, when is it?',
  'schedules of the trains to Lyon?',
  'reminders in Slack, how do they work?',
  'member count?',
  'forgot my password, what now?',
  'memory of our servers?',
  'remembered holidays, which are they?',
  'settings of nginx?',
  'How do I show that a repository is private?',
  'Which answer did the private sector give?',
  'Tell me about the private schools of Berlin',
  'Sag mir, welche Kanäle privat und welche öffentlich sind',
]

const roots = ({ slack }: TestBot, channel = GENERAL) =>
  slack.messages(channel).filter(({ user, thread_ts }) => user === BOT_USER && thread_ts === undefined)

describe('private in other words', async () => {
  const ends = fileEnds()
  const bot = await startBot(ends, { model: () => finish('An answer.') })
  const { slack, model } = bot
  const seen = () => slack.ephemerals(GENERAL, ALICE)

  test.each(PRIVATE)('%j is answered to the asker alone', async (text) => {
    const [before, asked] = [seen().length, model.requests.length]
    expect((await slack.slash(text, { channel: GENERAL })).ok).toBe(true)
    await slack.until(() => seen().length > before, 'a private answer')
    expect(seen().slice(before)).toEqual([expect.stringContaining(ONLY_YOU)])
    expect(model.requests.at(-1)?.question).not.toMatch(/privat|privé|private:|只|alone/i)
    expect([model.requests.length > asked, roots(bot)]).toEqual([true, []])
  })

  test.each(UNCLEAR)('%j is asked back, and nothing is posted', async (text) => {
    const [before, asked] = [seen().length, model.requests.length]
    await slack.slash(text, { channel: GENERAL })
    await slack.until(() => seen().length > before, 'a card')
    expect(seen().at(-1)).toBe(`${CARD}\n> ${text}\nOnly me\nEveryone here`)
    expect([model.requests.length, roots(bot), slack.ephemerals(GENERAL, BOB)]).toEqual([asked, [], []])
  })

  test.each(PUBLIC)('%j is an ordinary question', async (text) => {
    await slack.slash(text, { channel: RANDOM })
    const root = await slack.until(() => roots(bot, RANDOM).find((one) => slack.shown(one).endsWith(`> ${text}`)), text)
    await slack.until(() => slack.replies(RANDOM, root.ts).length > 0, 'its answer')
    expect(slack.ephemerals(RANDOM, ALICE)).toEqual([])
  })

  test('Slack would have refused nothing', () => expect(slack.refusals).toEqual([]))
})

describe('the card', async () => {
  const bot = await startBot(fileEnds(), { model: () => finish('An answer.') })
  const { slack, model } = bot

  test('asks alone or for everyone, once', async () => {
    await slack.slash('private equity: R&D of <@U0B0B0B0B01> in <Europe>?', { channel: GENERAL })
    await pressAlone(slack, ASK_ALONE)
    await slack.until(() => slack.ephemerals(GENERAL, ALICE).some((word) => word.includes(ONLY_YOU)), 'the answer')
    expect(slack.ephemerals(GENERAL, ALICE)).toHaveLength(1)
    expect(model.requests[0]?.question).toContain('private equity: R&D of')
    expect(roots(bot)).toEqual([])
    await slack.slash('private clouds?', { channel: GENERAL })
    await Promise.all([pressAlone(slack, ASK_HERE), pressAlone(slack, ASK_HERE).catch(() => undefined)])
    await slack.until(() => roots(bot).length > 0, 'the question of everyone')
    await slack.until(() => roots(bot).every(({ ts }) => slack.replies(GENERAL, ts).length > 0), 'its answer')
    await slack.settle(200)
    expect(roots(bot).map((one) => slack.shown(one))).toEqual(['@Alice asked:\n> private clouds?'])
  })

  test('a text too long for its buttons is answered to the asker alone', async () => {
    const before = roots(bot).length
    await slack.slash(`private clouds and ${'more '.repeat(500)}?`, { channel: GENERAL, user: BOB })
    await slack.until(() => slack.ephemerals(GENERAL, BOB).some((word) => word.includes(ONLY_YOU)), 'the answer')
    expect(roots(bot)).toHaveLength(before)
  })

  test('in a direct message everything is private already, so nothing is asked', async () => {
    const channel = `D${ALICE.slice(1)}`
    await slack.slash('private equity in Europe?', { channel })
    await slack.until(() => roots(bot, channel).length > 0, 'the question')
    await slack.until(() => slack.replies(channel, roots(bot, channel)[0]!.ts).length > 0, 'its answer')
    expect(slack.ephemerals(channel, ALICE)).toEqual([])
  })

  test.each([
    ['forgt', 'forget'],
    ['Schedul', 'schedule'],
    ['settigns', 'settings'],
    ['setings!', 'settings'],
    ['memroy', 'memory'],
    ['conections', 'connections'],
    ['/hlep', 'help'],
    ['remeber our fiscal year starts in May', 'remember'],
    ['shedule every Monday at 9 what is new?', undefined],
    ['scedule: every Monday at 9 what is new?', 'schedule'],
  ])('%j gets a hint', async (text, command) => {
    const [before, posted, asked] = [slack.ephemerals(GENERAL, ALICE).length, roots(bot).length, model.requests.length]
    await slack.slash(text, { channel: GENERAL })
    await slack.until(() => slack.ephemerals(GENERAL, ALICE).length > before, 'a hint')
    expect(slack.ephemerals(GENERAL, ALICE).at(-1)).toContain(`Did you mean \`/ask ${command ?? 'schedule'}\`?`)
    expect([roots(bot).length, model.requests.length]).toEqual([posted, asked])
  })
})

test('private remember is refused where all would know it', async (t) => {
  const { slack } = await startBot(t)
  await slack.slash('privately remember my salary is low', { channel: GENERAL })
  await slack.until(() => slack.ephemerals(GENERAL, ALICE).length > 0, 'a word')
  expect(slack.ephemerals(GENERAL, ALICE)[0]).toContain('known to everyone in this channel')
})

describeWithRedis('with Redis', async () => {
  const ends = fileEnds()
  const { url, stop } = await startRedis()
  ends.onTestFinished(stop)

  test('a press reaches the bot that came after the one that asked', async (t) => {
    const bot = await startBot(t, { env: { REDIS_URL: url }, model: () => finish('An answer.') })
    await bot.slack.slash('private clouds?', { channel: GENERAL })
    await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).length > 0, 'the card')
    const next = await secondBot(t, bot, { REDIS_URL: url })
    await bot.stop()
    bot.slack.setTarget(`http://127.0.0.1:${next.port}/slack/events`)
    await pressAlone(bot.slack, ASK_ALONE)
    await bot.slack.until(
      () => bot.slack.ephemerals(GENERAL, ALICE).some((word) => word.includes(ONLY_YOU)),
      'the answer',
    )
    expect(roots(bot)).toEqual([])
  })
})
