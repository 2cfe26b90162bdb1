import { expect, test } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { SlackWeb } from '../../src/slack/client/web-api.ts'
import { uploadText } from '../../src/slack/client/upload.ts'

const HOUR_MS = 3_600_000

/** Uploads a text to the address that Slack returns. @returns the file's id, and where the bytes went */
async function uploadTo(upload_url: string) {
  const sent: string[] = []
  const fetch: typeof globalThis.fetch = async (address) => {
    const isCall = String(address).endsWith('/files.getUploadURLExternal')
    if (isCall) return Response.json({ ok: true, upload_url, file_id: 'F1' })
    sent.push(String(address))
    return new Response('OK')
  }
  const client = new SlackWeb({
    now: Date.now,
    apiUrl: 'http://127.0.0.1:9/api/',
    token: 'xoxb-1',
    log: createLog('silent'),
    fetch,
  })
  const file = { name: 'a.txt', text: 'private' }
  return { id: await uploadText(client, file, AbortSignal.timeout(5000), createLog('silent')), sent }
}

test.each(['https://files.slack.com/upload/v1/abc', 'http://127.0.0.1:9/upload/F1'])('bytes go to %s', async (url) => {
  expect(await uploadTo(url)).toEqual({ id: 'F1', sent: [url] })
})

test.each([
  'https://evil.example/upload',
  'http://files.slack.com/upload',
  'https://files.slack.com.evil.example/',
  'https://u:p@files.slack.com/',
  'no address',
])('bytes do not go to %s', async (url) => {
  expect(await uploadTo(url)).toEqual({ id: undefined, sent: [] })
})

test('a refusal is remembered for an hour', () => {
  let now = 0
  const web = { apiUrl: 'http://127.0.0.1:9/api/', token: 'xoxb-1', log: createLog('silent') }
  const { refusals } = new SlackWeb({ ...web, now: () => now })
  refusals.set('data_table', true)
  expect([refusals.has('data_table'), refusals.has('table')]).toEqual([true, false])
  now = HOUR_MS - 1
  expect(refusals.has('data_table')).toBe(true)
  now = HOUR_MS
  expect(refusals.has('data_table')).toBe(false)
})
