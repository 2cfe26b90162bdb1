import { expect, test } from 'vitest'
import { createLog } from '../../../src/base/log.ts'
import { sealerOf } from '../../../src/base/encryption.ts'
import type { Account } from '../../../src/mcp/login/connectable-account.ts'
import { createConnections } from '../../../src/question/connections/connections.ts'
import { createPeople } from '../../../src/stores/values/people-store.ts'
import type { RunControl } from '../../../src/stores/runs/run-control.ts'
import type { IncomingMessage } from 'node:http'
import { memoryKv } from '../../../src/stores/kv/memory-kv.ts'

test('a link expires after ten minutes, and a step with a connected account does not wait', async () => {
  let time = Date.UTC(2026, 10, 26)
  const now = () => time
  const connected = new Set<string>()
  const account: Account = {
    name: 'tickets',
    begin: async () => ({ address: new URL('https://as.example.com/'), state: 's', flow: {} }),
    finish: async () => {},
    look: async ({ user }) => (connected.has(user) ? { may: [] } : undefined),
    disconnect: async () => async () => {},
  }
  const resumed: string[] = []
  let isDown = false
  const resume = async ({ id }: { id: string }) =>
    isDown ? Promise.reject(new Error('down')) : (resumed.push(id), 'woken')
  const control = { resume } as unknown as RunControl
  const connections = createConnections({
    ...{
      accounts: [account],
      people: createPeople(memoryKv({ now })),
      control,
      now,
      publicUrl: 'https://bot.example.com/ask',
    },
    whoIs: async () => ({ name: '@Alice', workspace: 'acme.slack.com' }),
    ...{ log: createLog('silent'), sealer: sealerOf('a key that is long enough for a key') },
  })
  const person = { team: 'T1', user: 'U1' }
  const open = async (link: string) => {
    const request = { method: 'GET', url: link.replace('https://bot.example.com/ask', ''), headers: {} }
    return (await connections.pages['/connect']?.(request as IncomingMessage))?.status
  }
  const [one, other] = [await connections.link(person, 'tickets'), await connections.link(person, 'tickets')]
  time += 9 * 60_000
  expect(await open(one)).toBe(200)
  time += 2 * 60_000
  expect(await open(other)).toBe(400)

  expect(await connections.wait(person, 'tickets', { thread: 'T1:C1:1', id: 'first', key: '1' })).toBe(true)
  connected.add('U1')
  expect(await connections.wait(person, 'tickets', { thread: 'T1:C1:2', id: 'second', key: '1' })).toBe(false)
  expect(resumed).toEqual(['first', 'second'])

  // Simulates a process that ended before it resumed the third run. Nobody else knows of it.
  isDown = true
  await connections.wait(person, 'tickets', { thread: 'T1:C1:3', id: 'third', key: '1' })
  expect(await connections.wait({ ...person, user: 'U2' }, 'tickets', { thread: 'T1:C1:4', id: 'U2s', key: '1' })).toBe(
    true,
  )
  isDown = false
  await connections.resumeLeft()
  await connections.resumeLeft()
  expect(resumed).toEqual(['first', 'second', 'third'])
})

test('an account that does not answer is a page that says so', async () => {
  const now = () => Date.UTC(2026, 10, 26)
  let finish: () => void = () => {}
  const account: Account = {
    name: 'Slack',
    begin: async () => ({ address: new URL('https://as.example.com/'), state: 's', flow: {} }),
    finish: () => new Promise((resolve) => void (finish = resolve)),
    look: async () => undefined,
    disconnect: async () => async () => {},
  }
  const connections = createConnections({
    ...{
      accounts: [account],
      people: createPeople(memoryKv({ now })),
      now,
      publicUrl: 'https://bot.example.com',
      pageMs: 5,
    },
    ...{ control: {} as RunControl, whoIs: async () => ({ name: '@Alice', workspace: 'acme.slack.com' }) },
    ...{ log: createLog('silent'), sealer: sealerOf('a key that is long enough for a key') },
  })
  const cookies: string[] = []
  const get = async (url: string) => {
    const request = { method: 'GET', url, headers: { cookie: cookies.join('; ') } } as IncomingMessage
    const page = (await connections.pages[url.split('?')[0]!]?.(request))!
    cookies.push(...[page.headers?.['set-cookie'] ?? []].flat().map((one) => String(one).split(';')[0]!))
    return page
  }
  const link = (await connections.link({ team: 'T1', user: 'U1' }, 'Slack')).replace('https://bot.example.com', '')
  const asked = await get(link)
  const [, yes = ''] = /choice=([0-9a-f]{64})/.exec(String(asked.body)) ?? []
  expect((await get(`${link}&choice=${yes}`)).status).toBe(302)
  const page = await get('/connect/callback?code=c&state=s')
  expect([page.status, page.body]).toEqual([503, expect.stringContaining('Slack has not answered yet')])
  finish()
})
