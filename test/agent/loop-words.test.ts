/** Nothing that the loop says to a model, and none of its marks, reaches a person. */
import { describe, expect, onTestFinished, test } from 'vitest'
import type { DialectName } from '../../src/config.ts'
import { ToolError } from '../../src/base/errors.ts'
import { AnswerDeltas } from '../../src/agent/parser/answer-deltas.ts'
import { echo, runOn } from '../harness/agent-run.ts'
import { act, finish, structured, type PlayedRequest, type Turn } from '../harness/played-model.ts'

const SPOKEN: Partial<Record<DialectName, { call: Turn; answer(text: string): Turn }>> = {
  text: { call: act('a', 'echo', 'x'), answer: finish },
  structured: { call: structured('echo', { query: 'x' }), answer: (text) => structured('answer', text) },
  native: { call: { toolCalls: [{ name: 'echo', arguments: '{"query":"x"}' }] }, answer: (text) => text },
}
const NAMES = Object.keys(SPOKEN) as DialectName[]

/** Returns the mark around the last observation of a prompt. */
function markIn({ prompt }: PlayedRequest): string {
  return [...prompt.matchAll(/<(\w{6})>/g)].at(-1)?.[1] ?? 'none'
}

const CALLS: Partial<Record<DialectName, (input: string) => Turn>> = {
  text: (input) => act(`I look for ${input}.`, 'echo', input),
  json: (input) => JSON.stringify({ thought: `I look for ${input}.`, action: 'echo', action_input: { query: input } }),
  structured: (input) => structured('echo', { query: input }, `I look for ${input}.`),
  native: (input) => ({ toolCalls: [{ name: 'echo', arguments: JSON.stringify({ query: input }) }] }),
}

test.for(Object.keys(CALLS) as DialectName[])(
  '%s: a call loses the marks around a copied result',
  async (dialect, t) => {
    const call = CALLS[dialect]!
    const tool = echo()
    const { observations, events } = await runOn(t, {
      dialect,
      tools: [tool],
      model: (request, n) => {
        const mark = markIn(request)
        if (n === 0) return call('441')
        return n === 1 ? call(`<${mark}>882</${mark}> + <${mark}>1`) : (SPOKEN[dialect]?.answer ?? finish)('It is 883.')
      },
    })
    expect(tool.calls).toEqual(['441', '882 + 1'])
    expect(observations).toHaveLength(2)
    const thoughts = events.flatMap((event) => (event.type === 'thought' ? [event.step.thought] : []))
    expect(thoughts.join('\n')).not.toMatch(/<\/?\w{6}>/)
  },
)

