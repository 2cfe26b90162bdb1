import { describe, expect, test } from 'vitest'
import type { Usage } from '../../src/agent/contracts/model.ts'
import { condense } from '../../src/question/condense.ts'
import type { Turn } from '../../src/stores/history/types.ts'
import { loadPrompts } from '../../src/base/prompts.ts'
import { modelAt } from '../harness/agent-run.ts'
import { startBot } from '../harness/bot.ts'
import type { Ends } from '../harness/ends.ts'
import { modelsOf } from '../harness/model-call.ts'
import { finish, playModel, type Turn as Played } from '../harness/played-model.ts'
import { playWindowed } from '../harness/windowed-model.ts'

const turn = (question: string, answer: string, standalone = question): Turn => ({
  id: question,
  question,
  standalone,
  answer,
  user: 'U1',
  at: 1,
})
const TURNS = [
  turn('Who wrote Dune?', 'Frank Herbert.'),
  turn('and when was he born?', 'In 1920.', 'When was Frank Herbert born?'),
]

async function condensed(t: Ends, said: Played, { question = 'and his brother?', turns = TURNS } = {}) {
  const model = await playModel(t, [said])
  const usage: Usage[] = []
  const options = {
    model: modelAt(model.url),
    prompts: loadPrompts(),
    signal: AbortSignal.timeout(60_000),
    onUsage: (one: Usage) => usage.push(one),
  }
  return {
    text: await condense(question, { turns, said: '', nonce: 'n0nce' }, options),
    requests: model.requests,
    usage,
  }
}

test('the prompt contains the thread’s messages, each question as it was understood, and the new message last', async (t) => {
  const { requests } = await condensed(t, 'Who was Frank Herbert’s brother?')
  expect(requests[0]?.prompt).toMatch(/standalone question/i)
  expect(requests[0]?.prompt).toContain(
    'Conversation:\nQ: Who wrote Dune?\nA: Frank Herbert.\nQ: When was Frank Herbert born?\nA: In 1920.\n\nMessage: and his brother?\nStandalone question:',
  )
})

test.for([
  ['as it is', 'Who was his brother?', 'Who was his brother?'],
  ['with the label', 'Standalone question: Who was his brother?', 'Who was his brother?'],
  ['with the label in bold, in other case', '**STANDALONE QUESTION:** Who was his brother?', 'Who was his brother?'],
  ['with a full-width colon', 'Standalone question：他哥哥是谁？', '他哥哥是谁？'],
  ['in quotes', '"Who was his brother?"', 'Who was his brother?'],
  ['with quotes inside', '"Dune" or "Emma"?', '"Dune" or "Emma"?'],
  ['after thinking', '<think>Hm, he is Herbert.</think>\n\nWho was his brother?', 'Who was his brother?'],
  ['empty', '  \n', 'and his brother?'],
  ['of thinking alone', '<think>Hm.</think>', 'and his brother?'],
] as const)('a standalone question %s is read', async ([, said, expected], t) => {
  expect((await condensed(t, said)).text).toBe(expected)
})

describe.concurrent('a standalone question that repeats the prompt is rejected', () => {
  test.for([
    ['the whole prompt', '', 'Conversation:\nQ: Who wrote Dune?\nA: Frank Herbert.\n\nMessage: and his brother?'],
    ['its labels, then a question', 'Message: and his brother?\n', 'Standalone question: Who was his brother?'],
    ['a sentence of the template', '', 'If it already stands alone, repeat it as it is. Who was his brother?'],
    ['the conversation', '', 'Who wrote Dune? A: Frank Herbert. and his brother?'],
    ['the conversation without its labels', 'Who wrote Dune?\n', 'Frank Herbert.\nWho was his brother?'],
    ['labels in bold', '', '**Q:** Who was his brother?\n**A:** Nobody.'],
  ] as const)('%s', async ([, head, said], t) => {
    expect((await condensed(t, head + said)).text).toBe('and his brother?')
  })

  test('a standalone question may repeat the person’s words or an earlier answer', async (t) => {
    const question = 'Message: the mail says\nQ: Who? Make sense of that.'
    const whole = 'Message: the mail says\nQ: Who wrote Dune? Make sense of that.'
    expect((await condensed(t, whole, { question })).text).toBe(whole)
    const about = 'Translate "Frank Herbert." into German.'
    expect((await condensed(t, about, { question: 'translate that' })).text).toBe(about)
  })
})

test('a thread without history costs no call', async (t) => {
  const { text, requests } = await condensed(t, 'never asked', { turns: [] })
  expect([text, requests]).toEqual(['and his brother?', []])
})

test('people’s messages are unchanged, and a long answer loses its middle', async (t) => {
  const odd = '$& {{history}} {{question}} $1 日本'
  const { requests } = await condensed(t, 'x', { question: odd, turns: [turn(odd, `begin ${'x'.repeat(5000)} end`)] })
  expect(requests[0]?.prompt).toMatch(/A: begin x+\n… \(\d+ characters cut\) …\nx+ end\n/)
  expect(requests[0]?.prompt.split(odd)).toHaveLength(3)
})

test('worked follow-ups come before it, and their standalone questions are never taken for its own', async (t) => {
  const copied = await condensed(t, 'What is a third of 480?')
  expect(copied.text).toBe('and his brother?')
  const messages = copied.requests[0]!.body.messages
  expect(messages.length).toBeGreaterThan(5)
  expect(messages.map(({ role }) => role)).toEqual(messages.map((_, i) => (i % 2 ? 'assistant' : 'user')))
})

