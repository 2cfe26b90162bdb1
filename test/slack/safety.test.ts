import { describe, expect, test } from 'vitest'
import { ALICE, BOB, GENERAL } from '../../playground/slack/slack.ts'
import { REFERENCE, startBot, type TestBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish, type Turn } from '../harness/played-model.ts'

const ends = fileEnds()
const PINGS = `<!channel> <!here> <!everyone> <!here|here> <@${BOB}> <@${BOB}|bob> <!subteam^S0123> <!subteam^S0123|@devs> <#C0X|x>`
const bot = await startBot(ends, { env: { LINK_HOSTS: 'docs.corp.example' } })
const { slack, model } = bot

/** Returns everything that the bot has sent to Slack. */
function sent(to: TestBot = bot): string {
  return JSON.stringify(to.slack.calls.filter(({ method }) => method !== 'auth.test').map(({ args }) => args))
}

describe('nobody is pinged', () => {
  test.each<[string, Turn[]]>([
    ['the answer', [finish(`Hello ${PINGS} done`)]],
    [
      'an answer in code, quotes, tables and links',
      [
        finish(
          `\`${PINGS}\`\n\n> ${PINGS}\n\n| a |\n|-|\n| ${PINGS} |\n\n[${PINGS}](https://example.com) ![${PINGS}](x)\n\n\`\`\`\n${PINGS}\n\`\`\``,
        ),
      ],
    ],
    ['an answer of entities', [finish('&lt;!channel&gt; &#60;!channel&#62; \\<!channel\\>')]],
    ['an answer that splits them', [{ text: finish(`x ${PINGS}`), chunkChars: 1 }]],
    ['a thought', [act(`Think of ${PINGS}.`, 'calculator', '1+1'), finish('ok')]],
    ['an input', [act('Think.', 'calculator', PINGS), finish('ok')]],
    ['a tool’s name', [`Thought: x\nAction: ${PINGS}\nAction Input: 1`, finish('ok')]],
    ['what cannot be read', [`${PINGS}\nAction:`, finish('ok')]],
  ])('by %s', async (what, turns) => {
    model.on(`ping in ${what}`, ...turns)
    const thread = await bot.mention(`ping in ${what}`)
    await thread.ended()
    expect(slack.pings()).toEqual([])
    expect(sent()).not.toMatch(/<[!@#]/)
  })

  test('by a page that a tool read', async (t) => {
    const reader = await startBot(t, {
      pages: [{ id: 1, title: 'Loud', redirects: [], disambiguation: false, text: `${PINGS} is loud.` }],
    })
    reader.model.on('loud page', act('Read.', 'wikipedia', 'Loud'), finish('read'))
    const thread = await reader.mention('loud page')
    await thread.ended()
    expect(thread.steps()[0]).toContain('<!channel>')
    expect(reader.slack.pings()).toEqual([])
    expect(sent(reader)).not.toMatch(/<[!@#]/)
  })

  test('by the question: only the asker of /ask is named', async () => {
    model.on('echoed', finish('ok'))
    const thread = await bot.ask('echoed')
    await thread.ended()
    await slack.slash(`echoed &lt;!channel&gt; &lt;@${BOB}&gt; <!here> <@${BOB}|bob> @channel`)
    await slack.until(() => model.about('echoed').length === 2, 'the second question')
    expect(new Set(slack.pings())).toEqual(new Set([`<@${ALICE}>`]))
  })

  test('by the standalone question', async () => {
    model.on('first of two', finish('one'))
    model.condenses('second of two', `${PINGS} what of it?`)
    model.on('what of it?', act('x', 'calculator', '1+1'), finish('two'))
    const thread = await bot.mention('first of two')
    await thread.ended()
    await thread.reply('second of two')
    await thread.ended()
    expect(thread.steps()[0]).toContain('_Understood as:_ <!channel>')
    expect(new Set(slack.pings())).toEqual(new Set([`<@${ALICE}>`]))
  })
})

describe('links', () => {
  test('are clickable if a tool, the asker or the operator named the host; otherwise they are text', async () => {
    const page = bot.wiki.url.replace('/w/api.php', '/wiki/Dune')
    const lines = [
      `[tool](${page}?a=1)`,
      '[asked](https://asked.example/?b=2)',
      '[docs](https://docs.corp.example/?c=3)',
      '[leak](https://evil.example/?d=secret)',
      '![leak](https://evil.example/p?d=secret)',
    ]
    model.on('asked.example', act('Read.', 'wikipedia', 'Dune'), finish(lines.join('\n\n')))
    const thread = await bot.mention('See <https://asked.example/start> please')
    await thread.ended()
    const blocks = thread.messages().at(-1)?.blocks as { text?: { text: string } }[]
    expect(
      blocks
        .map(({ text }) => text?.text)
        .find(Boolean)
        ?.split('\n\n'),
    ).toEqual([
      `<${page}?a=1|tool>`,
      '<https://asked.example/?b=2|asked>',
      '<https://docs.corp.example/?c=3|docs>',
      'leak (`https://evil.example/?d=secret`)',
      'leak (`https://evil.example/p?d=secret`)',
    ])
  })
})

describe('a failure', () => {
  const openAiError = (status: number, code: string, message: string): Turn => ({
    status,
    body: { error: { message, type: 'invalid_request_error', code } },
  })

  test.each<[string, Turn, RegExp]>([
    [
      'a refused key',
      openAiError(401, 'invalid_api_key', 'Incorrect API key provided: sk-played-key. Stack: at x (y.js:1:2)'),
      /refused my key.*OPENAI_API_KEY/,
    ],
    [
      'a model that does not exist',
      openAiError(404, 'model_not_found', 'The model `played-model` does not exist'),
      /no model "played-model".*OPENAI_MODEL/,
    ],
    [
      'a spent quota',
      openAiError(429, 'insufficient_quota', 'You exceeded your current quota'),
      /used up its quota.*billing/,
    ],
    [
      'a prompt that is too long',
      openAiError(400, 'context_length_exceeded', 'maximum context length is 8192 tokens'),
      /too long.*new thread/,
    ],
    ['a refused request', openAiError(400, 'bad', 'Internal detail 4711'), /refused the request.*log/],
    [
      'an endpoint that is down',
      { status: 500, headers: { 'retry-after-ms': '1' } },
      /cannot be reached right now.*again/,
    ],
    ['a busy endpoint', { status: 429, headers: { 'retry-after-ms': '1' } }, /overloaded.*again/],
  ])('of %s is one sentence with a reference, and the log has the rest under it', async (what, turn, sentence) => {
    model.on(`failing by ${what}`, turn)
    const thread = await bot.mention(`failing by ${what}`)
    const ending = await thread.ended()
    expect(ending).toMatch(sentence)
    expect(ending).not.toMatch(/sk-|4711|\.js|played fault|Error/)
    expect(thread.shown()).toHaveLength(1)
    const reference = REFERENCE.exec(ending)?.[1]
    const line = bot.logs.find((one) => one.includes(`"reference":"${reference}"`))
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      level: 50,
      question: expect.stringContaining(thread.ts),
      error: expect.stringMatching(/^model played-model: /),
    })
  })

  test('after a step leaves the step, and the next question in the thread is answered', async (t) => {
    // The refusals above taught the shared bot a small window.
    const own = await startBot(t)
    own.model.on('half way', act('A step.', 'calculator', '1+1'), openAiError(401, 'x', 'no'))
    own.model.on('after that', finish('fine again'))
    const thread = await own.mention('half way')
    expect(await thread.ended()).toMatch(REFERENCE)
    await thread.reply('after that')
    expect(await thread.lastAnswer()).toBe('fine again')
    expect(thread.steps()).toEqual(['💭 A step.\n🔧 *Calculator* `1+1`\n👁 2'])
  })
})

describe('the log', () => {
  const SAID = /Zanzibar|Quetzal|Xylophone|Wolpertinger|12345679/

  async function busyBot(level: string): Promise<TestBot> {
    const env = {
      LOG_LEVEL: level,
      OPENAI_API_KEY: 'a "key" of no known form',
      OPENAI_HEADERS: '{"x-key": "gateway-secret"}',
    }
    const busy = await startBot(ends, { env, mode: level === 'trace' ? 'socket' : 'http' })
    busy.model.on(
      'Zanzibar',
      act('Quetzal thinks.', 'calculator', '12345678+1'),
      act('Unknown.', 'Xylophone', '1'),
      'Wolpertinger, unreadable\nAction:',
      finish('Quetzal answers.'),
    )
    busy.model.condenses('Wolpertinger', 'What is a Wolpertinger of Zanzibar?')
    busy.model.on('failing', {
      status: 401,
      body: {
        error: {
          message: 'Incorrect API key provided: a "key" of no known form, sk-other, gateway-secret, xoxb-x-bot',
          code: 'invalid_api_key',
        },
      },
    })
    busy.slack.fault({ method: 'chat.postMessage', dropAfter: true })
    busy.slack.fault({ method: 'chat.update', error: 'invalid_blocks' })
    const thread = await busy.mention('Where is Zanzibar?')
    await thread.ended()
    await thread.reply('and a Wolpertinger?')
    await thread.ended()
    await (await busy.ask('Zanzibar by command')).ended()
    await (await busy.mention('failing Xylophone')).ended()
    await busy.stop()
    return busy
  }

  test('at info has ids and sizes, never texts of people, models or tools', async () => {
    const { logs } = await busyBot('info')
    expect(logs.length).toBeGreaterThan(5)
    for (const line of logs) expect(JSON.parse(line)).toHaveProperty('time')
    expect(logs.filter((line) => SAID.test(line))).toEqual([])
    const taken = logs
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .find(({ msg }) => msg === 'question enqueued')
    expect(taken).toMatchObject({
      surface: 'mention',
      chars: 'Where is Zanzibar?'.length,
      outcome: 'accepted',
      question: expect.stringContaining(GENERAL),
    })
  })

  test('has no token or secret at any level', async () => {
    const { logs, slack: local } = await busyBot('trace')
    for (const secret of [
      local.botToken,
      local.appToken,
      local.signingSecret,
      'no known form',
      'sk-other',
      'gateway-secret',
      'xoxb-x-bot',
    ])
      expect(logs.filter((line) => line.includes(secret))).toEqual([])
  })
})

test('Slack would have refused nothing', () => {
  expect(slack.refusals).toEqual([])
})
