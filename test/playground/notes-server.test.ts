/** The playground's MCP server with the bot. */
import { describe, expect, test } from 'vitest'
import { startPlayground, type Playground } from '../../playground/main.ts'
import { CAROL } from '../../playground/slack/example-workspace.ts'
import { startNotesServer } from '../../playground/mcp/notes-server.ts'
import { BOB, GENERAL } from '../../playground/slack/slack.ts'
import type { Ends } from '../harness/ends.ts'
import { act, finish, playModel, type Turn } from '../harness/played-model.ts'

const ADD = (text: string) => act('I note it.', 'notes__add', JSON.stringify({ text }))
const LIST = act('I look.', 'notes__list', '{}')

async function start(t: Ends, turns: Turn[], env: Record<string, string> = {}): Promise<Playground> {
  const model = await playModel(t, turns)
  const played = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-test', OPENAI_MODEL: 'played' }
  const playground = await startPlayground({ PLAYGROUND_PORT: '0', ...played, ...env })
  t.onTestFinished(playground.stop)
  return playground
}

/** Asks as Alice. Returns what the bot writes from then on, when some of it matches. */
async function ask({ slack }: Playground, text: string, awaited: RegExp) {
  const { thread } = await slack.mention(text)
  const shown = () => slack.replies(GENERAL, thread).map((one) => slack.shown(one))
  await slack.until(() => shown().some((one) => awaited.test(one)), String(awaited))
  const card = () => slack.replies(GENERAL, thread).find((one) => slack.shown(one).startsWith('🔐'))
  const press = (user: string) =>
    slack.press({ channel: GENERAL, ts: card()?.ts ?? '', user }, { action_id: 'thinkaloud_allow_once' })
  return { shown, press }
}

/** Opens the Home until it matches. The bot checks a server's tools every five seconds at most. */
async function untilHome({ slack }: Playground, is: (home: string) => boolean): Promise<void> {
  const look = async () => {
    await slack.people.openHome(CAROL)
    await slack.settle(100)
    return is(slack.shownView(slack.home(CAROL) ?? {}))
  }
  await slack.until(look, 'what an admin sees of the tools')
}

describe('the server of notes', () => {
  test('is read without approval, and written to when Carol, an admin, allows it', async (t) => {
    const playground = await start(t, [ADD('buy milk'), finish('Done.'), LIST, finish('There is one.')])
    const { slack, notesServer } = playground
    const { press, shown } = await ask(playground, 'Note down: buy milk', /🔐[^]*buy milk[^]*Can approve: .*Carol/)
    await press(BOB)
    await slack.until(() => slack.ephemerals(GENERAL, BOB).some((one) => one.includes('cannot approve')), 'a refusal')
    expect(notesServer?.notes()).toEqual([])
    await press(CAROL)
    await slack.until(() => shown().some((one) => one.includes('Done.')), 'the answer')
    expect(notesServer?.notes()).toEqual(['buy milk'])
    const { shown: looked } = await ask(playground, 'What notes are there?', /There is one\./)
    expect(looked().join('\n')).not.toContain('🔐')
    expect(playground.notes.at(-1)).toMatch(/MCP server that keeps notes.*or Carol, allows it/)
    expect(slack.refusals).toEqual([])
  })

  test('with a changed description is off until the description is restored', async (t) => {
    const turns = [LIST, finish('There are none.'), ADD('one'), finish('I cannot.'), ADD('two'), finish('Done.')]
    const playground = await start(t, turns)
    const { notesServer, slack } = playground
    await ask(playground, 'What notes are there?', /There are none\./)
    notesServer?.change()
    await untilHome(playground, (home) => home.includes('Turn on'))
    const { shown } = await ask(playground, 'Note down: one', /I cannot\./)
    expect(shown().join('\n')).toContain('There is no tool "notes__add"')
    notesServer?.restore()
    await untilHome(playground, (home) => !home.includes('Turn on'))
    const { press } = await ask(playground, 'Note down: two', /🔐/)
    await press(CAROL)
    await slack.until(() => notesServer?.notes().includes('two'), 'the note')
    expect(notesServer?.notes()).toEqual(['two'])
  })

  test('uses the operator’s APPROVERS', async (t) => {
    const named = await start(t, [ADD('one'), finish('Done.')], { APPROVERS: BOB })
    expect(named.notes.at(-1)).toMatch(/somebody whom APPROVERS names allows it/)
    const { press } = await ask(named, 'Note down: one', /Can approve: .*Bob/)
    await press(BOB)
    await named.slack.until(() => named.notesServer?.notes().length === 1, 'the note')
  })

  test('answers no website, neither by its Origin nor by another Host', async (t) => {
    const server = await startNotesServer()
    t.onTestFinished(server.close)
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'add' } })
    const post = (url: string, headers: Record<string, string> = {}) =>
      fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })
    expect((await post(server.url, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await post(server.url.replace('127.0.0.1', 'localhost'))).status).toBe(403)
    expect(server.notes()).toEqual([])
  })
})
