/** Ways in which people phrase questions to the demo, with the real loop, the real tools and the shipped wiki pages. */
import { describe, expect, test } from 'vitest'
import { complete } from '../../../playground/demo/demo-model.ts'
import { actionIn, demoOnWiki, demoPrompt, finalIn } from '../../harness/demo-talk.ts'

const { talk } = demoOnWiki()

describe('one question', () => {
  test.each([
    ['who was ada lovelace', 'English mathematician'],
    ['WHO WAS ADA LOVELACE???', 'English mathematician'],
    ['Who’s Harry Styles?', 'English singer'],
    ['whats redis', 'in-memory data store'],
    ['Ada Lovelace?', 'English mathematician'],
    ['tell me about TypeScript', 'programming language'],
    ['Could you tell me who Ada Lovelace was, please?', 'English mathematician'],
    ['hey, I’d like to know who wrote Dune 🙂', '**Frank Herbert**'],
    ['please, how old is Harry Styles?', '**Harry Styles** is **'],
    ['can you explain who Alan Turing was, thanks', 'computer scientist'],
    ['Hi there! Would you please tell me what the capital of France is? Thank you!', '**Paris**'],
    ['I was wondering how tall the Eiffel Tower is, thanks a lot', '**330 metres**'],
    ['do you happen to know where Marie Curie was born?', '**Warsaw**'],
    ['Good morning, please could you calculate 12 * 7 for me?', '12*7 = **84**'],
    ['could you maybe tell me what 15% of 80 is', '**12**'],
    ['whats 2+2', '**4**'],
    ['what is twelve times seven?', '**84**'],
    ['How tall is Mount Everest?', '**8,848.86 metres**'],
    ['how high is everest', '8,848.86 metres'],
    ['When was Ada Lovelace born?', '**10 December 1815**'],
    ['when did Ada Lovelace die', '**27 November 1852**'],
    ['Where was Harry Styles born?', '**Redditch, England**'],
    ['where did Alan Turing die?', '**Wilmslow, Cheshire**'],
    ['How old was Ada Lovelace when she died?', '**36**'],
    ['what is the age of frank herbert', '**65**'],
    ['Ada Lovelace’s age', '**36**'],
    ['What is the age of Frank Herbert raised to the 0.23 power?', '65^0.23 = **2.6'],
    ['who founded slack', 'Stewart Butterfield'],
    ['Who designed C?', '**Dennis Ritchie**'],
    ['who was dune written by?', '**Frank Herbert**'],
    ['Who invented the Rubik’s Cube?', '**Ernő Rubik**'],
    ['who invented the rubiks cube', '**Ernő Rubik**'],
    ['Who built the Eiffel Tower?', '**Gustave Eiffel**'],
    ['Who created Sherlock Holmes?', '**Arthur Conan Doyle**'],
    ['the boyfriend of olivia wilde', '**Harry Styles**'],
    ['Who was Ada Lovelace’s father?', '**Lord Byron**'],
    ['Who was the mother of Alan Turing?', '**Ethel Sara Turing**'],
    ['Sherlock Holmes’ brother', '**Mycroft Holmes**'],
    ['How old was Ada Lovelace’s father?', '**Lord Byron** lived to be **36**'],
    ['What year was Redis released?', '**2009**'],
    ['When was TypeScript released?', '**2012**'],
    ['What is quicksilver?', 'chemical element'],
    ['What is the speed of light?', '299,792,458 metres per second'],
    ['What is C#?', 'Microsoft'],
    ['what is AT&T', 'telecommunications'],
    ['Who is Erno Rubik', 'Hungarian architect'],
    ['who was alan turning', 'Alan Mathison Turing'],
    ['What is a dune?', 'hill of loose sand'],
    ['What are dunes?', 'hill of loose sand'],
    ['Who were Orville Wright and Wilbur Wright?', 'first successful aeroplane'],
  ])('%s', async (question, expected) => {
    const [turn] = await talk(question)
    expect(turn?.answer).toContain(expected)
    expect(turn?.used).not.toEqual([])
  })
})

describe('two questions in one', () => {
  test.each([
    ['Who was Ada Lovelace, and what is 2+2?', ['English mathematician', '**4**'], ['wikipedia', 'calculator']],
    ['What is 12*7? And who is Olivia Wilde’s boyfriend?', ['**84**', '**Harry Styles**'], ['calculator', 'wikipedia']],
    ['Could you tell me who Olivia Wilde is, and her boyfriend?', ['actress', '**Harry Styles**'], ['wikipedia']],
    ['Who wrote Dune and how old was he?', ['**Frank Herbert**:', '**65**'], ['wikipedia', 'calculator']],
    ['What is 6*7 and what is half of it?', ['**42**', '**21**'], ['calculator', 'calculator']],
    [
      'How old are Harry Styles and Olivia Wilde?',
      ['**Harry Styles** is **', '**Olivia Wilde** is **'],
      ['wikipedia', 'calculator', 'calculator'],
    ],
    ['Hello! Who was Alan Turing? Thanks!', ['computer scientist'], ['wikipedia']],
    ['What is 2+2? Will it rain?', ['**4**', 'beyond me'], ['calculator']],
  ])('%s', async (question, answers, tools) => {
    const [turn] = await talk(question)
    for (const one of answers) expect(turn?.answer).toContain(one)
    expect(turn?.used.map(({ tool }) => tool)).toEqual(expect.arrayContaining(tools))
  })
})

