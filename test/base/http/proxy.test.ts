import { describe, expect, test } from 'vitest'
import { startBot as startRealBot } from '../../../src/bot.ts'
import { loadConfig } from '../../../src/config.ts'
import { createLog } from '../../../src/base/log.ts'
import { createNetwork } from '../../../src/base/http/proxy.ts'
import { ALICE, startLocalSlack } from '../../../playground/slack/slack.ts'
import { envFor, peopleOf } from '../../harness/bot.ts'
import { connectProxy, SLACK_HOST, type ConnectProxy } from '../../harness/connect-proxy.ts'
import type { Ends } from '../../harness/ends.ts'
import { act, finish, playModel } from '../../harness/played-model.ts'
import { sendJson, startWebServer } from '../../harness/web-server.ts'

/** Returns the same address under a name that only the proxy resolves. */
function behind(url: string, host: string): string {
  return url.replace('127.0.0.1', host)
}

function hostOf(url: string): string {
  return new URL(url).host
}

/** Starts a bot whose Slack and model are behind a proxy. */
async function proxiedBot(t: Ends, mode: 'http' | 'socket') {
  const proxy = await connectProxy(t)
  const slack = await startLocalSlack({ retryMs: [20], host: SLACK_HOST })
  t.onTestFinished(() => slack.close())
  const model = await playModel(t, [act('A sum.', 'calculator', '2+2'), finish('It is 4.')])
  const urls = { SLACK_API_URL: slack.apiUrl, OPENAI_BASE_URL: behind(model.url, 'model.tst') }
  const settings = { ...envFor({ slack, model }, mode), ...urls, HTTPS_PROXY: proxy.url, SHUTDOWN_MS: '1000' }
  const bot = await startRealBot(loadConfig(settings, { serves: true }), { log: createLog('silent') })
  t.onTestFinished(() => bot.stop())
  if (mode === 'http') slack.setTarget(`http://127.0.0.1:${bot.port}/slack/events`)
  return { bot, proxy, slack, model, urls, ...peopleOf(slack) }
}

describe.concurrent('HTTPS_PROXY, for the whole bot', () => {
  test('over HTTP: Slack and the model are reached through it', async (t) => {
    const { proxy, urls, mention } = await proxiedBot(t, 'http')
    const thread = await mention('What is 2+2?')
    expect(await thread.lastAnswer()).toBe('It is 4.')
    expect(new Set(proxy.asked)).toEqual(new Set([hostOf(urls.SLACK_API_URL), hostOf(urls.OPENAI_BASE_URL)]))
  })

  test('in Socket Mode the socket goes through it too', async (t) => {
    const { proxy, slack, urls, mention } = await proxiedBot(t, 'socket')
    const thread = await mention('What is 2+2?')
    expect(await thread.lastAnswer()).toBe('It is 4.')
    expect(new Set(proxy.asked)).toEqual(new Set([hostOf(urls.SLACK_API_URL), hostOf(urls.OPENAI_BASE_URL)]))
    expect(slack.calls.map(({ method }) => method)).toContain('apps.connections.open')
    // One tunnel remains for the socket. The Web API has its own.
    expect(proxy.asked.filter((host) => host === hostOf(urls.SLACK_API_URL)).length).toBeGreaterThan(1)
  })

  test('an ephemeral message by response_url goes through it too', async (t) => {
    const { proxy, slack, urls } = await proxiedBot(t, 'http')
    slack.addChannel('G0PRIVATE01', { members: new Set([ALICE]) })
    await slack.slash('Anybody?', { channel: 'G0PRIVATE01' })
    await slack.until(() => slack.ephemerals('G0PRIVATE01', ALICE).length === 1, 'a private word')
    // The bot checks the model when it starts.
    const asked = proxy.asked.filter((host) => host !== hostOf(urls.OPENAI_BASE_URL))
    expect(new Set(asked)).toEqual(new Set([hostOf(urls.SLACK_API_URL)]))
  })

  test('a proxy that refuses the model’s host is reported in plain words', async (t) => {
    const { proxy, slack, model, mention } = await proxiedBot(t, 'http')
    proxy.refuses.add('model.tst')
    const thread = await mention('What is 2+2?')
    expect(await thread.ended()).toMatch(/^The model cannot be reached right now\..*\n.*Reference: /)
    expect([model.requests.length, slack.refusals]).toEqual([0, []])
  })
})

