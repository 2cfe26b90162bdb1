/** `npm run playground -- --workspaces`: a distributed app, installed and removed by people. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlayground, type Playground } from '../../playground/main.ts'
import { CAROL, LAUNCH } from '../../playground/slack/example-workspace.ts'
import { ALICE, BOT_USER, GENERAL, TEAM, type StoredMessage } from '../../playground/slack/slack.ts'
import type { PlayedWorkspace } from '../../playground/workspaces/gateway.ts'
import { describeWithChromium } from '../harness/chromium.ts'
import { Browser } from '../harness/many-bot.ts'
import { pagesInChromium } from '../harness/open-page.ts'

let playground: Playground
beforeAll(async () => {
  playground = await startPlayground({ PLAYGROUND_PORT: '0' }, { paceMs: 0, workspaces: true })
})
afterAll(() => playground.stop())

const gateway = () => playground.gateway!
const workspace = (name: string) => gateway().workspaces.find((one) => one.name === name)!

/** Follows Slack's page like a browser. `choice` is the link to follow. */
async function add(choice: string) {
  const browser = new Browser(gateway().base)
  const asked = new URL((await browser.get('/slack/install')).headers.get('location') ?? '')
  const page = await (await browser.get(asked.pathname + asked.search)).text()
  const [, href = ''] = new RegExp(`<a href="([^"]+)">${choice}</a>`).exec(page) ?? []
  const back = new URL((await browser.get(plain(href))).headers.get('location') ?? '')
  return (await browser.get(back.pathname + back.search)).text()
}

const plain = (address: string) => address.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))

async function act(act: string, id: string) {
  const body = new URLSearchParams({ act, id })
  expect((await fetch(`${gateway().base}/workspaces`, { method: 'POST', body, redirect: 'manual' })).status).toBe(303)
}

async function ask({ slack }: PlayedWorkspace, more: { user?: string } = {}) {
  const said = await slack.mention('What is 15% of 240?', more)
  return () => slack.replies(GENERAL, said.thread).some((one) => slack.shown(one).includes('36'))
}

async function isAnswered(at: PlayedWorkspace) {
  await at.slack.until(await ask(at), `an answer in ${at.name}`)
}

/** Checks that nothing is posted there while another workspace is answered. */
async function isIgnored(at: PlayedWorkspace, other: PlayedWorkspace) {
  const hasAnswer = await ask(at)
  await isAnswered(other)
  expect(hasAnswer()).toBe(false)
}

test('a delivery that is no JSON is rejected', async () => {
  const headers = { 'content-type': 'application/json' }
  const sent = await fetch(`${gateway().base}/from/0`, { method: 'POST', headers, body: '{"broken' })
  expect(sent.status).toBe(400)
})

test('allowing installs the app, cancelling says so, and the other workspace gets nothing', async () => {
  expect(await add('Cancel')).toContain('The installation was cancelled in Slack')
  expect(await add('Allow in Beacon')).toContain('Thinkaloud is installed in Beacon.')
  await isIgnored(workspace('Local'), workspace('Beacon'))
  expect(workspace('Local').slack.ephemerals(GENERAL, ALICE).join()).toContain('Thinkaloud is not installed in Local.')
  await add('Allow in Local')
  await isAnswered(workspace('Local'))
  const ids = gateway().workspaces.map(({ id }) => id)
  expect([ids[0], new Set(ids).size]).toEqual([TEAM, 5])
})

test('commands, buttons and forms work in a second workspace', async () => {
  await add('Allow in Beacon')
  const { slack } = workspace('Beacon')
  const said = await slack.mention('What is 15% of 240?')
  const isDone = (one: { text: string; blocks?: unknown[] }) => JSON.stringify(one).includes('thinkaloud_show_work')
  const answer = await slack.until(() => slack.replies(GENERAL, said.thread).find(isDone), 'a finished answer')
  await slack.press({ channel: GENERAL, ts: answer.ts }, { action_id: 'thinkaloud_show_work' })
  await slack.until(() => slack.modal() !== undefined, 'the work')
  expect((await slack.slash('settings')).status).toBe(200)
  await slack.until(() => JSON.stringify(slack.modal()).includes('Follow-ups'), 'the settings')
  const view = String(slack.modal()?.['id'])
  expect((await slack.submit(view, {})).errors ?? {}).toEqual({})
})

test('an organisation’s workspace is served after it adds the app, until it removes it', async () => {
  expect(await add('Allow in Globex')).toContain('Thinkaloud is installed in the organisation Globex.')
  await add('Allow in Local')
  const [ops, sales] = [workspace('Globex Ops'), workspace('Globex Sales')]
  await isIgnored(ops, workspace('Local'))
  for (const { id } of [ops, sales]) await act('add', id)
  await isAnswered(ops)
  await isAnswered(sales)
  await act('drop', ops.id)
  await isIgnored(ops, sales)
  await act('remove', 'E0GLOBEX001')
  await isIgnored(sales, workspace('Local'))
})

test('a removed app is silent at once, and works again after a new installation', async () => {
  await add('Allow in Local')
  await add('Allow in Beacon')
  await act('remove', workspace('Beacon').id)
  await isIgnored(workspace('Beacon'), workspace('Local'))
  await add('Allow in Beacon')
  await isAnswered(workspace('Beacon'))
})

test('tokens rotate: after their expiry the app has new ones', async () => {
  await add('Allow in Local')
  const tokens = () => [...gateway().oauth.tokens].filter(([, { home }]) => home.id === TEAM).map(([token]) => token)
  const before = tokens()
  const headers = { 'content-type': 'application/json' }
  // To 9:00 tomorrow, and a day later.
  for (const body of [1, 2].map(() => JSON.stringify({ name: 'tomorrow' })))
    expect((await fetch(`${playground.url}/faults-once`, { method: 'POST', headers, body })).status).toBe(200)
  await isAnswered(workspace('Local'))
  expect(tokens().filter((token) => !before.includes(token))).not.toEqual([])
  workspace('Local').slack.faultSwitches.set('tomorrow', { isOn: false })
})

