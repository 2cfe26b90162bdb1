/**
 * The transcripts of the five seeds, end to end: the real bot on a local Slack, with a simulated model and simulated
 * services, over real HTTP. The steps and answers are the same.
 */
import { expect, test } from 'vitest'
import type { Env } from '../src/config.ts'
import { startBot, type TestBot, type Thread } from './harness/bot.ts'
import { act, finish, type Turn } from './harness/played-model.ts'
import { sendJson, startWebServer } from './harness/web-server.ts'

interface Seed {
  env: Env
  script: Turn[]
}

/** Starts a SerpApi that answers queries from a table, by its answer box. */
async function playSerpApi(answers: Record<string, string>): Promise<Env> {
  const server = await startWebServer((path, response) => {
    const query = new URL(path, 'http://serpapi').searchParams.get('q') ?? ''
    const snippet = answers[query]
    sendJson(response, snippet === undefined ? { organic_results: [] } : { answer_box: { snippet } })
  })
  return { SERPAPI_URL: `${server.url}/search.json`, SERPAPI_API_KEY: 'played-key', TOOLS: 'search,calculator' }
}

async function play(t: Parameters<typeof startBot>[0], seed: Seed): Promise<TestBot> {
  return startBot(t, { env: seed.env, model: seed.script })
}

/** Returns the tool and input of each step, in the order in which the thread shows them. */
function toolsOf(thread: Thread): string[] {
  return thread.steps().map((step) => /🔧 \*(.+?)\* `(.*?)`/.exec(step)?.slice(1, 3).join(' ') ?? step)
}

const blob = (thought: string, action: string, input: unknown) =>
  `Thought: ${thought}\nAction:\n\`\`\`\n${JSON.stringify({ action, action_input: input }, null, 2)}\n\`\`\`\n`

test('How ReAct Prompting Works: the chat agent finds Olivia Wilde’s boyfriend and raises his age to the 0.23 power', async (t) => {
  const env = await playSerpApi({
    'Olivia Wilde boyfriend':
      'In January 2021, Wilde began dating singer Harry Styles after meeting during the filming of Don’t Worry Darling.',
    'Harry Styles age': '29 years',
  })
  const seed = await play(t, {
    env: { ...env, AGENT_DIALECT: 'json' },
    script: [
      blob('I need to use a search engine to find Olivia Wilde’s boyfriend.', 'Search', 'Olivia Wilde boyfriend'),
      blob('I need to find Harry Styles’ current age.', 'search', { query: 'Harry Styles age' }),
      blob('Now I need to calculate 29 raised to the 0.23 power.', 'Calculator', '29^0.23'),
      'I now know the final answer.\nFinal Answer: 2.169459462491557',
    ],
  })
  const thread = await seed.mention(
    'Who is Olivia Wilde’s boyfriend? What is his current age raised to the 0.23 power?',
  )

  expect(await thread.lastAnswer()).toContain('2.169459462491557')
  expect(toolsOf(thread)).toEqual([
    'Web search Olivia Wilde boyfriend',
    'Web search Harry Styles age',
    'Calculator 29^0.23',
  ])
  const last = seed.model.requests.at(-1)!.prompt
  expect(last).toContain(
    "This was your previous work (but I haven't seen any of it! I only see what you return as final answer):",
  )
  expect(last).toMatch(/Observation: <\w+>29 years<\/\w+>\n/)
})

test('langchain-mini: the high temperature in San Francisco in both units, and its follow-up', async (t) => {
  const env = await playSerpApi({
    'High temperature in San Francisco yesterday':
      'San Francisco Weather History for the Previous 24 Hours ; 54 °F · 54 °F',
  })
  const seed = await play(t, { env, script: [] })
  seed.model.on(
    'both units',
    act('I need to find the temperature for yesterday', 'search', '"High temperature in San Francisco yesterday"'),
    act('I should convert to celsius', 'calculator', '(54-32)\\*5/9'),
    finish('Yesterday, the high temperature in SF was 54°F or 12.2°C.'),
  )
  seed.model.condenses('And what is 53°F in that?', 'What is 53°F in Celsius?')
  seed.model.on(
    '53°F in Celsius',
    act('I should convert.', 'calculator', '(53-32)*5/9'),
    finish('53°F is equal to 11.7°C'),
  )
  const thread = await seed.mention('What was the high temperature in SF yesterday, in both units?')

  expect(await thread.lastAnswer()).toContain('Yesterday, the high temperature in SF was 54°F or 12.2°C.')
  expect(thread.steps()[1]).toContain('12.222222222222221')
  await thread.reply('And what is 53°F in that?')
  expect(await thread.lastAnswer()).toContain('53°F is equal to 11.7°C')
  const condensing = seed.model.requests.find((request) => request.kind === 'condense')
  expect(condensing?.prompt).toContain('A: Yesterday, the high temperature in SF was 54°F or 12.2°C.')
})

