import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { startBot as startRealBot } from '../../src/bot.ts'
import { loadConfig } from '../../src/config.ts'
import { createLog } from '../../src/base/log.ts'
import { startLocalSlack } from '../../playground/slack/slack.ts'
import { envFor, peopleOf } from '../harness/bot.ts'
import type { Ends } from '../harness/ends.ts'
import { finish, playModel } from '../harness/played-model.ts'

/** Starts a proxy that resolves names without DNS. `routes` maps each to a port of this machine. */
async function startProxy(t: Ends, routes: Record<string, number>) {
  const asked: string[] = []
  const proxy = createServer((_, response) => response.writeHead(405).end())
  proxy.on('connect', (request, socket) => {
    const host = request.url ?? ''
    asked.push(host)
    const port = routes[host.split(':')[0] ?? '']
    if (port === undefined) return void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    const through = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      socket.pipe(through).pipe(socket)
    })
    for (const end of [socket, through]) end.on('error', () => (socket.destroy(), through.destroy()))
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.onTestFinished(() => (proxy.closeAllConnections(), void proxy.close()))
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked }
}

test('HTTPS_PROXY carries Slack and the model; this machine is reached without it', async (t) => {
  const slack = await startLocalSlack({ alias: 'slack.test' })
  t.onTestFinished(() => slack.close())
  const model = await playModel(t, [finish('Through the proxy.')])
  const portOf = (url: string) => Number(new URL(url).port)
  const proxy = await startProxy(t, { 'slack.test': portOf(slack.apiUrl), 'model.test': portOf(model.url) })
  const env = {
    ...envFor({ slack, model }, 'socket'),
    ...{ SLACK_API_URL: 'http://slack.test/api/', OPENAI_BASE_URL: 'http://model.test/v1' },
    ...{ HTTPS_PROXY: proxy.url, NO_PROXY: 'elsewhere.test', SHUTDOWN_MS: '2000' },
  }
  const bot = await startRealBot(loadConfig(env, { serves: true }), { log: createLog('silent') })
  t.onTestFinished(() => bot.stop())
  const thread = await peopleOf(slack).mention('Is there a proxy?')
  expect(await thread.lastAnswer()).toBe('Through the proxy.')
  expect(new Set(proxy.asked)).toEqual(new Set(['slack.test:80', 'model.test:80']))
})