test('a person connects Slack and searches as themselves, in the workspace that they are in', async () => {
  await add('Allow in Beacon')
  const { slack, ids } = workspace('Beacon')
  const dm = `D${ALICE.slice(1)}`
  await slack.say({ channel: LAUNCH, user: CAROL, text: 'The launch is called Narwhal.' })
  const find = async () => {
    const before = slack.messages(dm).length
    await slack.say({ channel: dm, text: 'What did we decide about Narwhal?' })
    const isDone = (one: StoredMessage) => JSON.stringify(one).includes('thinkaloud_show_work')
    await slack.until(() => slack.messages(dm).slice(before).some(isDone), 'an answer')
    return JSON.stringify(slack.messages(dm).slice(before))
  }
  expect(await find()).not.toContain('is called Narwhal')
  /** Follows the link of `/ask connections`. */
  const connect = async (choice: string) => {
    const before = slack.ephemerals(GENERAL, ALICE).length
    await slack.slash('connections')
    await slack.until(() => slack.ephemerals(GENERAL, ALICE).length > before, 'the list')
    const list = JSON.stringify(slack.store.channel(GENERAL).ephemerals.at(-1))
    const [, link = ''] = /(\/connect\?link=[\w-]+)/.exec(list) ?? []
    const browser = new Browser(gateway().base)
    const confirm = await (await browser.get(link)).text()
    const [, yes = ''] = /href="[^"]*(\/connect[^"]*)">I am/.exec(confirm) ?? []
    const asked = new URL((await browser.get(plain(yes))).headers.get('location') ?? '')
    const page = await (await browser.get(asked.pathname + asked.search)).text()
    const [, href = ''] = new RegExp(`<a href="([^"]+)">${choice}</a>`).exec(page) ?? []
    const back = new URL((await browser.get(plain(href))).headers.get('location') ?? '')
    return (await browser.get(back.pathname + back.search)).text()
  }
  expect(await connect('Cancel')).toContain('You did not allow it')
  expect(await connect('Allow as Bob')).toContain('signed in to Slack as somebody else')
  expect(await connect('Allow as Alice')).toContain('Slack is connected')
  expect(await find()).toContain('is called Narwhal')
  const [token] = [...gateway().oauth.tokens].findLast(([, { home }]) => home.user === ids.outward(ALICE)) ?? []
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${gateway().base}/api/chat.postMessage`, { method: 'POST', headers })
  expect(await answer.json()).toMatchObject({ ok: false, error: 'not_allowed_token_type' })
  await act('remove', workspace('Beacon').id)
  expect([...gateway().oauth.tokens.keys()]).not.toContain(token)
})

test('Slack refuses a token that it does not know, and an organisation’s that names no workspace', async () => {
  await add('Allow in Globex')
  const [token] = [...gateway().oauth.tokens].findLast(([, { home }]) => home.id === 'E0GLOBEX001') ?? []
  const call = async (authorization: string, body = '') => {
    const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await fetch(`${gateway().base}/api/users.info`, { method: 'POST', headers, body })
    return ((await answer.json()) as { error?: string }).error
  }
  expect([await call('Bearer xoxb-none'), await call(`Bearer ${token}`, `user=${BOT_USER}`)]).toEqual([
    'invalid_auth',
    'missing_argument',
  ])
})

describeWithChromium('the page', () => {
  const open = pagesInChromium()

  test('leads to the other workspace by menu and keyboard, where people can write', async () => {
    await add('Allow in Beacon')
    const { page, axe } = await open(playground.url, { viewport: { width: 400, height: 800 } })
    await page.getByRole('button', { name: 'Workspace: Local' }).press('Enter')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Workspace: Beacon' }).waitFor()
    await page.getByRole('textbox', { name: /^Message/ }).fill('@thinkaloud What is 15% of 240?')
    await page.keyboard.press('Enter')
    const { slack } = workspace('Beacon')
    const isAnswered = () => slack.messages(GENERAL).some((one) => slack.shown(one).includes('36'))
    await slack.until(isAnswered, 'an answer in Beacon')
    expect(await axe()).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    for (const path of [
      '/workspaces',
      '/oauth/v2/authorize?user_scope=search:read.im&team=T1LOCAL0001',
      '/slack/install',
    ]) {
      await page.goto(`${gateway().base}${path}`)
      expect(await axe()).toEqual([])
    }
    await page.getByRole('link', { name: 'Allow in Beacon' }).press('Enter')
    await page.getByRole('link', { name: 'Open Slack' }).press('Enter')
    await page.getByRole('button', { name: 'Workspace: Beacon' }).waitFor()
    await page.goto(`${gateway().base}/slack/install`)
    await page.getByRole('link', { name: 'Allow in Globex' }).press('Enter')
    await page.getByRole('heading', { name: 'Installed' }).waitFor()
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').textContent()).toBe('Add it to workspaces')
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(await axe()).toEqual([])
  })
})

describe('by default', () => {
  test('there is one workspace', async (t) => {
    const own = await startPlayground({ PLAYGROUND_PORT: '0' }, { paceMs: 0 })
    t.onTestFinished(own.stop)
    expect([own.gateway, (await (await fetch(`${own.url}/state`)).json()) as object]).toEqual([
      undefined,
      expect.not.objectContaining({ workspaces: expect.anything() }),
    ])
  })
})