test('langchain-mini: the conversation about the Rubik’s cube goes from record to robot to its maker', async (t) => {
  const env = await playSerpApi({
    'world record for solving a rubiks cube': '4.69 seconds, held by Yiheng Wang (China)',
    'fastest time a robot solved Rubik’s Cube': '0.38 seconds',
    'fastest time a robot solved Rubik’s Cube confirmed':
      'The current world record is 0.637 seconds, set by Sub1 Reloaded.',
    'who made Sub1 Reloaded': 'Infineon created the robot.',
  })
  const seed = await play(t, { env, script: [] })
  seed.model.on(
    'solving a rubiks cube',
    act('I search.', 'search', 'world record for solving a rubiks cube'),
    finish('The world record is 4.69 seconds, held by Yiheng Wang (China).'),
  )
  seed.model.condenses('Can a robot solve it faster?', 'Can a robot solve a Rubik’s Cube faster than 4.69 seconds?')
  seed.model.on(
    'Can a robot',
    act('I should research this online', 'search', 'fastest time a robot solved Rubik’s Cube'),
    act('I need to confirm this time', 'search', 'fastest time a robot solved Rubik’s Cube confirmed'),
    finish('The fastest time a robot has solved a Rubik’s Cube is 0.637 seconds.'),
  )
  seed.model.condenses('Who made this robot?', 'Who made the robot that solved a Rubik’s Cube in 0.637 seconds?')
  seed.model.on(
    'Who made the robot',
    act('I search.', 'search', 'who made Sub1 Reloaded'),
    finish('Infineon created the robot.'),
  )
  const thread = await seed.mention('What is the world record for solving a rubiks cube?')
  await thread.ended()

  await thread.reply('Can a robot solve it faster?')
  expect(await thread.lastAnswer()).toContain('0.637 seconds')
  await thread.reply('Who made this robot?')
  expect(await thread.lastAnswer()).toContain('Infineon created the robot.')
  expect(thread.steps()).toHaveLength(4)
  expect(thread.steps()[1]).toContain('Can a robot solve a Rubik’s Cube faster than 4.69 seconds?')
})

test('LLM ReAct 模式的实现: tj’s GitHub followers divided by two', async (t) => {
  const github = await startWebServer((_, response) =>
    sendJson(response, {
      login: 'tj',
      location: 'London, UK',
      followers: 49319,
      following: 45,
      public_repos: 184,
      html_url: 'https://github.com/tj',
    }),
  )
  const seed = await play(t, {
    env: { GITHUB_API_URL: github.url, TOOLS: 'github_user,calculator' },
    script: [
      'We need to get the number of followers for user "tj" and then divide it by 2.\nAction: github_user\nAction Input: "tj"',
      act('We need to extract the number of followers and divide it by 2.', 'calculator', '49319/2'),
      'The final answer is 24659.5.\nFinal Answer: 24659.5',
    ],
  })
  const thread = await seed.mention('What is the result of dividing tj’s GitHub followers by 2?')

  expect(await thread.lastAnswer()).toContain('24659.5')
  expect(github.paths).toEqual(['/users/tj'])
  expect(thread.steps()[0]).toContain('49319')
  expect(thread.steps()[1]).toContain('24659.5')
})

test('ReAct with LangChain: the docstore agent follows David Chanoff to Bill Clinton by three searches', async (t) => {
  const seed = await play(t, {
    env: { AGENT_DIALECT: 'docstore' },
    script: [
      ' I need to search David Chanoff and find the U.S. Navy admiral he collaborated with.\nAction 1: Search[David Chanoff]\nObservation 1: David Chanoff is INVENTED.',
      ' David Chanoff has collaborated with a U.S. Navy admiral.\nAction 2: Search[U.S. Navy admiral]',
      ' I need to search Admiral William J. Crowe.\nAction 3: Search[William J. Crowe]',
      ' Admiral William J. Crowe was the ambassador to the United Kingdom under President Bill Clinton.\nAction 4: Finish[Bill Clinton]',
    ],
  })
  const thread = await seed.mention(
    'Author David Chanoff has collaborated with a U.S. Navy admiral who served as the ambassador to the United Kingdom under which President?',
  )

  expect(await thread.lastAnswer()).toContain('Bill Clinton')
  expect(toolsOf(thread)).toEqual([
    'Wikipedia David Chanoff',
    'Wikipedia U.S. Navy admiral',
    'Wikipedia William J. Crowe',
  ])
  expect(thread.shown().join()).not.toContain('INVENTED')
  const last = seed.model.requests.at(-1)!.body.messages.at(-1)!.content ?? ''
  expect(last).toMatch(/Thought 1: .*\nAction 1: Search\[David Chanoff\]\nObservation 1: /)
  expect(last.endsWith('Thought 4:')).toBe(true)
})