describe.each(NAMES)('%s: an answer', (dialect) => {
  const { call, answer } = SPOKEN[dialect]!

  test.for([true, false])('loses the marks around a result, whether it is streamed or not (%s)', async (streams, t) => {
    const { final, events } = await runOn(t, {
      dialect,
      model: (request, n) =>
        n === 0
          ? call
          : answer(`It is <${markIn(request)}>441</${markIn(request)}> in all, so ${markIn(request)}>441.`),
      ...(streams ? { readAlong: (spoken, tools) => new AnswerDeltas(spoken, tools) } : {}),
    })
    expect(final).toMatchObject({ type: 'answer', text: 'It is 441 in all, so 441.' })
    const streamed = events.flatMap((event) => (event.type === 'answer_delta' ? [event.text] : [])).join('')
    expect(streamed).not.toMatch(/<?\w{6}>/)
  })

  test.for([
    'You have already done exactly this. It returned: echo of x',
    'If that answers the question, give the final answer.',
  ])('that repeats a hint of the loop is asked again: %s', async (hint, t) => {
    const { final, model } = await runOn(t, { dialect, model: [call, call, answer(hint), answer('It is x.')] })
    expect(final).toMatchObject({ type: 'answer', text: 'It is x.' })
    expect(model.requests).toHaveLength(4)
  })

  test('that is a tool’s raw error is asked again, and at the end nothing was found', async (t) => {
    const broken = echo(() => Promise.reject(new Error('ENOENT: no such file, open /srv/handbook.txt')))
    const leak = answer('The echo failed: Error: ENOENT: no such file, open /srv/handbook.txt.')
    const { final } = await runOn(t, { dialect, tools: [broken], model: [call, leak, leak, leak, leak] })
    expect(final).toMatchObject({ type: 'gave_up', reason: 'unreadable' })
    expect(final).toMatchObject({ text: expect.stringMatching(/could not find an answer/) })
    expect(JSON.stringify(final)).not.toContain('ENOENT')
  })

  test('that says only that a tool does not exist, or that its input is wrong, is asked again', async (t) => {
    const wrongCalls: Partial<Record<DialectName, Turn>> = {
      structured: structured('nope', {}),
      native: { toolCalls: [{ name: 'nope', arguments: '{}' }] },
    }
    const first = wrongCalls[dialect] ?? act('a', 'nope', 'b')
    const { final } = await runOn(t, {
      dialect,
      model: [first, answer('There is no tool "nope".'), answer('I cannot look that up.')],
    })
    expect(final).toMatchObject({ type: 'answer', text: 'I cannot look that up.' })
  })

  test('may repeat what a tool itself says', async (t) => {
    const said = 'There is no page with the name x in this wiki, but there are two like it.'
    const wiki = echo(() => Promise.reject(new ToolError(said)))
    const { final } = await runOn(t, { dialect, tools: [wiki], model: [call, answer(said)] })
    expect(final).toMatchObject({ type: 'answer', text: said })
  })
})

test.for(['[]', '""', '<>'])('an answer of signs alone is one: %s', async (answer, t) => {
  const { final } = await runOn(t, { dialect: 'text', model: [finish(answer)] })
  expect(final).toMatchObject({ type: 'answer', text: answer })
})

test.for(['the answer', 'Your answer.', '<the final answer>', '…'])(
  'what stands for an answer is none: %s',
  async (placeholder, t) => {
    const { final } = await runOn(t, { dialect: 'text', model: [finish(placeholder), finish('94')] })
    expect(final).toMatchObject({ type: 'answer', text: '94' })
  },
)

