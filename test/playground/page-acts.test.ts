/** The actions that the page's server allows each person, no more than in Slack. */
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { ACME, addExamplePeople, CAROL, DAVE, ERIN, LAUNCH } from '../../playground/slack/example-workspace.ts'
import { startPage } from '../../playground/page-server/page-server.ts'
import { pageState, shownChange } from '../../playground/page-server/page-state.ts'
import { ALICE, BOB, GENERAL, RANDOM, TEAM, type LocalSlack } from '../../playground/slack/slack.ts'
import { localSlack } from '../harness/local-slack.ts'
import { callSlack } from '../harness/slack-calls.ts'

const NOTES = { model: '', isDemo: true, notes: [], examples: [] }
const BUTTON = { type: 'button', action_id: 'go', value: '1', text: { type: 'plain_text', text: 'Go' } }
const BLOCKS = [{ type: 'actions', elements: [BUTTON] }]

describe('somebody at the page', () => {
  let slack: LocalSlack
  let url: string
  beforeEach(async () => {
    slack = await localSlack({ agent: true, echo: false, ackMs: 20, retryMs: [] })
    addExamplePeople(slack.store)
    const page = await startPage(slack, { port: 0, notes: NOTES })
    onTestFinished(page.close)
    url = page.url
  })

  /** Posts a person's action. Returns the server's answer. */
  async function post(name: string, path: string, body: object): Promise<Record<string, unknown>> {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${url}${path}?as=${name}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await response.json()) as Record<string, unknown>
  }

  const refused = (words: string) => ({ error: expect.stringContaining(words) as string })
  const texts = (channel: string) => slack.messages(channel).map(({ text }) => text)
  /** Returns the deliveries to the app since then. */
  const interactions = () => slack.calls.length

  test('writes where they are, and nowhere else', async () => {
    expect(await post('dave', '/say', { channel: LAUNCH, text: 'hello' })).toEqual({ ok: true })
    expect(await post('bob', '/say', { channel: LAUNCH, text: 'hello' })).toEqual(refused('not in this channel'))
    expect(await post('dave', '/say', { channel: GENERAL, text: 'hello' })).toEqual(refused('not in this channel'))
    expect(await post('erin', '/say', { channel: RANDOM, text: '/ask x' })).toEqual(refused('not in this channel'))
    expect(await post('bob', '/say', { channel: `D${ALICE.slice(1)}`, text: 'x' })).toEqual(
      refused('not in this channel'),
    )
    slack.store.channel(RANDOM).archived = true
    expect(await post('bob', '/say', { channel: RANDOM, text: 'hello' })).toEqual(refused('archived'))
    expect([texts(LAUNCH), texts(GENERAL), texts(RANDOM)]).toEqual([['hello'], [], []])
  })

  test('edits and deletes only their own messages', async () => {
    const { ts } = await slack.say({ text: 'Alice’s own', user: ALICE })
    const where = { channel: GENERAL, ts }
    expect(await post('bob', '/edit', { ...where, text: 'Bob was here' })).toEqual(refused('Only your own messages'))
    expect(await post('carol', '/delete', where)).toEqual(refused('Only your own messages'))
    expect(await post('dave', '/delete', where)).toEqual(refused('not in this channel'))
    expect(texts(GENERAL)).toEqual(['Alice’s own'])
    await post('alice', '/edit', { ...where, text: 'better' })
    expect(texts(GENERAL)).toEqual(['better'])
    await post('alice', '/delete', where)
    expect(texts(GENERAL)).toEqual([])
    expect(await post('alice', '/delete', where)).toEqual(refused('no such message'))
  })

  test('presses, reacts to and stops what they see', async () => {
    const { ts } = await callSlack(slack, 'chat.postMessage', { channel: GENERAL, text: 'x', blocks: BLOCKS })
    const channel = slack.store.channel(GENERAL)
    const sendEphemeral = slack.store.sendEphemeral(channel, { user: ALICE, text: 'x', blocks: BLOCKS })
    const at = { channel: GENERAL, ts }
    const before = interactions()
    for (const [path, body] of [
      ['/press', { ...at, action_id: 'go' }],
      ['/react', { ...at, name: 'tada' }],
      ['/shortcut', { ...at, callback_id: 'about' }],
      ['/stop', { channel: GENERAL, thread: ts }],
      ['/rename', { channel: GENERAL, thread: ts, title: 'mine' }],
    ] as const) {
      expect(await post('dave', path, body), path).toEqual(refused('not in this channel'))
      expect(await post('bob', path, body), path).toEqual({ ok: true })
    }
    const seen = { channel: GENERAL, ts: sendEphemeral.ts, action_id: 'go' }
    expect(await post('bob', '/press', seen)).toEqual(refused('no such message'))
    expect(await post('alice', '/press', seen)).toEqual({ ok: true })
    expect(slack.reactions(GENERAL, String(ts))).toEqual([{ name: 'tada', users: [BOB], count: 1 }])
    expect(interactions()).toBe(before)
  })

  test('fills in and closes only their own views', async () => {
    const title = { type: 'plain_text', text: 'Mine' }
    const view = slack.views.open(ALICE, { type: 'modal', title, blocks: BLOCKS })
    for (const path of ['/press', '/submit', '/close'])
      expect(await post('bob', path, { view: view['id'], action_id: 'go' }), path).toEqual(refused('not open'))
    expect(slack.modal(ALICE)).toBeDefined()
    expect(await post('alice', '/close', { view: view['id'] })).toEqual({ ok: true })
    expect(slack.modal(ALICE)).toBeUndefined()
  })

  test('of another company writes in the shared channel, without commands, shortcuts or direct messages with the app', async () => {
    expect(await post('erin', '/say', { channel: ACME, text: '@thinkaloud hello' })).toEqual({ ok: true })
    const [message] = slack.messages(ACME)
    expect(message).toMatchObject({ user: ERIN, user_team: 'T0ACME00001' })
    const shortcut = { channel: ACME, ts: message?.ts, callback_id: 'about' }
    expect(await post('erin', '/say', { channel: ACME, text: '/ask x' })).toEqual({ ok: true })
    expect(slack.ephemerals(ACME, ERIN)).toEqual(['/ask is not a valid command.'])
    expect(await post('erin', '/shortcut', shortcut)).toEqual(refused('Only people of the workspace'))
    expect(await post('erin', '/home', { tab: 'home' })).toEqual(refused('Only people of the workspace'))
    expect(slack.store.channels.has(`D${ERIN.slice(1)}`)).toBe(false)
  })

  test('sees a stream to them grow in a channel, while others see only its beginning until it ends', async () => {
    const { ts: thread_ts } = await slack.say({ text: 'go on' })
    const place = { channel: GENERAL, thread_ts, recipient_user_id: ALICE, recipient_team_id: TEAM }
    const told: Record<string, unknown[]> = { [ALICE]: [], [BOB]: [], [DAVE]: [] }
    slack.store.watch((change) => {
      for (const [you, list] of Object.entries(told)) {
        const shown = shownChange(slack, change, you)?.['message']
        if (shown) list.push((shown as { text: string }).text)
      }
    })
    const { ts } = await callSlack(slack, 'chat.startStream', { ...place, markdown_text: 'one' })
    const grow = (method: string, more: object) => callSlack(slack, method, { channel: GENERAL, ts, ...more })
    await grow('chat.appendStream', { markdown_text: ' two' })
    const kept = (you: string) => JSON.stringify(pageState(slack, NOTES, you))
    expect([kept(ALICE).includes('one two'), kept(BOB).includes('one two')]).toEqual([true, false])
    const { message } = await grow('chat.stopStream', { markdown_text: ' three' })
    expect(told).toEqual({
      [ALICE]: ['one', 'one two', 'one two three'],
      [BOB]: ['one', 'one', 'one two three'],
      [DAVE]: [],
    })
    // The origin of the message is internal: neither the app nor the page gets it.
    expect([message, kept(BOB)].map((one) => JSON.stringify(one).includes('"stream":'))).toEqual([false, false])
    expect(JSON.stringify(await callSlack(slack, 'conversations.replies', { ts: thread_ts }))).not.toContain(
      '"stream":',
    )
  })

  test('is shown with their kind in Slack', () => {
    const users = pageState(slack, NOTES, ALICE)['users'] as { id: string; kind: string }[]
    const kinds = Object.fromEntries(users.map(({ id, kind }) => [id, kind]))
    expect(kinds).toMatchObject({ [ALICE]: 'member', [CAROL]: 'admin', [DAVE]: 'guest', [ERIN]: 'external' })
  })

  test('may be framed only by this page', async () => {
    const { headers } = await fetch(url)
    expect(headers.get('content-security-policy')).toMatch(/frame-src 'self'; frame-ancestors 'self'$/)
    const title = async (query: string) =>
      /<title>(.*)<\/title>/.exec(await (await fetch(`${url}/${query}`)).text())?.[1]
    const one = 'Thinkaloud playground'
    expect(await title('?as=alice&with=bob')).toBe(`Side by side – ${one}`)
    for (const query of ['', '?as=bob', '?as=bob&with=bob', '?with=nobody', '?with=thinkaloud', '?with=alice'])
      expect(await title(query), query).toBe(one)
  })
})