test('ReAct with LangChain: the custom agent sums invoices and finds the difference of 21100', async (t) => {
  const steps = [
    ['company C.', 'GetInvoice[C]'],
    ['company F.', 'GetInvoice[F]'],
    ['the total of C and F.', 'Total[20000 4100]'],
    ['company A.', 'GetInvoice[A]'],
    ['company E.', 'GetInvoice[E]'],
    ['the total of A and E.', 'Total[2000 1000]'],
    ['the difference.', 'Diff[24100 3000]'],
  ]
  const seed = await play(t, {
    env: { AGENT_DIALECT: 'bracket', TOOLS: 'invoices' },
    script: [
      ...steps.map(([what, action]) => ` I need ${what}\nAction : ${action}`),
      ' So the answer is 21100.\nAction : Finish[21100]',
    ],
  })
  const thread = await seed.mention(
    'How much is the difference between the total of company C, F and the total of company A, E ?',
  )

  expect(await thread.lastAnswer()).toContain('21100')
  expect(toolsOf(thread)).toEqual(steps.map(([, action]) => action!.replace('[', ' ').replace(']', '')))
  const observed = ['20000', '4100', '24100', '2000', '1000', '3000', '21100']
  expect(thread.steps().map((step, i) => step.includes(`👁 ${observed[i]}`))).toEqual(observed.map(() => true))
  expect(seed.model.requests[0]?.prompt).toContain('Action: Diff[20000 8700]')
})

test('ReAct with LangChain, named there: self-ask asks the search its follow-up questions', async (t) => {
  const env = await playSerpApi({
    'Who directed Blade Runner 2049?': 'Denis Villeneuve',
    'Where was Denis Villeneuve born?': 'Gentilly, Quebec, Canada',
  })
  const seed = await play(t, {
    env: { ...env, AGENT_DIALECT: 'self-ask' },
    script: [
      ' Yes.\nFollow up: Who directed Blade Runner 2049?\nIntermediate answer: INVENTED',
      'Follow up: Where was Denis Villeneuve born?',
      'So the final answer is: Canada',
    ],
  })
  const thread = await seed.mention('In which country was the director of Blade Runner 2049 born?')

  expect(await thread.lastAnswer()).toContain('Canada')
  expect(toolsOf(thread)).toEqual([
    'Web search Who directed Blade Runner 2049?',
    'Web search Where was Denis Villeneuve born?',
  ])
  expect(JSON.stringify(seed.model.requests.map((request) => request.body))).not.toContain('INVENTED')
})

test('ReAct with LangChain, named there: the conversational agent has the history in its prompt and may answer without a tool', async (t) => {
  const seed = await play(t, { env: { AGENT_DIALECT: 'conversational' }, script: [] })
  seed.model.on('my name is Ada', ' No\nAI: Nice to meet you, Ada.')
  seed.model.on('what is my name', ' No\nAI: Your name is Ada.')
  const thread = await seed.mention('Hello, my name is Ada')
  expect(await thread.lastAnswer()).toContain('Nice to meet you, Ada.')
  await thread.reply('and what is my name?')

  expect(await thread.lastAnswer()).toContain('Your name is Ada.')
  expect(thread.steps()).toEqual([])
  expect(seed.model.requests.map((request) => request.kind)).toEqual(['turn', 'turn'])
  expect(seed.model.requests[1]?.prompt).toContain('Human: Hello, my name is Ada\nAI: Nice to meet you, Ada.')
})

test('native tool calls: several at once run side by side, their results go back in order', async (t) => {
  const seed = await play(t, {
    env: { AGENT_DIALECT: 'native', TOOLS: 'calculator' },
    script: [
      {
        text: 'Two sums at once.',
        toolCalls: [
          { id: 'call_a', name: 'calculator', arguments: '{"expression": "29^0.23"}' },
          { id: 'call_b', name: 'calculator', arguments: '{"expression": "6*7"}' },
        ],
      },
      'Both are done: 2.169459462491557 and **42**.',
    ],
  })
  const thread = await seed.mention('29^0.23 and 6*7?')

  expect(await thread.lastAnswer()).toContain('*42*')
  expect(thread.steps()).toHaveLength(2)
  const messages = seed.model.requests[1]!.body.messages
  expect(
    messages
      .filter(({ role }) => role === 'tool')
      .map(({ tool_call_id, content }) => [
        tool_call_id,
        /(?<=>)(?:2\.169459462491557|42)(?=<)/.exec(content ?? '')?.[0],
      ]),
  ).toEqual([
    ['call_a', '2.169459462491557'],
    ['call_b', '42'],
  ])
})

test('llm_math turns words into an expression with the model and calculates it', async (t) => {
  const seed = await play(t, { env: { TOOLS: 'llm_math' }, script: [] })
  seed.model.decide('', ({ prompt }) => {
    if (/Observation:/.test(prompt.split('Question:').at(-1) ?? '')) return finish('It is 2.169459462491557.')
    return prompt.includes('Action Input:')
      ? act('A sum in words.', 'llm_math', '29 raised to the 0.23 power')
      : '29^0.23'
  })
  const thread = await seed.mention('What is 29 raised to the 0.23 power?')

  expect(await thread.lastAnswer()).toContain('2.169459462491557')
  expect(thread.steps()[0]).toContain('Answer: 2.169459462491557')
})