describe('pronouns refer to people by gender and number', () => {
  test.each([
    [['Who was Ada Lovelace?', 'Who was Alan Turing?', 'how old was she?'], '**Ada Lovelace** lived'],
    [['Who was Ada Lovelace?', 'Who was Alan Turing?', 'and he?', 'how old was he?'], '**Alan Turing** lived'],
    [['Who is Olivia Wilde?', 'and her boyfriend?'], '**Harry Styles**'],
    [['Who is Olivia Wilde’s boyfriend?', 'how old is he?'], '**Harry Styles** is **'],
    [['Who is Olivia Wilde’s boyfriend?', 'how old is she?'], '**Olivia Wilde** is **'],
    [['Who wrote Dune?', 'and how old was he?'], '**Frank Herbert** lived'],
    [['Who wrote Dune?', 'who published it?'], 'Chilton'],
    [['Who was Alan Turing?', 'Who wrote Dune, and how old was he?'], '**Frank Herbert** lived'],
    [['What is 2+2?', 'What is 6*7, and half of it?'], '**21**'],
    [['How tall is the Eiffel Tower?', 'who built it?'], '**Gustave Eiffel**'],
    [['What is France?', 'and its capital?'], '**Paris**'],
    [['Who was Ada Lovelace?', 'Who was Alan Turing?', 'When were they born?'], '**23 June 1912**'],
    [['Who was Ada Lovelace?', 'What is 2+2?', 'who was her mother?'], '**Anne Isabella Milbanke**'],
    [['How old was Ada Lovelace?', 'and Alan Turing?'], '**Alan Turing** lived'],
    [['When was Ada Lovelace born?', 'and where?'], '**London**'],
    [['Where was Alan Turing born?', 'what about Marie Curie?'], '**Warsaw**'],
    [['What is 6*7?', 'and half of it?'], '**21**'],
  ])('%j', async (questions, expected) => {
    const turns = await talk(...questions)
    expect(turns.at(-1)?.answer).toContain(expected)
  })
})

test('the answer to each unanswerable question says what the demo can do', async () => {
  const [first, second, third] = await talk('Write me a poem', 'Sing a song', 'What is 2+2?')
  expect(first?.answer).toContain('OPENAI_API_KEY')
  expect(second?.answer).toBe(first?.answer)
  expect(third?.answer).toBe('2+2 = **4**')
})

describe('a prompt with other tools', () => {
  const asks = (question: string, tools: string[], seen: string[] = []) => {
    const said = complete(demoPrompt(question, { tools, observations: seen }))
    return actionIn(said) ?? finalIn(said)
  }
  const tools =
    'calculator wikipedia wikipedia_lookup workspace_search read_thread notes__add notes__list make_file'.split(' ')

  test('a note is added and the notes are listed', () => {
    expect(asks('Note down: buy milk', tools)).toEqual(['notes__add', '{"text": "buy milk"}'])
    expect(asks('Please note that "Bob" is away, and who is he?', tools)?.[0]).toBe('notes__add')
    expect(asks('what notes are there?', tools)).toEqual(['notes__list', '{}'])
    expect(asks('Could you show me my notes, please?', tools)).toEqual(['notes__list', '{}'])
    expect(asks('what notes are there?', tools, ['1. buy milk'])).toBe('1. buy milk')
    expect(asks('Note down: buy milk', ['calculator'])).toContain('I am only the demo')
  })

  test('a file is made if no server writes files', () => {
    const made = ['make_file', '{"name": "list.txt", "text": "Buy milk"}']
    expect(asks('Write "Buy milk" into list.txt', tools)).toEqual(made)
    expect(asks('write “Buy milk” to a file called list.txt please', tools)).toEqual(made)
  })

  test('a longer list of tools changes nothing', () => {
    expect(asks('Who was Ada Lovelace?', tools)).toEqual(['wikipedia', 'Ada Lovelace'])
    expect(asks('Who was Ada Lovelace?', [...tools, 'or another of those above'])).toEqual([
      'wikipedia',
      'Ada Lovelace',
    ])
  })
})
