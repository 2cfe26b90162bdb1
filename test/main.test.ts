import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startBot } from '../src/bot.ts'
import { loadConfig, type Env } from '../src/config.ts'
import { createLog } from '../src/base/log.ts'
import { startLocalSlack } from '../playground/slack/slack.ts'
import { until } from '../playground/base/until.ts'
import { envFor, peopleOf } from './harness/bot.ts'
import type { Ends } from './harness/ends.ts'
import { act, finish, playModel } from './harness/played-model.ts'
import { temporaryFolder, startCommand } from './harness/command.ts'
import { freePort } from './harness/redis.ts'
import { startWebServer } from './harness/web-server.ts'

const START = 'src/main.ts'

/** Starts a Slack and a model. Returns the environment for them, without a bot. */
async function world(t: Ends, mode: 'http' | 'socket') {
  const slack = await startLocalSlack({ retryMs: [100, 500, 1000] })
  t.onTestFinished(() => slack.close())
  const model = await playModel(t)
  const port = await freePort()
  if (mode === 'http') slack.setTarget(`http://127.0.0.1:${port}/slack/events`)
  const env: Env = { ...envFor({ slack, model }, mode), PORT: String(port) }
  return { slack, model, env, port, people: peopleOf(slack) }
}

// One process after another, with time limits for a busy machine.
describe('npm start', { timeout: 120_000 }, () => {
  test('over HTTP: says what it is, answers, finishes what runs on SIGTERM, and ends with code 0', async (t) => {
    const { model, env, port, people, slack } = await world(t, 'http')
    model.on('the sum', act('A sum.', 'calculator', '2+2'), finish('Four.'))
    model.on('slow', { text: finish('Finished.'), delayMs: 1500 })
    const bot = startCommand(t, START, { env })
    const [summary] = await bot.shows(/Thinkaloud is ready: .*/)
    expect(summary).toMatch(/HTTP at \/slack\/events, port \d+, model played-model/)
    const health = await fetch(`http://127.0.0.1:${port}/healthz`)
    expect([health.status, await health.text()]).toEqual([200, 'ok\n'])
    const thread = await people.mention('What is the sum?')
    expect(await thread.lastAnswer()).toBe('Four.')
    expect(thread.steps()).toHaveLength(1)
    const slow = await people.mention('slow')
    bot.signal('SIGTERM')
    expect(await slow.lastAnswer()).toBe('Finished.')
    expect((await bot.ended).code).toBe(0)
    expect([bot.stderr(), slack.refusals]).toEqual(['', []])
  })

  test('with .env and a secret in a file it answers over Socket Mode; on SIGTERM it says what it cannot finish, and ends with code 0', async (t) => {
    const { model, env, port, people, slack } = await world(t, 'socket')
    const silent = await startWebServer(() => undefined)
    model.on('dotenv', finish('read'))
    model.on('never', act('A step.', 'calculator', '1+1'), { hang: true })
    model.on('endless', act('Let me look.', 'wikipedia', 'Dune'))
    const cwd = await temporaryFolder(t)
    const { SLACK_BOT_TOKEN, SLACK_APP_TOKEN, ...rest } = env
    await writeFile(join(cwd, 'token'), `${SLACK_BOT_TOKEN}\n`)
    await writeFile(
      join(cwd, '.env'),
      `SLACK_APP_TOKEN=${SLACK_APP_TOKEN}\nSLACK_BOT_TOKEN_FILE=${join(cwd, 'token')}\n`,
    )
    const short = { SHUTDOWN_MS: '500', WIKIPEDIA_API_URL: silent.url, TOOL_TIMEOUT_MS: '60000', LOG_LEVEL: 'warn' }
    const bot = startCommand(t, START, { env: { ...rest, ...short, OPENAI_MODLE: 'gpt-5' }, cwd })
    const [summary] = await bot.shows(/Thinkaloud is ready: .*/)
    expect(summary).toMatch(/Socket Mode, port \d+, model played-model/)
    expect(bot.stdout()).toMatch(/"msg":"OPENAI_MODLE is not a setting\. Did you mean OPENAI_MODEL\?"/)
    expect(await (await people.mention('dotenv')).lastAnswer()).toBe('read')
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)

    const [thinking, looking] = [await people.mention('never'), await people.mention('endless')]
    await slack.until(() => thinking.steps().length === 1 && model.about('never').length === 2, 'the second call')
    await slack.until(() => silent.paths.length > 0 && looking.steps().length === 1, 'the tool at work')
    bot.signal('SIGTERM')
    for (const thread of [thinking, looking])
      expect(await thread.ended()).toMatch(/I am restarting.*ask again.*\n_Reference: /s)
    expect((await bot.ended).code).toBe(0)
    expect(looking.steps()[0], 'it does not run on in the thread').toMatch(/⚠️ This step did not finish\.$/)
  })

  test('ends in time also where the line to Slack hangs and nobody answers its goodbye', async (t) => {
    const times: number[] = []
    // The client itself gives up such a connection after more than ten seconds. Retried if the machine was busy.
    while (times.length < 3 && !times.some((ms) => ms < 8_000)) {
      const { model, env, people, slack } = await world(t, 'socket')
      model.on('never', { hang: true })
      const config = loadConfig({ ...env, SHUTDOWN_MS: '500' }, { serves: true })
      const bot = await startBot(config, { log: createLog('silent') })
      const thread = await people.mention('never')
      await slack.until(() => model.about('never').length === 1, 'the call')
      slack.sockets.hang()
      const from = performance.now()
      await bot.stop()
      times.push(performance.now() - from)
      expect(await thread.ended()).toMatch(/I am restarting/)
    }
    expect(Math.min(...times)).toBeLessThan(8_000)
  })

  test('SIGTERM ends it at once, with code 0, while it still waits for Slack at the start', async (t) => {
    const silent = await startWebServer(() => undefined)
    const { env } = await world(t, 'http')
    const bot = startCommand(t, START, { env: { ...env, SLACK_API_URL: `${silent.url}/api/` } })
    await until(() => silent.paths.length > 0, 'auth.test', 60_000)
    bot.signal('SIGTERM')
    expect((await bot.ended).code).toBe(0)
    expect([bot.stdout(), bot.stderr()]).toEqual(['', ''])
  })

  test('says at once that Slack cannot be reached, and goes on trying; SIGTERM ends it at once, with code 0', async (t) => {
    const { env, model } = await world(t, 'http')
    const host = `127.0.0.1:${await freePort()}`
    const more = { SLACK_API_URL: `http://${host}/api/`, AGENT_DIALECT: 'auto', LOG_LEVEL: 'warn' }
    const bot = startCommand(t, START, { env: { ...env, ...more } })
    await bot.shows(`"msg":"Cannot reach ${host} (SLACK_API_URL). Check the network; behind a proxy set HTTPS_PROXY.`)
    bot.signal('SIGTERM')
    expect(await bot.ended).toMatchObject({ code: 0, stderr: '' })
    expect(bot.stdout().match(/Cannot reach/g)).toHaveLength(1)
    expect(model.requests).toEqual([])
  })

  test('ends with code 1 and a sentence for each setting that is missing', async (t) => {
    const bot = startCommand(t, START, { env: {} })
    expect((await bot.ended).code).toBe(1)
    const beginnings = bot
      .stderr()
      .trim()
      .split('\n')
      .map((sentence) => sentence.split(' ').slice(0, 3).join(' '))
    expect(beginnings).toEqual([
      'SLACK_BOT_TOKEN is missing:',
      'SLACK_APP_TOKEN is missing:',
      'OPENAI_API_KEY is missing:',
    ])
    expect(bot.stdout()).toBe('')
  })
})

