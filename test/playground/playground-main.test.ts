import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../../src/base/package-root.ts'
import { startPlayground } from '../../playground/main.ts'
import { typed } from '../../playground/page-server/page-actions.ts'
import { ALICE, GENERAL, type StoredMessage } from '../../playground/slack/slack.ts'
import { startCommand, temporaryFolder } from '../harness/command.ts'
import { localSlack } from '../harness/local-slack.ts'
import { act, finish, playModel } from '../harness/played-model.ts'
import { textOf } from '../harness/project-files.ts'

describe('npm run playground', () => {
  test('prints its address, the model in use, what is simulated and what is real, and ends at Ctrl+C', async (t) => {
    // An empty folder, so that no developer's .env is read.
    const cwd = await temporaryFolder(t)
    const playground = startCommand(t, 'playground/main.ts', { env: { PLAYGROUND_PORT: '0' }, cwd, fromSource: true })
    await playground.shows('Ctrl+C ends it.')
    const url = /http:\/\/localhost:\d+/.exec(playground.stdout())?.[0] ?? ''
    expect(playground.stdout()).toMatch(
      /Model: the built-in demo.*\nSimulated: Slack.*\nSimulated: Wikipedia, with \d+ short pages.*\nSimulated: a web site.*\nReal: the bot/,
    )
    expect(await (await fetch(url)).text()).toContain('Thinkaloud playground')
    playground.signal('SIGINT')
    expect((await playground.ended).code).toBe(0)
  })

  test('an invalid port leads to a message and exit code 1', async (t) => {
    const cwd = await temporaryFolder(t)
    const playground = startCommand(t, 'playground/main.ts', { env: { PLAYGROUND_PORT: 'many' }, cwd })
    const { code, stderr } = await playground.ended
    expect([code, stderr.trim()]).toEqual([1, expect.stringMatching(/^PLAYGROUND_PORT should be/)])
  })
})

