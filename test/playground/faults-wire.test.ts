/** Each fault switch of the local Slack has its effect on the wire, and none when it is off. */
import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createJournal } from '../../playground/journal/journal.ts'
import { SCOPES } from '../../playground/bot/example-slack.ts'
import { pageState } from '../../playground/page-server/page-state.ts'
import { ALICE, BOB, GENERAL, TEAM, type LocalSlack } from '../../playground/slack/slack.ts'
import { takeable } from '../../playground/faults/slack-faults.ts'
import { createFaultSwitches } from '../../playground/faults/fault-switches.ts'
import { SWITCHES } from '../../playground/faults/switch-list.ts'
import { localSlack } from '../harness/local-slack.ts'
import { callSlack } from '../harness/slack-calls.ts'
import { textFile } from '../harness/said-files.ts'

const post = (slack: LocalSlack, channel = GENERAL) =>
  fetch(`${slack.apiUrl}chat.postMessage`, {
    method: 'POST',
    headers: { authorization: `Bearer ${slack.botToken}` },
    body: new URLSearchParams({ channel, text: 'hi' }),
  })
const on = { isOn: true }

describe('the switches', () => {
  test('accept valid values, and notify watchers', () => {
    const faultSwitches = createFaultSwitches({ scopes: ['chat:write', 'users:read'] })
    const told: unknown[] = []
    const end = faultSwitches.watch((state) => told.push(state))
    expect(faultSwitches.states().map(({ name }) => name)).toEqual(SWITCHES.map(({ name }) => name))
    expect([faultSwitches.isOn('slow'), faultSwitches.number('slow')]).toEqual([false, undefined])
    faultSwitches.set('slow', { value: 5 })
    faultSwitches.set('slow', on)
    faultSwitches.set('slow', on)
    faultSwitches.set('scope', { isOn: true, value: 'users:read' })
    expect([faultSwitches.number('slow'), faultSwitches.choice('scope'), faultSwitches.number('scope')]).toEqual([
      5,
      'users:read',
      undefined,
    ])
    for (const value of [0, 1.5, 31, 'long', NaN])
      expect(() => faultSwitches.set('slow', { value })).toThrow('from 1 to 30')
    expect(() => faultSwitches.set('scope', { value: 'admin' })).toThrow('one of chat:write, users:read')
    expect(() => faultSwitches.set('down', { value: 1 })).toThrow('no value')
    faultSwitches.clear()
    end()
    faultSwitches.set('down', on)
    expect(told).toEqual([
      { name: 'slow', isOn: false, value: 5 },
      { name: 'slow', isOn: true, value: 5 },
      { name: 'scope', isOn: true, value: 'users:read' },
      { name: 'slow', isOn: false, value: 5 },
      { name: 'scope', isOn: false, value: 'users:read' },
    ])
  })

  test('are recorded in the journal when they change', async () => {
    const journal = createJournal()
    const slack = await localSlack({ journal })
    slack.faultSwitches.set('slow', { value: 3 })
    slack.faultSwitches.set('slow', on)
    slack.faultSwitches.clear()
    const noted = journal.entries().filter(({ kind }) => kind === 'fault')
    expect(noted.map(({ name, request }) => [name, request])).toEqual([
      ['Slow Slack: on', { name: 'slow', on: true, value: 3 }],
      ['Slow Slack: off', { name: 'slow', on: false, value: 3 }],
    ])
  })
})