test('its tokens are counted', async (t) => {
  const { usage } = await condensed(t, 'x')
  expect(usage).toEqual([{ model: 'played-model', inputTokens: expect.any(Number), outputTokens: 1, estimated: false }])
})

test('a rewriting that is far longer than the question is rejected', async (t) => {
  const question = 'and his brother?'
  const longest = `Who is ${'x'.repeat(2 * question.length + 4000 - 'Who is ?'.length)}?`
  expect((await condensed(t, longest)).text).toBe(longest)
  expect((await condensed(t, `${longest}?`)).text).toBe(question)
})

test('a long question may be rewritten at length', async (t) => {
  const question = 'Compare them: '.repeat(1_000)
  const standalone = `${question}\nThat is, Dune and Emma.`
  expect((await condensed(t, standalone, { question })).text).toBe(standalone)
})

test('an answer is shown up to 1,500 characters', async (t) => {
  const whole = `begin ${'y'.repeat(1500 - 'begin  end'.length)} end`
  const { requests } = await condensed(t, 'x', { turns: [turn('One?', whole), turn('Two?', `${whole}.`)] })
  const [, first, second] =
    /\nA: ([^]*)\nQ: Two\?\nA: ([^]*)\n\nMessage: /.exec(requests[0]!.body.messages.at(-1)!.content!) ?? []
  expect(first).toBe(whole)
  expect(second).toMatch(/^begin y+\n… \(1 characters cut\) …\ny+ end\.$/)
})

test('in a small window the oldest turns are left out', async (t) => {
  const endpoint = await playWindowed(t, { server: 'vLLM', window: 2_048, turns: ['Who was Frank Herbert’s brother?'] })
  const { model } = modelsOf({ OPENAI_BASE_URL: endpoint.url })
  const long = (i: number) => turn(`Question ${i}?`, `${i} ${'It is a long story about sand. '.repeat(60)}`)
  const turns = Array.from({ length: 10 }, (_, i) => long(i))
  const call = { model, prompts: loadPrompts(), signal: AbortSignal.timeout(60_000), onUsage: () => {} }
  expect(await condense('and his brother?', { turns, said: '', nonce: 'n0nce' }, call)).toContain('brother')
  expect(endpoint.refused).toBe(0)
  const { prompt } = endpoint.answered[0]!.request
  expect(prompt).not.toContain('Question 0?')
  expect(prompt).toContain('Question 9?')
  expect(prompt).toContain('Message: and his brother?')
})

const SAND = 'It is a long story about sand. '

test('in a small window people’s messages and a long earlier question are shortened too, and the model is told', async (t) => {
  const endpoint = await playWindowed(t, { server: 'vLLM', window: 2_048, turns: ['Who was Frank Herbert’s brother?'] })
  const { model } = modelsOf({ OPENAI_BASE_URL: endpoint.url })
  const turns = [turn('Who wrote Emma?', 'Jane Austen.'), turn(`Who wrote this? ${SAND.repeat(120)}`, 'Frank Herbert.')]
  const said = Array.from({ length: 150 }, (_, i) => `@Ann: ${i} ${SAND}`).join('\n')
  const usage: Usage[] = []
  const call = {
    model,
    prompts: loadPrompts(),
    signal: AbortSignal.timeout(60_000),
    onUsage: (one: Usage) => usage.push(one),
  }
  expect(await condense('and his brother?', { turns, said, nonce: 'n0nce' }, call)).toContain('brother')
  expect(endpoint.refused).toBe(0)
  const { prompt } = endpoint.answered[0]!.request
  expect(prompt).toContain('(1 earlier question is left out)\n')
  expect(prompt).toMatch(/characters of earlier messages are left out\)\n@Ann: \d+/)
  expect(prompt).toMatch(/Q: Who wrote this\?[^]*characters cut[^]*A: Frank Herbert\.[^]*@Ann: 149 /)
  expect(usage).toMatchObject([{ leftOut: ['the thread'] }])
})

test.for<[string, object]>([
  ['the window that is listed', {}],
  ['a refusal', { isListed: false }],
])('a follow-up that alone is too long to be condensed stays as it was typed, by %s', async ([, listed], t) => {
  const endpoint = await playWindowed(t, { server: 'vLLM', window: 2_048, turns: ['A short one?'], ...listed })
  const { model } = modelsOf({ OPENAI_BASE_URL: endpoint.url })
  const call = { model, prompts: loadPrompts(), signal: AbortSignal.timeout(60_000), onUsage: () => {} }
  const question = `And this? ${SAND.repeat(400)}`
  expect(await condense(question, { turns: TURNS, said: '', nonce: 'n0nce' }, call)).toBe(question)
  expect(endpoint.answered).toEqual([])
})

test('a follow-up that is too long for the model gets a sentence with both sizes', async (t) => {
  const endpoint = await playWindowed(t, { server: 'llama.cpp', window: 4_096, turns: [finish('Fine.')] })
  const bot = await startBot(t, { env: { OPENAI_BASE_URL: endpoint.url } })
  const thread = await bot.mention('Who wrote Dune?')
  await thread.ended()
  await thread.reply(`And this? ${SAND.repeat(800)}`)
  expect(await thread.ended()).toMatch(
    /^Your question is too long for the model: .* about \d,\d{3} tokens.* 4,096 at once/,
  )
})