describe('the bot in the playground', () => {
  test('runs a schedule as soon as its clock is moved to the next morning', async (t) => {
    const { slack, url, stop } = await startPlayground({ PLAYGROUND_PORT: '0', FOOTER: 'full' }, { paceMs: 0 })
    t.onTestFinished(stop)
    const moved = (path: string, body: object) =>
      fetch(`${url}/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    await slack.slash('every day at 9 What is 15% of 240?')
    const { ephemerals } = slack.store.channel(GENERAL)
    const card = await slack.until(
      () => ephemerals.find((one) => JSON.stringify(one).includes('schedule_save')),
      'a card',
    )
    await slack.press({ channel: GENERAL, ts: card.ts, user: ALICE }, { action_id: 'thinkaloud_schedule_save' })
    await slack.until(
      () => ephemerals.some((one) => slack.shown(one as StoredMessage).startsWith('Saved')),
      'a saved schedule',
    )
    expect((await moved('faults', { name: 'tomorrow', on: true })).status).toBe(200)
    const roots = () => slack.messages(GENERAL).filter((one) => slack.shown(one).includes('Every day at 09:00'))
    const isAnswered = (n: number) => () =>
      slack.replies(GENERAL, roots()[n]?.ts ?? '').some((one) => slack.shown(one).includes('36'))
    await slack.until(isAnswered(0), 'the answer of the first run', 90_000)
    const seconds = () =>
      slack
        .replies(GENERAL, roots()[0]?.ts ?? '')
        .flatMap((one) => /(?:^| )([\d.]+) s · /m.exec(slack.shown(one))?.[1] ?? [])
    // The duration in the footer is by the same clock.
    expect(Number(await slack.until(() => seconds()[0], 'the footer'))).toBeLessThan(90)
    await moved('faults-once', { name: 'tomorrow' })
    await slack.until(isAnswered(1), 'the answer a day later', 90_000)
  })

  test('answers questions, with the operator’s model if there is one', async (t) => {
    const model = await playModel(t, [act('I reckon.', 'calculator', '6*7'), finish('It is 42.')])
    const { slack, notes, stop } = await startPlayground({
      PLAYGROUND_PORT: '0',
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'sk-test',
      OPENAI_MODEL: 'my-model',
    })
    t.onTestFinished(stop)
    expect(notes[0]).toMatch(/^Model: my-model at 127\.0\.0\.1:\d+, real\.$/)
    const { thread } = await slack.mention('What is 6*7?')
    await slack.until(
      () => slack.replies(GENERAL, thread).some((one) => slack.shown(one).includes('Show work')),
      'the answer',
    )
    const shown = slack
      .replies(GENERAL, thread)
      .map((one) => slack.shown(one))
      .join('\n')
    expect(shown).toMatch(/Calculator\* `6\*7`[\s\S]*42[\s\S]*It is 42\./)
    expect(model.requests.length).toBe(2)
    expect(slack.refusals).toEqual([])
  })

  test('stays on this machine: the operator’s own Slack, Redis and ports are not used', async (t) => {
    const { slack, stop } = await startPlayground({
      PLAYGROUND_PORT: '0',
      SLACK_BOT_TOKEN: 'xoxb-of-the-real-workspace',
      SLACK_APP_TOKEN: 'xapp-of-the-real-workspace',
      SLACK_API_URL: 'http://127.0.0.1:1/api/',
      REDIS_URL: 'redis://127.0.0.1:1',
      // A dialect that the demo does not speak.
      AGENT_DIALECT: 'bracket',
      ROLE: 'front',
      PORT: '1',
    })
    t.onTestFinished(stop)
    const { thread } = await slack.mention('What is 2+2?')
    await slack.until(
      () => slack.replies(GENERAL, thread).some((one) => slack.shown(one).includes('Show work')),
      'the answer',
    )
    expect(
      slack
        .replies(GENERAL, thread)
        .map((one) => slack.shown(one))
        .join('\n'),
    ).toContain('2+2 = *4*')
  })

  test('the five lines of README lead to a file written by an npm server, after a person’s approval', async (t) => {
    const folder = await temporaryFolder(t)
    const readme = textOf('README.md')
    const [, mcpServers = ''] = /^echo '(\{"mcpServers".*\})' > mcp\.json$/m.exec(readme) ?? []
    const [, sentence = ''] = /^MCP_CONFIG=\S+ npm run playground +# ask: @thinkaloud (.*)$/m.exec(readme) ?? []
    // The program that npx would start, without npx's delay.
    const server = join(ROOT, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js')
    const started = mcpServers.replace(
      '"npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "tmp/notes"]',
      `"${process.execPath}", "args": ["${server}", "${folder}"]`,
    )
    await writeFile(join(folder, 'mcp.json'), started)
    const { slack, stop } = await startPlayground({ PLAYGROUND_PORT: '0', MCP_CONFIG: join(folder, 'mcp.json') })
    t.onTestFinished(stop)
    const { thread } = await slack.mention(sentence)
    const shown = (start: string) => slack.replies(GENERAL, thread).find((one) => slack.shown(one).startsWith(start))
    const card = await slack.until(() => shown('🔐'), 'the card')
    expect(await readdir(folder)).toEqual(['mcp.json'])
    await slack.press({ channel: GENERAL, ts: card.ts }, { action_id: 'thinkaloud_allow_once' })
    await slack.until(() => shown('Successfully wrote to list.txt'), 'the answer')
    expect(await readFile(join(folder, 'list.txt'), 'utf8')).toBe('Buy milk')
  })

  test('the operator’s Wikipedia is used and shown as real', async (t) => {
    const { notes, stop } = await startPlayground({
      PLAYGROUND_PORT: '0',
      WIKIPEDIA_API_URL: 'http://127.0.0.1:9/w/api.php',
    })
    t.onTestFinished(stop)
    expect(notes.join('\n')).toContain('Real: Wikipedia')
  })

  test('stop leaves nothing listening', async () => {
    const { url, slack, stop } = await startPlayground({ PLAYGROUND_PORT: '0' })
    const serves = async (address: string, words: RegExp) =>
      words.test(await fetch(address).then((response) => response.text(), String))
    // Another process may get a port as soon as it is free.
    const answers = () => Promise.all([serves(url, /Thinkaloud playground/), serves(`${slack.apiUrl}api.test`, /"ok"/)])
    expect(await answers()).toEqual([true, true])
    await stop()
    expect(await answers()).toEqual([false, false])
  })
})

describe('text typed at the page', () => {
  test('@name becomes a mention, signs are escaped, addresses stay', async () => {
    const slack = await localSlack()
    const carry = (text: string) => typed(slack, text)
    expect(carry('@thinkaloud hi @Bob')).toBe('<@U0THINK0001> hi <@U0BOB000001>')
    expect(carry('a < b & c > d')).toBe('a &lt; b &amp; c &gt; d')
    expect(carry('<@U0BOB000001> <!channel>')).toBe('&lt;@U0BOB000001&gt; &lt;!channel&gt;')
    expect(carry('me@thinkaloud.example, @nobody')).toBe('me@thinkaloud.example, @nobody')
  })

  test('a typed mention reaches the bot as a mention', async () => {
    const slack = await localSlack({ ackMs: 20, retryMs: [] })
    const { deliveries } = await slack.say({ user: ALICE, text: typed(slack, '@thinkaloud hello') })
    expect(deliveries.map((one) => (one.payload['event'] as { type: string }).type)).toEqual(['app_mention', 'message'])
  })
})