describe('Web API calls', () => {
  test('every second call of a method is limited, and so are calls that come too soon', async () => {
    let clock = 1_790_000_000_000
    const slack = await localSlack({ now: () => clock, echo: false })
    slack.faultSwitches.set('limited', { isOn: true, value: 2 })
    const answers = async () => {
      const response = await post(slack)
      return [response.status, response.headers.get('retry-after')]
    }
    expect([await answers(), await answers()]).toEqual([
      [429, '2'],
      [429, '2'],
    ])
    clock += 2_000
    expect([await answers(), await answers()]).toEqual([
      [200, null],
      [429, '2'],
    ])
    slack.faultSwitches.clear()
    expect(await answers()).toEqual([200, null])
  })

  test('Slack’s own rates can be turned on and off', async () => {
    const slack = await localSlack({ now: () => 1_790_000_000_000, echo: false })
    slack.faultSwitches.set('rates', on)
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) statuses.push((await post(slack)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    slack.faultSwitches.clear()
    expect((await post(slack)).status).toBe(200)
  })

  test('Slack can be slow, or down for everything it serves', async () => {
    const slack = await localSlack({ echo: false, ackMs: 10, retryMs: [] })
    slack.faultSwitches.set('slow', { isOn: true, value: 1 })
    const from = performance.now()
    expect((await post(slack)).status).toBe(200)
    expect(performance.now() - from).toBeGreaterThan(990)
    slack.faultSwitches.clear()
    slack.faultSwitches.set('down', on)
    const { files = [] } =
      (await slack.say({ text: 'Here.', files: [textFile('a.txt', 'x')] })) && slack.messages(GENERAL).at(-1)!
    const download = () =>
      fetch(String(files[0]?.['url_private_download']), { headers: { authorization: `Bearer ${slack.botToken}` } })
    expect([(await post(slack)).status, (await download()).status]).toEqual([503, 503])
    slack.faultSwitches.clear()
    expect([(await post(slack)).status, await (await download()).text()]).toEqual([200, 'x'])
    expect(slack.refusals).toEqual([])
  })

  test('a trigger that expires in a slow Slack does not count as the app’s mistake', async () => {
    const clock = { now: 1_790_000_000_000 }
    const slack = await localSlack({ now: () => clock.now, ackMs: 10, retryMs: [] })
    const { delivery } = await slack.slash('What is 2+2?')
    clock.now += 4_000
    const view = { type: 'modal', title: { type: 'plain_text', text: 'x' }, blocks: [] }
    const open = () => callSlack(slack, 'views.open', { trigger_id: delivery.payload['trigger_id'], view })
    slack.faultSwitches.set('slow', { isOn: true, value: 1 })
    expect(await open()).toMatchObject({ error: 'expired_trigger_id' })
    expect(slack.refusals).toEqual([])
    slack.faultSwitches.clear()
    expect((await open())['ok']).toBe(false)
    expect(slack.refusals).toHaveLength(1)
  })

  test('a removed scope disables its calls and events; for channels the scope of their kind counts', async () => {
    const scopes = SCOPES
    const slack = await localSlack({ echo: false, scopes, ackMs: 20, retryMs: [] })
    const { ts, deliveries } = await slack.say({ text: 'Anybody?' })
    expect(deliveries).toHaveLength(1)
    slack.faultSwitches.set('scope', { isOn: true, value: 'channels:history' })
    const refused = await callSlack(slack, 'conversations.replies', { ts })
    expect(refused).toMatchObject({ ok: false, error: 'missing_scope', needed: 'channels:history' })
    expect(String(refused['provided']).split(',')).toEqual(scopes.filter((one) => one !== 'channels:history'))
    expect(await callSlack(slack, 'conversations.replies', { ts, channel: `D${ALICE.slice(1)}` })).toMatchObject({
      error: 'thread_not_found',
    })
    expect((await slack.say({ text: 'Heard?' })).deliveries).toEqual([])
    slack.faultSwitches.set('scope', { value: 'users:read' })
    expect(await callSlack(slack, 'users.info', { user: ALICE })).toMatchObject({ error: 'missing_scope' })
    expect((await slack.say({ text: 'Heard?' })).deliveries).toHaveLength(1)
    slack.faultSwitches.clear()
    expect(await callSlack(slack, 'users.info', { user: ALICE })).toMatchObject({ ok: true })
    // The missing scope is not the app's mistake.
    expect(slack.refusals.filter(({ error }) => error === 'missing_scope')).toEqual([])
  })

  test('every scope of the manifest whose loss has an effect can be removed', () => {
    const scopes = SCOPES
    expect(scopes).toContain('chat:write')
    expect(scopes.filter((one) => !takeable(scopes).includes(one))).toEqual(['assistant:write', 'commands'])
  })

  test('a download returns the login page, by a redirect or directly', async () => {
    const slack = await localSlack({ echo: false, ackMs: 10, retryMs: [] })
    await slack.say({ text: 'Here.', files: [textFile('a.txt', 'x')] })
    const address = String(slack.messages(GENERAL).at(-1)?.files?.[0]?.['url_private_download'])
    const get = () => fetch(address, { redirect: 'manual', headers: { authorization: `Bearer ${slack.botToken}` } })
    slack.faultSwitches.set('loginPage', on)
    expect((await get()).status).toBe(302)
    slack.faultSwitches.set('loginPage', { value: 'page' })
    expect(await (await get()).text()).toContain('Sign in to Local Slack')
    slack.faultSwitches.clear()
    expect(await (await get()).text()).toBe('x')
  })
})

describe('events', () => {
  test('are repeated as often as set, acked or not, with the headers of a retry', async () => {
    const heard: (string | undefined)[][] = []
    const app = createServer(({ headers }, response) => {
      heard.push([headers['x-slack-retry-num'], headers['x-slack-retry-reason']].map((one) => one?.toString()))
      response.end()
    })
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
    const slack = await localSlack({ ackMs: 30_000 })
    slack.setTarget(`http://127.0.0.1:${Object(app.address())['port']}`)
    slack.faultSwitches.set('redelivered', on)
    const { deliveries } = await slack.say({ text: 'One.' })
    expect(await deliveries[0]?.done).toBe(true)
    slack.faultSwitches.clear()
    await (
      await slack.say({ text: 'Two.' })
    ).deliveries[0]?.done
    app.close()
    const again = ['1', '2'].map((n) => [n, 'http_timeout'])
    expect(heard).toEqual([[undefined, undefined], ...again, [undefined, undefined]])
  })

  test('arrive late with a message dated hours ago, but after the earlier messages of its thread', async () => {
    const clock = 1_790_000_000_000
    const slack = await localSlack({ now: () => clock, ackMs: 10, retryMs: [] })
    const root = await slack.say({ text: 'Now.' })
    slack.faultSwitches.set('late', { isOn: true, value: 2 })
    const late = await slack.say({ text: 'Two hours ago.' })
    expect(Number(late.ts)).toBeCloseTo(clock / 1000 - 7200, 3)
    expect(late.deliveries[0]?.payload).toMatchObject({ event_time: clock / 1000 - 7200, event: { ts: late.ts } })
    const reply = await slack.say({ text: 'A reply.', thread_ts: root.ts })
    expect([Number(reply.ts) > Number(root.ts), Number(reply.ts) - Number(root.ts) < 1]).toEqual([true, true])
    slack.faultSwitches.clear()
    const after = await slack.say({ text: 'Now again.' })
    expect(slack.messages(GENERAL).map(({ ts }) => ts)).toEqual([late.ts, root.ts, reply.ts, after.ts])
  })
})

describe('streams', () => {
  async function streaming(slack: LocalSlack): Promise<string> {
    const to = { thread_ts: (await slack.say({ text: 'Hi.' })).ts, recipient_user_id: ALICE, recipient_team_id: TEAM }
    return String((await callSlack(slack, 'chat.startStream', { ...to, markdown_text: 'One' }))['ts'])
  }
  const append = (slack: LocalSlack, ts: string) => callSlack(slack, 'chat.appendStream', { ts, markdown_text: ' two' })

  test('die early, are stopped without an event, or are refused', async () => {
    let clock = 1_790_000_000_000
    const slack = await localSlack({ now: () => clock, ackMs: 10, retryMs: [], echo: false })
    const [one, two] = [await streaming(slack), await streaming(slack)]
    slack.faultSwitches.set('streamsDie', { isOn: true, value: 2 })
    expect(await append(slack, one)).toMatchObject({ ok: true })
    clock += 3_000
    expect(await append(slack, one)).toMatchObject({ error: 'message_not_in_streaming_state' })
    slack.faultSwitches.clear()
    slack.faultSwitches.set('streamsStopped', on)
    expect(await append(slack, two)).toMatchObject({ error: 'stopped_by_user' })
    expect(slack.messages(GENERAL).find(({ ts }) => ts === two)?.streaming_state).toBe('stopped')
    slack.faultSwitches.clear()
    slack.faultSwitches.set('streamsRefused', { isOn: true, value: 'restricted_action' })
    const to = { recipient_user_id: ALICE, recipient_team_id: TEAM, markdown_text: 'x' }
    expect(await callSlack(slack, 'chat.startStream', to)).toMatchObject({ error: 'restricted_action' })
    slack.faultSwitches.clear()
    expect(await append(slack, await streaming(slack))).toMatchObject({ ok: true })
    expect(slack.refusals).toEqual([])
  })

  test('grow only for their recipient, and for others while the switch is on', async () => {
    const slack = await localSlack({ ackMs: 10, retryMs: [], echo: false })
    const ts = await streaming(slack)
    await append(slack, ts)
    const seen = (you: string) => {
      const state = JSON.stringify(pageState(slack, { model: '', isDemo: true, notes: [], examples: [] }, you))
      return /"text":"(One[^"]*)"/.exec(state)?.[1]
    }
    expect([seen(ALICE), seen(BOB)]).toEqual(['One two', 'One'])
    slack.faultSwitches.set('streamsForAll', on)
    expect(seen(BOB)).toBe('One two')
    slack.faultSwitches.clear()
    await callSlack(slack, 'chat.stopStream', { ts })
    expect(seen(BOB)).toBe('One two')
  })
})
