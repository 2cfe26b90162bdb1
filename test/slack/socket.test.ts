import { describe, expect, test } from 'vitest'
import { startBot, type TestBot } from '../harness/bot.ts'
import { finish } from '../harness/played-model.ts'
import { scrape } from '../harness/scrape.ts'

const LOST = 'the connection to Slack is lost; trying again until it is back'
const REFUSED = 'Slack refuses the connection'
const BACK = 'the connection to Slack is back'

/** Returns the log lines without those on questions. */
function noted({ logs }: TestBot): string[] {
  return logs
    .map((line) => JSON.parse(line) as { level: number; msg: string })
    .filter(({ level, msg }) => level >= 40 || msg === BACK)
    .map(({ msg }) => msg)
}

/** Returns 200, or the text of the page. */
async function readyz({ bot }: TestBot): Promise<number | string> {
  const response = await fetch(`http://127.0.0.1:${bot.port}/readyz`)
  return response.ok ? response.status : response.text()
}

function opened({ slack }: TestBot): number {
  return slack.calls.filter(({ method }) => method === 'apps.connections.open').length
}

// Most of them wait, so they run in parallel, each with its own bot and Slack.
describe.concurrent('over Socket Mode', () => {
  test('a silently dead connection is replaced, and later questions are answered', async (t) => {
    const bot = await startBot(t, {
      ...{ mode: 'socket', socketSilenceMs: 1_500, model: [finish('Alive again.')] },
      slack: { pingMs: 100, ackMs: 20_000 },
    })
    bot.slack.sockets.hush()
    const thread = await bot.mention('Are you there?')
    expect(await thread.lastAnswer()).toBe('Alive again.')
    expect(noted(bot)).toEqual([LOST, BACK])
    expect(bot.logs.find((line) => line.includes(LOST))).toMatch(/"reason":"nothing came for \d+ s"/)
    expect(opened(bot)).toBe(2)
  })

  test('a connection with only pings is kept', async (t) => {
    const bot = await startBot(t, { mode: 'socket', socketSilenceMs: 1_500, slack: { pingMs: 50 } })
    await new Promise((resolve) => setTimeout(resolve, 4_000))
    expect([opened(bot), noted(bot)]).toEqual([1, []])
  })

  test('while Slack is unreachable the bot is not ready, and keeps trying', async (t) => {
    const env = { METRICS_PORT: '0' }
    const bot = await startBot(t, {
      mode: 'socket',
      env,
      model: [finish('Here.')],
      socketPause: { base: 20, max: 200 },
    })
    const gauge = async () => (await scrape(bot.bot.metricsPort!)).value('thinkaloud_socket_connected')
    expect([await readyz(bot), await gauge()]).toEqual([200, 1])
    bot.slack.fault({ method: 'apps.connections.open', dropBefore: true, times: 1 })
    bot.slack.fault({ method: 'apps.connections.open', status: 503, times: 1 })
    bot.slack.fault({ method: 'apps.connections.open', error: 'internal_error', times: 1 })
    bot.slack.fault({ method: 'apps.connections.open', error: 'invalid_auth', times: 5_000 })
    bot.slack.sockets.cut()
    await bot.slack.until(
      async () => (await readyz(bot)) === 'not ready: Socket Mode is not connected\n',
      'a bot that is not ready',
    )
    expect(await gauge()).toBe(0)
    await bot.slack.until(() => opened(bot) >= 6, 'more tries')
    expect(noted(bot)).toEqual([LOST, REFUSED])
    bot.slack.clearFaults()
    await bot.slack.until(async () => (await readyz(bot)) === 200, 'a bot that is ready')
    expect(await gauge()).toBe(1)
    expect(await (await bot.mention('Where?')).lastAnswer()).toBe('Here.')
    expect(noted(bot)).toEqual([LOST, REFUSED, BACK])
  })

  test('a reconnection that Slack asks for loses nothing', async (t) => {
    const bot = await startBot(t, { mode: 'socket', model: [finish('Anew.')] })
    bot.slack.sockets.refresh()
    await bot.slack.until(() => opened(bot) === 2, 'the new connection')
    expect(await (await bot.mention('Anew?')).lastAnswer()).toBe('Anew.')
    expect(noted(bot)).toEqual([])
  })

  test('a bot that is stopped while it connects ends at once, without a log line', async (t) => {
    const bot = await startBot(t, { mode: 'socket' })
    bot.slack.fault({ method: 'apps.connections.open', dropBefore: true, times: 50 })
    bot.slack.sockets.cut()
    await bot.slack.until(() => opened(bot) > 1, 'a try')
    await bot.stop()
    const tries = opened(bot)
    await bot.slack.settle(1_500)
    expect([opened(bot), noted(bot)]).toEqual([tries, [LOST]])
  })
})

test('over HTTP no connection is logged', async (t) => {
  const bot = await startBot(t, { env: { METRICS_PORT: '0' } })
  expect(await readyz(bot)).toBe(200)
  expect((await scrape(bot.bot.metricsPort!)).value('thinkaloud_socket_connected')).toBeUndefined()
})
