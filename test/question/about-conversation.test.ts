import { describe, expect, test } from 'vitest'
import { isAboutConversation } from '../../src/question/about-conversation.ts'
import { startBot } from '../harness/bot.ts'
import { finish } from '../harness/played-model.ts'

describe('a question about the conversation itself', () => {
  test.each([
    ...['What was my first question?', 'what did I ask first?', 'Repeat that.', 'shorter, please', 'in German'],
    ...['and in German?', 'Translate it into French', 'Please summarise your answer', 'as a table', 'Again, please!'],
    ...['Can you say that in one sentence?', 'What do you mean?', 'You said it costs 5 euros. Why?', 'Are you sure?'],
    ...[
      'Make it shorter',
      'Explain that more simply',
      'Which questions have I asked so far?',
      'in two sentences please',
    ],
    ...['What was your last answer?', 'Was war meine erste Frage?', 'Kürzer bitte', 'Auf Englisch bitte', 'Nochmal'],
    ...[
      'Was habe ich dich zuerst gefragt?',
      'Übersetze das ins Englische',
      'en français',
      'Put this in a table',
      'TL;DR',
    ],
    ...[
      'summarise this thread',
      'Can you summarize the thread?',
      'sum up this discussion',
      'recap of the thread please',
    ],
    ...['Fasse diesen Thread zusammen', 'Worum geht es in dieser Diskussion?', 'Résume ce fil', 'resume este hilo'],
    ...['riassumi questa conversazione', 'vat dit gesprek samen', 'resuma esta conversa'],
    ...['このスレッドを要約して', '总结一下这个讨论'],
  ])('keeps its words: %s', (text) => {
    expect(isAboutConversation(text)).toBe(true)
  })

  test.each([
    ...[
      'And in which office does she work?',
      'and half of that?',
      'what about Nice?',
      'Who is his manager?',
      'and when?',
    ],
    ...['Summarise the report of last week', 'Translate "good morning" into German', 'What is the capital of Germany?'],
    ...[
      'Show me the orders of this week',
      'How many tickets are open?',
      'Explain photosynthesis',
      'and for four people?',
    ],
    ...['How do I start a thread in Java?', 'What is the discussion about tariffs?', 'Was kostet ein Faden?'],
    ...['What does it cost in euros?', 'List all rooms', 'Und wer ist sein Chef?', 'Is there a table in room 101?'],
    `${'a long story. '.repeat(40)}What did I ask?`,
  ])('is not one: %s', (text) => {
    expect(isAboutConversation(text)).toBe(false)
  })

  test('gets the turns that it is about, and is not condensed', async (t) => {
    const bot = await startBot(t, { env: { TOOLS: 'calculator' } })
    bot.model.on('capital of France', finish('It is Paris.'))
    bot.model.on('What was my first question', finish('You asked for the capital of France.'))
    const thread = await bot.mention('What is the capital of France?')
    await thread.lastAnswer()
    await thread.ended()
    await thread.reply('What was my first question?')
    await thread.ended()
    expect(bot.model.requests.filter(({ kind }) => kind === 'condense')).toEqual([])
    const { prompt } = bot.model.requests.at(-1)!
    expect(prompt).toMatch(
      /The conversation so far[^]*<([a-z]{6})>Q: What is the capital of France\?\nA: It is Paris\.<\/\1>[^]*Question: What was my first question\?/,
    )
  })
})
