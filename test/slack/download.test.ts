/** Downloads from a Slack that misbehaves. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { startLocalSlack } from '../../playground/slack/slack.ts'
import { download, type DownloadOptions } from '../../src/slack/client/download.ts'
import type { Ends } from '../harness/ends.ts'
import { textFile } from '../harness/said-files.ts'

type Given = Parameters<Awaited<ReturnType<typeof startLocalSlack>>['upload']>[0]

async function downloaded(t: Ends, given: Given, options: Partial<DownloadOptions> = {}) {
  // No bot gets the event of the upload.
  const slack = await startLocalSlack({ ackMs: 50, retryMs: [] })
  t.onTestFinished(() => slack.close())
  const said = await slack.say({ text: 'Here.', files: [given] })
  const message = slack.messages(said.channel).at(-1)
  const address = String(message?.files?.[0]?.['url_private_download'])
  const { signal } = new AbortController()
  const way = { token: slack.botToken, apiUrl: slack.apiUrl, fetch: globalThis.fetch, signal, maxBytes: 10_000 }
  return download(address, { ...way, ...options })
}

test('a file’s bytes arrive unchanged, also after redirects on Slack’s own host', async (t) => {
  const { bytes } = await downloaded(t, textFile('a.txt', 'Über', { fault: { redirects: 2 } }))
  expect(String(bytes)).toBe('Über')
})

test('reading stops at the maximum size, whatever size was announced', async (t) => {
  expect(await downloaded(t, textFile('a.txt', 'x', { fault: { sends: 20_000 } }))).toEqual({ fault: 'tooLarge' })
})

test('a cut connection is retried', async (t) => {
  const { bytes } = await downloaded(t, textFile('a.txt', 'whole', { fault: { times: 1, cutAfter: 2 } }))
  expect(String(bytes)).toBe('whole')
})

test('the token goes to no other host: neither by a redirect nor by the address itself', async (t) => {
  const asked: (string | undefined)[] = []
  const other: Server = createServer((request, response) => {
    asked.push(request.headers.authorization)
    response.end('x')
  })
  await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening))
  t.onTestFinished(() => void other.close())
  const { port }: Pick<AddressInfo, 'port'> = Object(other.address())
  const redirectTo = `http://127.0.0.1:${port}/f`
  expect(await downloaded(t, textFile('a.txt', 'x', { fault: { redirectTo } }))).toEqual({ fault: 'elsewhere' })
  const { signal } = new AbortController()
  const way = { token: 'x', apiUrl: 'https://slack.com/api/', fetch: globalThis.fetch, signal, maxBytes: 10 }
  for (const address of [redirectTo, 'http://files.slack.com/f', 'https://slack.com.evil.example/f', 'nonsense'])
    expect(await download(address, way)).toEqual({ fault: 'elsewhere' })
  expect(asked).toEqual([])
})

test('an abort ends it with the abort’s reason', async (t) => {
  const signal = AbortSignal.timeout(200)
  const given = textFile('a.txt', 'x', { fault: { delayMs: 60_000 } })
  await expect(downloaded(t, given, { signal })).rejects.toThrow(/timeout/i)
})