describe.each(['text', 'json', 'structured'] as const)('%s: the answer to an example', (dialect) => {
  const say = dialect === 'structured' ? (text: string) => structured('answer', text) : finish
  const example = '15 crates hold 360 jars.'

  test.for([true, false])('is asked again, and nothing of it is streamed (%s)', async (streams, t) => {
    const { final, events, observations } = await runOn(t, {
      dialect,
      question: 'How do you say good morning in French?',
      model: [say(example), say(`So, **15 crates** hold 360 jars!`), say('Bonjour.')],
      ...(streams ? { readAlong: (spoken, tools) => new AnswerDeltas(spoken, tools) } : {}),
    })
    expect(observations[0]).toMatch(/answer to one of the examples/)
    expect(final).toMatchObject({ type: 'answer', text: 'Bonjour.' })
    expect(JSON.stringify(events.filter(({ type }) => type === 'answer_delta'))).not.toMatch(/^\["15/)
  })

  test.for([
    'I found no "house rules", so I cannot say when it was planted.',
    'I found no polite sentence, so I cannot say when they were planted.',
    'The sentence beside the old file is polite. It gets bone meal.',
  ])('is asked again with words of the question in it: %s', async (text, t) => {
    const { final } = await runOn(t, {
      dialect,
      question: 'Turn this into one polite sentence: Send the numbers today.',
      model: [say(text), say('Please send the numbers today.')],
    })
    expect(final).toMatchObject({ type: 'answer', text: 'Please send the numbers today.' })
  })

  test('is not given at the end either, in whatever words', async (t) => {
    const { final } = await runOn(t, {
      dialect,
      question: 'Turn this into one polite sentence: Send the numbers today.',
      limits: { maxSteps: 1 },
      model: [say('I could not find out when the fig tree was planted.')],
    })
    expect(final).toMatchObject({ type: 'gave_up', text: expect.stringMatching(/could not find an answer/) })
  })

  test('is not given at the end, word for word', async (t) => {
    const { final } = await runOn(t, {
      dialect,
      question: 'In which city does Jonas work?',
      limits: { maxSteps: 1 },
      model: [say('I found no fig tree, so I cannot say when it was planted.')],
    })
    expect(final).toMatchObject({ type: 'gave_up', text: expect.stringMatching(/could not find an answer/) })
    expect(JSON.stringify(final)).not.toContain('fig')
  })

  test.each([
    ['A crate holds 24 jars. How many jars are in 15 crates?', '15 crates hold 360 jars.'],
    ['When was our fig tree planted?', 'I found no fig tree, so I cannot say when it was planted.'],
    ['Which fertiliser does the quince get?', 'It gets bone meal.'],
  ])('may be the answer to the same question: %s', async (question, answer) => {
    const { final } = await runOn({ onTestFinished }, { dialect, question, model: [say(answer)] })
    expect(final).toMatchObject({ type: 'answer', text: answer })
  })
})

describe.each(['text', 'structured'] as const)('%s: an honest answer in the form of an example is given', (dialect) => {
  const say = dialect === 'structured' ? (text: string) => structured('answer', text) : finish
  const report =
    'I went through the list of suppliers. The old gate was delivered with a plant for the fountain, and I found no note that says which firm gets it, so I cannot say when the tree nursery planted it.'

  test.each([
    ['When was the contract signed?', 'I found no contract, so I cannot say when it was signed.'],
    ['And when?', 'I found no contract, so I cannot say when it was signed.'],
    ['What is new?', 'I could not find out when the page was changed.'],
    ['When was the pear tree planted?', 'I found no pear tree, so I cannot say when it was planted.'],
    ['Which paint does the door need?', 'I found no door, so I cannot say which paint it gets.'],
    ['Who is the lessee?', 'I found no lease, so I cannot say who the lessee is or when it was planned.'],
    ['How many pens are in a box?', 'I found no box, so I cannot say how many pens are in it.'],
    ['Which supplier is it?', report],
  ])('%s %s', async (question, answer) => {
    for (const limits of [{}, { maxSteps: 1 }]) {
      const { final } = await runOn({ onTestFinished }, { dialect, question, limits, model: [say(answer)] })
      expect(final).toMatchObject({ type: 'answer', text: answer })
    }
  })

  test('and the example itself is not, in a long text either', async (t) => {
    const leak = `I have gone through everything that there is. I found no fig tree, so I cannot say when it was planted. ${'Please ask again. '.repeat(9)}`
    const { final } = await runOn(t, { dialect, question: 'And when?', model: [say(leak), say('In May.')] })
    expect(final).toMatchObject({ type: 'answer', text: 'In May.' })
  })
})

test.each(['text', 'json', 'structured', 'native'] as const)(
  '%s: what the loop says about a repeated call stands outside of the marks around its result',
  async (dialect) => {
    const { call } = { text: SPOKEN.text!, json: SPOKEN.text!, structured: SPOKEN.structured!, native: SPOKEN.native! }[
      dialect
    ]
    const done = dialect === 'structured' ? structured('answer', 'x') : dialect === 'native' ? 'It is x.' : finish('x')
    const { model } = await runOn({ onTestFinished }, { dialect, model: [call, call, done] })
    expect(model.requests.at(-1)?.prompt).toMatch(
      /<(\w{6})>echo of x<\/\1>\s+You have already done exactly this, and this is what it returned\. If that answers/,
    )
  },
)

test('text: the hint about the form is no answer, whatever marks stand around it', async (t) => {
  const { final, observations } = await runOn(t, {
    model: (request, n) => {
      if (n === 0) return '{"broken": '
      return n === 1
        ? finish(
            `<${markIn(request)}>That reply could not be read: its JSON breaks off before the end. Write "Thought: …"`,
          )
        : finish('Nothing was found.')
    },
  })
  expect(observations).toHaveLength(2)
  expect(final).toMatchObject({ type: 'answer', text: 'Nothing was found.' })
})

describe('an answer with a figure that no result yields', () => {
  const sum = echo(() => '10063', { name: 'calculator' })
  const call = act('a', 'calculator', '347 * 29')
  const doubtful = (answer: string) => (answer.includes('9823') ? ['9823'] : [])

  test('is asked again once, with the figure and the results in short', async (t) => {
    const { final, model, observations } = await runOn(t, {
      tools: [sum],
      doubtful,
      model: [call, finish('It is 9823.'), finish('It is 10063.')],
    })
    expect(final).toMatchObject({ type: 'answer', text: 'It is 10063.' })
    expect(observations[1]).toMatch(/^9823: .*- calculator \(347 \* 29\): 10063/s)
    expect(model.requests).toHaveLength(3)
  })

  test('is given if it comes again', async (t) => {
    const { final, events } = await runOn(t, {
      tools: [sum],
      doubtful,
      model: [call, finish('It is 9823.'), finish('Still 9823.')],
    })
    expect(final).toMatchObject({ type: 'answer', text: 'Still 9823.' })
    expect(events.filter((event) => event.type === 'thought' && event.step.kind === 'unreadable')).toHaveLength(1)
  })

  test('is asked again on the final turn too, which stays the final one', async (t) => {
    const { final, model } = await runOn(t, {
      tools: [sum],
      doubtful,
      model: [call, call, call, finish('It is 9823.'), finish('It is 10063.')],
    })
    expect(final).toEqual({ type: 'answer', text: 'It is 10063.', sources: [], stopped: 'loop' })
    expect(model.requests.at(-1)!.prompt).toMatch(/run out of new things to try/)
  })

  test('is not asked again without results, nor after people have seen it grow', async (t) => {
    const bare = await runOn(t, { doubtful, model: [finish('It is 9823.')] })
    expect(bare.model.requests).toHaveLength(1)
    const seen = await runOn(t, {
      tools: [sum],
      doubtful,
      model: [call, finish('It is 9823.')],
      readAlong: (spoken, tools) => new AnswerDeltas(spoken, tools),
    })
    expect(seen.final).toMatchObject({ text: 'It is 9823.' })
  })
})

test('the final turn names what is known in short', async (t) => {
  const { model } = await runOn(t, {
    limits: { maxSteps: 2 },
    model: [act('a', 'echo', 'one'), act('b', 'echo', 'two'), finish('x')],
  })
  expect(model.requests.at(-1)?.body.messages.at(-1)?.content).toMatch(
    /no more tools can be used\.[^]*- echo \(one\): echo of one\n- echo \(two\): echo of two\n?<\//,
  )
})

test.each([
  ['a line of it', 'It is delivered by - echo (one): echo of one'],
  [
    'all of it, in its marks',
    (mark: string) => `The butter: <${mark}>- echo (one): echo of one\n- echo (two): echo of two</${mark}>`,
  ],
  ['a list, copied', '- echo (one): echo of one\n- echo (two): echo of two'],
])('the list of what is known is no answer: %s', async (_, answer) => {
  const { final } = await runOn(
    { onTestFinished },
    {
      limits: { maxSteps: 2 },
      model: (request, n) => {
        if (n < 2) return act('a', 'echo', n === 0 ? 'one' : 'two')
        return finish(typeof answer === 'string' ? answer : answer(markIn(request)))
      },
    },
  )
  expect(final).toMatchObject({ type: 'gave_up' })
})

test.for([
  'The echo (of one) is: echo of one',
  'Using the echo (one): echo of one. Enjoy it!',
  'These are the results:\n- echo (one): echo of one\nNothing else was found.',
])('an answer may name the tool, the input and the result: %s', async (text, t) => {
  const { final } = await runOn(t, { limits: { maxSteps: 1 }, model: [act('a', 'echo', 'one'), finish(text)] })
  expect(final).toMatchObject({ type: 'answer', text })
})
