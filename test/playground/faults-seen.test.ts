/** The real bot as people see it while a fault is on, and after it is off. */
import { describe, expect, test } from 'vitest'
import { ALICE, BOB, GENERAL, type LocalSlackOptions } from '../../playground/slack/slack.ts'
import type { FaultName } from '../../playground/faults/switch-list.ts'
import type { Env } from '../../src/config.ts'
import { startBot, type TestBot, type Thread } from '../harness/bot.ts'
import type { Ends } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'
import { textFile } from '../harness/said-files.ts'

const SUM = [
  act('First the power.', 'calculator', '29^0.23'),
  act('Then its half.', 'calculator', '2.169/2'),
  finish('It is **1.08**.'),
]
interface Given {
  env?: Env
  slack?: LocalSlackOptions
  mode?: 'http' | 'socket'
}

async function sumBot(t: Ends, { env = {}, slack = {}, mode = 'http' }: Given = {}): Promise<TestBot> {
  const bot = await startBot(t, { mode, slack: { agent: true, ...slack }, env })
  bot.model.on('sum', ...SUM)
  bot.model.on('again', finish('Well again.'))
  return bot
}

/**
 * Asks while the fault is on, and expects one complete answer without a trace of the fault. Then asks again without the
 * fault.
 */
async function survives(bot: TestBot, name: FaultName, value?: number | string): Promise<Thread> {
  const { slack } = bot
  slack.faultSwitches.set(name, { isOn: true, ...(value !== undefined && { value }) })
  const thread = await bot.mention('What is the sum?')
  expect(await thread.ended()).toContain('1.08')
  await isWell(bot, thread)
  return thread
}

async function isWell(bot: TestBot, thread: Thread): Promise<void> {
  const { slack } = bot
  await slack.settle(100)
  expect(thread.endings()).toHaveLength(1)
  slack.faultSwitches.clear()
  const next = await bot.mention('And again?')
  expect(await next.ended()).toContain('Well again.')
  await slack.until(() => thread.isAtRest(), 'the end of the sign of life')
  await slack.settle(100)
  expect([thread.endings().length, next.endings().length]).toEqual([1, 1])
  expect(thread.shown().join('\n')).not.toMatch(/\bat .*\(.*:\d+\)|Error:|running …|Thinking …/)
  expect(slack.refusals).toEqual([])
}

const errors = ({ slack }: TestBot, error: string) => slack.calls.filter((call) => call.error === error).length

describe.concurrent('an answer comes once and complete', () => {
  test('if Slack limits every other call', async (t) => {
    const bot = await sumBot(t)
    const thread = await survives(bot, 'limited', 1)
    expect(errors(bot, 'ratelimited')).toBeGreaterThan(2)
    expect(thread.shown().join('\n')).toMatch(/29\^0\.23[\s\S]*2\.169\/2/)
  })

  test('if Slack applies its own rates', async (t) => {
    const bot = await sumBot(t)
    const many = Array.from({ length: 6 }, (_, i) => act(`Step ${i}.`, 'calculator', `${i}+1`))
    bot.model.on('sum', ...many, finish('It is 1.08.'))
    const thread = await survives(bot, 'rates')
    expect(thread.shown().join('\n')).toMatch(/0\+1[\s\S]*5\+1/)
  })

  test('if every call takes a second', async (t) => {
    const bot = await sumBot(t)
    const thread = await survives(bot, 'slow', 1)
    expect(thread.steps().length).toBeGreaterThan(0)
  })

  test('if each event comes three times', async (t) => {
    const bot = await sumBot(t)
    const thread = await survives(bot, 'redelivered', 3)
    const [delivery] = thread.said.deliveries
    await delivery?.done
    expect(delivery?.attempts.map(({ retry, status }) => [retry, status])).toEqual([
      [0, 200],
      [1, 200],
      [2, 200],
    ])
    expect(bot.model.about('sum')).toHaveLength(3)
  })

  test('if Slack does not wait for acks', async (t) => {
    const bot = await sumBot(t)
    const thread = await survives(bot, 'impatient')
    expect(thread.said.deliveries[0]?.attempts.map(({ status }) => status)).toContain(0)
    expect(bot.model.about('sum')).toHaveLength(3)
  })

  test('if the event is hours late, with a reply in its thread', async (t) => {
    const bot = await sumBot(t)
    bot.slack.faultSwitches.set('late', { isOn: true, value: 5 })
    const thread = await bot.mention('What is the sum?')
    expect(await thread.ended()).toContain('1.08')
    expect(Number(thread.ts)).toBeLessThan(Date.now() / 1000 - 4 * 3600)
    bot.model.condenses('half of it', 'What is half of the sum?')
    await thread.reply('And half of it?')
    await thread.ended()
    expect(thread.endings()).toHaveLength(2)
    bot.slack.faultSwitches.clear()
    expect(await (await bot.mention('And again?')).ended()).toContain('Well again.')
  })

  test('if the socket is cut repeatedly', async (t) => {
    const bot = await sumBot(t, { mode: 'socket' })
    const sockets = new Set<string>()
    bot.slack.faultSwitches.set('socketCut', { isOn: true, value: 1 })
    const threads: Thread[] = []
    for (let i = 0; i < 4; i++) {
      threads.push(await bot.mention(`What is sum ${i}?`))
      await new Promise((resolve) => setTimeout(resolve, 400))
    }
    for (const thread of threads) sockets.add(await thread.ended())
    const opened = bot.slack.calls.filter(({ method }) => method === 'apps.connections.open')
    expect(opened.length).toBeGreaterThan(1)
    expect(threads.map((thread) => thread.endings().length)).toEqual([1, 1, 1, 1])
    await isWell(bot, threads[0]!)
  })
})

