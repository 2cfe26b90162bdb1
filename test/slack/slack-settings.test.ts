import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { BOT_USER, GENERAL } from '../../playground/slack/slack.ts'
import { startBot } from '../harness/bot.ts'
import { temporaryFolder } from '../harness/command.ts'
import { act, finish } from '../harness/played-model.ts'

describe.concurrent('a setting', () => {
  test('FOLLOW_UPS=mention: a reply needs a mention, and is then a follow-up', async (t) => {
    const { mention, model, slack } = await startBot(t, { env: { FOLLOW_UPS: 'mention' } })
    model.on('first', finish('one'))
    model.condenses('second', 'The second one?')
    model.on('The second one', finish('two'))
    const thread = await mention('first')
    await thread.ended()
    await slack.say({ text: 'second, to the others', thread_ts: thread.ts })
    await slack.settle(150)
    expect(model.requests).toHaveLength(1)
    await thread.reply(`<@${BOT_USER}> second`)
    expect(await thread.lastAnswer()).toBe('_Understood as:_ The second one?\ntwo')
  })

  test('OPENAI_CONDENSE_MODEL condenses, OPENAI_MODEL answers, and the footer names both', async (t) => {
    const { mention, model } = await startBot(t, { env: { OPENAI_CONDENSE_MODEL: 'small' } })
    model.on('first', finish('one'))
    model.condenses('second', 'The second one?')
    model.on('The second one', finish('two'))
    const thread = await mention('first')
    await thread.ended()
    await thread.reply('second')
    expect(await thread.ended()).toMatch(/· small, played-model ·/)
    expect(model.requests.map(({ body }) => body.model)).toEqual(['played-model', 'small', 'played-model'])
  })

  test('OPENAI_STREAM=false requests whole answers', async (t) => {
    const { mention, model } = await startBot(t, {
      env: { OPENAI_STREAM: 'false' },
      model: [act('a', 'calculator', '6*7'), finish('42')],
    })
    expect(await (await mention('whole?')).lastAnswer()).toBe('42')
    expect(model.requests.map(({ body }) => body.stream)).toEqual([false, false])
  })

  test('AGENT_MAX_STEPS: the answer says that it hit the limit', async (t) => {
    const { mention } = await startBot(t, {
      env: { AGENT_MAX_STEPS: '2' },
      model: (_, n) => (n < 2 ? act(`step ${n}`, 'calculator', `${n}+1`) : finish('as far as I got')),
    })
    const thread = await mention('for ever?')
    expect(await thread.lastAnswer()).toBe(
      '_I reached the step limit. This is my best answer so far._\nas far as I got',
    )
    expect(thread.steps()).toHaveLength(2)
  })

  test('RUN_MAX_TOKENS and RUN_MAX_USD: the answer says which limit it hit', async (t) => {
    const PRICES_FILE = join(await temporaryFolder(t), 'prices.json')
    await writeFile(PRICES_FILE, '{"played-model": {"in": 1, "out": 1}}')
    for (const [env, limit] of [
      [{ RUN_MAX_TOKENS: '100' }, 'token'],
      [{ RUN_MAX_USD: '0.0001', PRICES_FILE }, 'cost'],
    ] as const) {
      const { mention, model } = await startBot(t, { env })
      model.decide('how much', ({ prompt }, n) =>
        prompt.includes('run out of') ? finish('so far') : act('a', 'calculator', `${n}+1`),
      )
      const thread = await mention('how much?')
      expect(await thread.lastAnswer()).toBe(`_I reached the ${limit} limit. This is my best answer so far._\nso far`)
      expect(thread.steps()).toHaveLength(1)
    }
  })

  test('AGENT_TIMEOUT_MS and TOOL_TIMEOUT_MS bound a run without answers', async (t) => {
    const env = { AGENT_TIMEOUT_MS: '24000', TOOL_TIMEOUT_MS: '100' }
    const { mention, wiki, model } = await startBot(t, { env })
    model.decide('slow world', ({ prompt }, n) => {
      if (/run out of time/.test(prompt)) return finish('what I know')
      return n === 0 ? act('read', 'wikipedia', 'Dune') : { hang: true }
    })
    wiki.fault({ times: 9, delayMs: 60_000 })
    const thread = await mention('slow world?')
    expect((await thread.lastAnswer()).split('\n')).toEqual([
      '_I reached the time limit. This is my best answer so far._',
      'what I know',
      expect.stringMatching(/^⚠️ Wikipedia is down, so this answer may be incomplete\./),
    ])
    expect(thread.steps()[0]).toContain('wikipedia did not finish within 0.1 s.')
  })

  test('TOOL_OUTPUT_CHARS cuts what the model reads', async (t) => {
    const pages = [{ id: 1, title: 'Long', redirects: [], disambiguation: false, text: 'word '.repeat(400) }]
    const { mention, model } = await startBot(t, {
      pages,
      env: { TOOL_OUTPUT_CHARS: '200' },
      model: [act('read', 'wikipedia', 'Long'), finish('ok')],
    })
    await (await mention('long?')).ended()
    expect(model.requests[1]?.prompt).toMatch(/… \(\d+ characters cut\) …/)
  })

  test('TOOLS: only these are offered', async (t) => {
    const { mention, model } = await startBot(t, { env: { TOOLS: 'calculator' }, model: [finish('ok')] })
    await (await mention('which?')).ended()
    expect(model.requests[0]?.prompt).toMatch(/one of \[calculator(?:, (?:propose|show|answer)_\w+)+\]/)
  })
})

test.concurrent(
  'Slack’s rates are respected: four threads of two steps in one channel, nothing lost and in order',
  async (t) => {
    const { mention, model, slack } = await startBot(t, { slack: { strictRate: true } })
    const names = Array.from({ length: 4 }, (_, i) => `rate-${i}`)
    for (const name of names)
      model.on(name, act(`${name} a`, 'calculator', '1+1'), act(`${name} b`, 'calculator', '2+2'), finish(`${name} c`))
    const threads = await Promise.all(names.map((name) => mention(name)))
    await Promise.all(threads.map((thread) => thread.ended()))
    for (const [i, thread] of threads.entries())
      expect(thread.shown().map((text) => new RegExp(`${names[i]} ([abc])`).exec(text)?.[1])).toEqual(['a', 'b', 'c'])
    expect(slack.messages(GENERAL)).toHaveLength(4 + 12)
    expect(slack.refusals).toEqual([])
  },
)
