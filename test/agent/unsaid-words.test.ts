import { describe, expect, test } from 'vitest'
import { calculator } from '../../tools/calculator.ts'
import type { Tool } from '../../src/agent/contracts/tool.ts'
import { echo, runOn } from '../harness/agent-run.ts'
import type { Ends } from '../harness/ends.ts'
import { structured, type Turn } from '../harness/played-model.ts'

function lookUp(name: string, about: string, result: string): Tool {
  return echo(() => result, { name, description: `Looks up ${about}.` })
}

const TASK = lookUp('task', 'a task: owner, state, days', 'WEB-14: owner Jonas Vik, state open')
const COLLEAGUE = lookUp('colleague', 'a colleague: team, phone, site', 'Jonas Vik: team Web, phone 4533, site Mill')
const SITE = lookUp(
  'site',
  'a site: city, floors. The input is one or two words of its name, as text',
  'Mill: city Utrecht, floors 3',
)
const TOOLS = [calculator(), TASK, COLLEAGUE, SITE]

/** A person's own list may begin in the same words. */
const LIST = 'Still missing: the form (PDF)'

const call = (tool: string, query = 'WEB-14') => structured(tool, { query })
const ANSWER = structured('answer', 'It is done.')

/** Returns the last line that the model read in each turn. */
async function lastLines(t: Ends, question: string, model: Turn[], tools = TOOLS) {
  const run = await runOn(t, { dialect: 'structured', tools, question, model })
  return run.model.requests.map(({ body }) => body.messages.at(-1)!.content!.split('\n').at(-1)!)
}

describe('structured names beside a result what the question asks for and no result says', () => {
  test.for([
    ['a word', 'What is the phone of the owner of task WEB-14?', 'Still missing: phone (colleague)'],
    ['its plural', 'How many floors has the office of the owner of WEB-14?', 'Still missing: floor (site)'],
    ['several words', 'In which team and city is the owner of WEB-14?', 'Still missing: team (colleague), city (site)'],
    ['a number, where a tool does sums', 'What is the owner of WEB-14 times 12?', 'Still missing: 12 (calculator)'],
    ['a tool by its name', 'Which colleague owns WEB-14?', 'Still missing: colleague (colleague)'],
  ] as const)('%s', async ([, question, line], t) => {
    const [asked, next] = await lastLines(t, question, [call('task'), ANSWER])
    expect(asked).toBe(`Question: ${question}`)
    expect(next).toBe(line)
  })

  test.for([
    ['the result says it', 'What is the state of WEB-14?'],
    ['the tool that is about it has run', 'For how many days has WEB-14 been open?'],
    ['it is what an input is', 'Give me another word for the text and the name of WEB-14.'],
    ['no tool is about it', 'What is the colour of WEB-14?'],
    ['the number is part of a name or a date', 'Was WEB-14 open on 2026-11-02 at 12:30?'],
  ] as const)('not if %s', async ([, question], t) => {
    const [, next] = await lastLines(t, question, [call('task'), ANSWER])
    expect(next).toMatch(/^Observation: /)
  })

  test('not if many tools are about it', async (t) => {
    const others = ['desk', 'phone_book', 'board'].map((name) => lookUp(name, 'a phone', 'x'))
    const [, next] = await lastLines(
      t,
      'What is the phone of the owner?',
      [call('task'), ANSWER],
      [...TOOLS, ...others],
    )
    expect(next).toMatch(/^Observation: /)
  })

  test('until it is said, and not twice', async (t) => {
    const question = 'In which city is the owner of WEB-14?'
    const turns = [call('task'), call('colleague', 'Jonas Vik'), call('site', 'Mill'), ANSWER]
    const lines = await lastLines(t, question, turns)
    expect(lines.filter((line) => line === 'Still missing: city (site)')).toHaveLength(1)
    expect(lines[1]).toBe('Still missing: city (site)')
  })

  test('again when the model has repeated its call', async (t) => {
    const turns = [call('task'), call('task'), ANSWER]
    const lines = await lastLines(t, 'In which city is the owner of WEB-14?', turns)
    expect(lines.slice(1)).toEqual(['Still missing: city (site)', 'Still missing: city (site)'])
  })

  test('so that a request begins with the one before it', async (t) => {
    const question = 'In which city is the owner of WEB-14?'
    const turns = [call('task'), call('colleague', 'Jonas Vik'), ANSWER]
    const { model } = await runOn(t, { dialect: 'structured', tools: TOOLS, question, model: turns })
    const [, two, three] = model.requests.map(({ body }) => body.messages)
    expect(three!.slice(0, two!.length)).toEqual(two)
  })

  test('which is never an answer', async (t) => {
    const { final } = await runOn(t, {
      dialect: 'structured',
      tools: TOOLS,
      question: 'What is the phone of the owner of task WEB-14?',
      model: [call('task'), structured('answer', 'Still missing: phone (colleague)'), structured('answer', LIST)],
    })
    expect(final).toMatchObject({ type: 'answer', text: LIST })
  })
})