describe.concurrent('streams', () => {
  const env = { STEPS: 'stream', STEPS_STREAM_CHANNELS: 'true' }
  const slowly = async (bot: TestBot) => {
    bot.model.decide('sum', async (_, n) => {
      await new Promise((resolve) => setTimeout(resolve, 900))
      return SUM[n] ?? finish('It is **1.08**.')
    })
  }

  test('that die early still give a complete answer', async (t) => {
    const bot = await sumBot(t, { env })
    await slowly(bot)
    await survives(bot, 'streamsDie', 1)
    expect(errors(bot, 'message_not_in_streaming_state')).toBeGreaterThan(0)
  })

  test('that are stopped without an event stop the run, with a message', async (t) => {
    const bot = await sumBot(t, { env })
    await slowly(bot)
    bot.slack.faultSwitches.set('streamsStopped', { isOn: true })
    const thread = await bot.mention('What is the sum?')
    expect(await thread.ended()).toContain('I was asked to stop.')
    await isWell(bot, thread)
  })

  test.for(['channel_type_not_supported', 'user_not_found', 'restricted_action', 'unknown_method'])(
    'that are refused by %s give way to messages',
    async (error, t) => {
      const bot = await sumBot(t, { env })
      const thread = await survives(bot, 'streamsRefused', error)
      expect(thread.messages().every(({ streaming_state: state }) => state === undefined)).toBe(true)
    },
  )
})

describe.concurrent('Slack down', () => {
  test('is waited for: the answer comes once when it is back', async (t) => {
    const bot = await sumBot(t)
    await (await bot.mention('And again?')).ended()
    bot.slack.faultSwitches.set('down', { isOn: true })
    const thread = await bot.mention('What is the sum?')
    await bot.slack.until(() => errors(bot, 'service_unavailable') > 2, 'calls that failed')
    expect(thread.messages()).toEqual([])
    bot.slack.faultSwitches.clear()
    expect(await thread.ended()).toContain('1.08')
    await isWell(bot, thread)
  })

  test('before the bot knows the asker: a message asks them to ask again', async (t) => {
    const bot = await sumBot(t)
    bot.slack.faultSwitches.set('down', { isOn: true })
    await bot.mention('What is the sum?')
    await bot.slack.until(() => bot.logs.some((line) => line.includes('may not ask here')), 'the refusal')
    bot.slack.faultSwitches.clear()
    const told = await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE)[0], 'a word to the asker')
    expect(told).toContain('Please ask again in a minute.')
  })
})

describe.concurrent('a scope taken away', () => {
  const answered = ['reactions:write', 'channels:history', 'app_mentions:read', 'channels:read', 'files:write']
  test.for(answered)('without %s a question is answered', async (scope, t) => {
    const bot = await sumBot(t)
    await survives(bot, 'scope', scope)
  })

  test('without users:read each asker gets a message, each time', async (t) => {
    const bot = await sumBot(t)
    bot.slack.faultSwitches.set('scope', { isOn: true, value: 'users:read' })
    for (const n of [1, 2]) {
      await bot.mention('What is the sum?')
      await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).length === n, `word ${n} to the asker`)
    }
    expect(bot.slack.ephemerals(GENERAL, ALICE)[1]).toContain('reinstall the app with users:read')
    bot.slack.faultSwitches.clear()
    expect(await (await bot.mention('And again?', { user: BOB })).ended()).toContain('Well again.')
  })

  test('without chat:write nothing is posted, and later questions are answered', async (t) => {
    const bot = await sumBot(t)
    bot.slack.faultSwitches.set('scope', { isOn: true, value: 'chat:write' })
    const thread = await bot.mention('What is the sum?')
    await bot.slack.until(() => bot.logs.some((line) => line.includes('Slack rejected the answer')), 'the log line')
    await bot.slack.until(() => thread.isAtRest(), 'the end of the sign of life')
    bot.slack.faultSwitches.clear()
    expect(await (await bot.mention('And again?')).ended()).toContain('Well again.')
  })
})

test.for(['redirect', 'page'])('a login page in place of a file (%s) is said, and never read', async (how, t) => {
  const bot = await sumBot(t)
  bot.model.on('the note', finish('I have it.'))
  bot.slack.faultSwitches.set('loginPage', { isOn: true, value: how })
  const files = () => [textFile('note.txt', 'The code is 4711.')]
  const thread = await bot.mention('What is in the note?', { files: files() })
  await thread.ended()
  expect(thread.shown()).toEqual([
    expect.stringContaining('note.txt was not read'),
    expect.stringContaining('I have it.'),
  ])
  expect(bot.model.about('the note').at(-1)?.prompt).not.toMatch(/Sign in|4711/)
  bot.slack.faultSwitches.clear()
  const next = await bot.mention('What is in the note?', { files: files() })
  await next.ended()
  expect(next.shown().join()).not.toContain('was not read')
  expect(bot.model.about('the note').at(-1)?.prompt).toContain('4711')
})

test('an expired search token is a failed step, and the question is answered', async (t) => {
  const bot = await sumBot(t, { slack: { search: 'words' } })
  await bot.slack.until(() => bot.logs.find((line) => line.includes('workspace search is on')), 'the search')
  bot.model.on('codename', act('I search.', 'workspace_search', 'codename'), finish('I cannot tell.'))
  bot.slack.faultSwitches.set('searchExpired', { isOn: true })
  const thread = await bot.mention('What is the codename?')
  expect(await thread.ended()).toContain('I cannot tell.')
  expect(errors(bot, 'invalid_action_token')).toBe(1)
  expect(thread.shown().join('\n')).toContain('can ask again')
  bot.slack.faultSwitches.clear()
  await (await bot.mention('What is the codename?')).ended()
  expect(errors(bot, 'invalid_action_token')).toBe(1)
})
