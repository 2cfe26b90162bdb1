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

/** Something that never answers, at each step of a login. */
const silent = () => new Promise<never>(() => {})

test.for<[string, { begin?: typeof silent; finish?: typeof silent; check?: typeof silent }, string]>([
  ['the end of a login', { finish: silent }, 'Slack has not answered yet'],
  ['its beginning', { begin: silent }, 'The other side has not answered in time'],
  ['the proof who it is', { check: silent }, 'The other side has not answered in time'],
])('if nobody answers at %s, the page says so', async ([, steps, words]) => {
  const now = () => Date.UTC(2026, 10, 26)
  const address = new URL('https://as.example.com/')
  const account: Account = {
    name: 'Slack',
    begin: async () => ({ address, state: 's', flow: {} }),
    finish: async () => {},
    look: async () => undefined,
    disconnect: async () => async () => {},
    ...steps,
  }
  const proof = { begin: () => ({ address, state: 'p', flow: {} }), check: silent }
  const connections = createConnections({
    ...{ accounts: [account], people: createPeople(memoryKv({ now })), now, publicUrl: 'https://bot.example.com' },
    ...{ control: {} as RunControl, whoIs: async () => ({ name: '@Alice', workspace: 'acme.slack.com' }), pageMs: 5 },
    ...{ log: createLog('silent'), sealer: sealerOf('a key that is long enough for a key') },
    ...(steps.check ? { identity: proof } : {}),
  })
  const cookies: string[] = []
  const get = async (url: string) => {
    const request = { method: 'GET', url, headers: { cookie: cookies.join('; ') } } as IncomingMessage
    const page = (await connections.pages[url.split('?')[0]!]?.(request))!
    cookies.push(...[page.headers?.['set-cookie'] ?? []].flat().map((one) => String(one).split(';')[0]!))
    return page
  }
  const link = (await connections.link({ team: 'T1', user: 'U1' }, 'Slack')).replace('https://bot.example.com', '')
  const [, yes = ''] = /choice=([0-9a-f]{64})/.exec(String((await get(link)).body)) ?? []
  const begun = await get(`${link}&choice=${yes}`)
  expect(begun.status).toBe(steps.begin ? 503 : 302)
  const page = steps.begin ? begun : await get(`/connect/callback?code=c&state=${steps.check ? 'p' : 's'}`)
  expect([page.status, page.body]).toEqual([503, expect.stringContaining(words)])
})