describe('a fetch behind a proxy', () => {
  const ok = () => startWebServer((_, response) => sendJson(response, { ok: true }))
  const through = async ({ url }: ConnectProxy, address: string, noProxy?: string) => {
    const net = await createNetwork({ HTTPS_PROXY: url, NO_PROXY: noProxy })
    return (net.fetch ?? fetch)(address).then(({ status }) => status)
  }

  test('sends the proxy only a CONNECT for an https host and port', async (t) => {
    const proxy = await connectProxy(t)
    proxy.refuses.add('slack.com').add('model.example')
    await expect(through(proxy, 'https://slack.com/api/auth.test')).rejects.toThrow()
    await expect(through(proxy, 'https://model.example:8443/v1/chat/completions')).rejects.toThrow()
    expect(proxy.asked).toEqual(['slack.com:443', 'model.example:8443'])
  })

  test('reaches loopback directly, by any name', async (t) => {
    const [proxy, server] = [await connectProxy(t), await ok()]
    const { port } = new URL(server.url)
    expect(await through(proxy, `http://127.0.0.1:${port}/`)).toBe(200)
    expect(await through(proxy, `http://localhost:${port}/`)).toBe(200)
    // Nobody listens there. The connection fails without the proxy.
    await expect(through(proxy, `http://[::1]:${port}/`)).rejects.toThrow()
    expect(proxy.asked).toEqual([])
  })

  test.for([
    ['127.0.0.2', true],
    ['example.com, 127.0.0.2', true],
    ['127.0.0.2:PORT', true],
    ['*', true],
    ['127.0.0.2:1', false],
    ['27.0.0.2', false],
    ['', false],
    [undefined, false],
  ] as const)('with NO_PROXY=%s, 127.0.0.2 directly: %s', async ([noProxy, isDirect], t) => {
    const proxy = await connectProxy(t)
    const { port } = new URL((await ok()).url)
    // The server does not listen on 127.0.0.2. The proxy resolves every address to this machine, so it reaches the
    // server.
    const reached = await through(proxy, `http://127.0.0.2:${port}/`, noProxy?.replace('PORT', port)).catch(() => 0)
    expect([reached, proxy.asked]).toEqual(isDirect ? [0, []] : [200, [`127.0.0.2:${port}`]])
  })

  test('reads the proxy’s user and password from its URL', async (t) => {
    const [proxy, server] = [await connectProxy(t), await ok()]
    const url = proxy.url.replace('://', '://ann:p%40ss@')
    expect(await through({ ...proxy, url }, behind(server.url, 'any.tst'))).toBe(200)
    expect(proxy.authorization).toBe(`Basic ${Buffer.from('ann:p@ss').toString('base64')}`)
  })

  test('connects directly without a proxy or with NO_PROXY=*', async () => {
    const { url } = await ok()
    for (const settings of [{}, { NO_PROXY: 'example.com' }, { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '*' }]) {
      const { fetch: straight, dispatcher } = await createNetwork(settings)
      expect([(await straight?.(url))?.status, dispatcher]).toEqual([200, undefined])
    }
  })
})

test('lower-case variable names count too', () => {
  expect(loadConfig({ https_proxy: 'http://proxy:3128', no_proxy: 'a.example' })).toMatchObject({
    HTTPS_PROXY: 'http://proxy:3128',
    NO_PROXY: 'a.example',
  })
})