describe('a start that fails, fails with a sentence', async () => {
  test.for([
    [
      'a bot token that Slack refuses',
      { SLACK_BOT_TOKEN: 'xoxb-wrong' },
      /^Slack does not accept SLACK_BOT_TOKEN \(invalid_auth\)\. Run npm run slack/,
    ],
    [
      'an app token that Slack refuses',
      { SLACK_APP_TOKEN: 'xapp-wrong' },
      /^Slack does not accept SLACK_APP_TOKEN \(invalid_auth\)\. Run npm run slack/,
    ],
    [
      'a tool that does not exist',
      { TOOLS: 'calculator,teleport' },
      /^TOOLS: there is no tool "teleport"\. Choose from .*calculator/,
    ],
    ['a dialect without its tools', { AGENT_DIALECT: 'docstore', TOOLS: 'calculator' }, /^TOOLS lacks wikipedia/],
  ] as const)('for %s', async ([, more, sentence], t) => {
    const { env } = await world(t, 'socket')
    await expect(
      startBot(loadConfig({ ...env, ...more }, { serves: true }), { log: createLog('silent') }),
    ).rejects.toMatchObject({ name: 'ConfigError', message: expect.stringMatching(sentence) })
  })

  test('for a HOST that is another machine’s', async (t) => {
    const { env } = await world(t, 'http')
    await expect(
      startBot(loadConfig({ ...env, HOST: '192.0.2.1' }, { serves: true }), { log: createLog('silent') }),
    ).rejects.toThrow('HOST is 192.0.2.1, which is not an address of this machine.')
  })

  test('for a port that is taken', async (t) => {
    const { env } = await world(t, 'http')
    const other = createServer().listen(Number(env.PORT), '127.0.0.1')
    t.onTestFinished(() => void other.close())
    await expect(startBot(loadConfig(env, { serves: true }), { log: createLog('silent') })).rejects.toThrow(
      `Port ${env.PORT} is in use. Set PORT to a free one.`,
    )
  })
})
