/** The playground's journal, its server's answers about it, and repeated entries. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { sign } from '../../playground/slack/events/deliveries.ts'
import { inspectorPart } from '../../playground/journal/inspector-part.ts'
import { createJournal, type JournalEntry, type Journal } from '../../playground/journal/journal.ts'
import { listen, readBody } from '../../playground/base/loopback-server.ts'
import { startModelEndpoint } from '../../playground/model/model-endpoint.ts'
import { startPage } from '../../playground/page-server/page-server.ts'
import { startPlayground } from '../../playground/main.ts'
import { ALICE, GENERAL, type Json, type LocalSlackOptions } from '../../playground/slack/slack.ts'
import { localSlack } from '../harness/local-slack.ts'
import { curlWords, doCurl } from '../harness/shell-curl.ts'
import { callSlack } from '../harness/slack-calls.ts'

/** Starts an app over HTTP that answers with these statuses, then with 200. Records its deliveries. */
async function app(...statuses: number[]) {
  const came: { headers: Record<string, unknown>; body: string }[] = []
  const server = await listen((request, response) => {
    void readBody(request).then((body) => {
      came.push({ headers: request.headers, body })
      response.writeHead(statuses.shift() ?? 200).end('')
    })
  })
  onTestFinished(server.close)
  return { url: server.base, came }
}

async function journaled(options: LocalSlackOptions = {}, ...statuses: number[]) {
  const journal = createJournal()
  const slack = await localSlack({ echo: false, retryMs: [0], ...options, journal })
  const { url, came } = await app(...statuses)
  slack.setTarget(url)
  return { journal, slack, came, url }
}

/** Serves a page with only this panel, and reads its data. */
async function served(options: LocalSlackOptions = {}) {
  const parts = await journaled(options)
  const { journal, slack } = parts
  const model = await startModelEndpoint({
    journal,
    upstream: {
      models: () => Promise.resolve(['m']),
      complete: async function* () {
        yield { text: 'Hello.' }
      },
    },
  })
  onTestFinished(model.close)
  const runTool = (tool: string, input: unknown) =>
    tool === 'calculator'
      ? Promise.resolve({ text: `${String(input)} = 42` })
      : Promise.reject(new Error('no such tool'))
  const notes = { model: 'none', isDemo: false, notes: [], examples: [] }
  const part = inspectorPart({ journal, slack, modelUrl: model.url, runTool })
  const page = await startPage(slack, { port: 0, notes, parts: [part] })
  onTestFinished(page.close)
  const get = async (path: string) => (await (await fetch(page.url + path)).json()) as Json
  const again = async (n: number) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${page.url}/journal/again`, { method: 'POST', headers, body: JSON.stringify({ n }) })
    return (await answer.json()) as { n?: number; error?: string }
  }
  const opened = (n: number) => get(`/journal/entry?n=${n}&page=${encodeURIComponent(page.url)}`)
  const curl = async (n: number) => String((await opened(n))['curl'])
  const ask = () =>
    fetch(`${model.url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: "It's $HOME" }] }),
    }).then((answer) => answer.json())
  return { ...parts, page, model, get, again, opened, curl, ask }
}

const named = (journal: Journal, name: string): JournalEntry | undefined =>
  journal.entries().findLast((one) => one.name === name)
const names = (journal: Journal) =>
  journal.entries().map(({ kind, name, thread }) => `${kind} ${name} ${thread ?? ''}`.trim())
const section = { type: 'section', text: { type: 'mrkdwn', text: 'Press' } }
const button = {
  type: 'actions',
  elements: [{ type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } }],
}

describe('the journal of the local Slack', () => {
  test('records each event, command and interaction, with its thread, tries and ack', async () => {
    const { journal, slack } = await journaled({}, 500)
    const { ts, deliveries } = await slack.mention('Why?')
    await Promise.all(deliveries.map(({ done }) => done))
    await slack.people.edit({ channel: GENERAL, ts }, 'Why not?')
    await slack.people.react({ channel: GENERAL, ts, name: 'eyes', user: ALICE })
    await slack.slash('how?')
    const posted = await callSlack(slack, 'chat.postMessage', { thread_ts: ts, text: 'x', blocks: [section, button] })
    await slack.press({ channel: GENERAL, ts: String(posted['ts']) }, { action_id: 'go' })
    const thread = `${GENERAL}:${ts}`
    expect(names(journal)).toEqual([
      `delivery app_mention ${thread}`,
      `delivery message ${thread}`,
      `delivery message (message_changed) ${thread}`,
      `delivery reaction_added ${thread}`,
      'delivery /ask',
      `call chat.postMessage ${thread}`,
      `delivery block_actions go ${thread}`,
    ])
    const retried = journal.entries().find(({ response }) => (response?.['attempts'] as unknown[])?.length === 2)
    expect(retried).toMatchObject({
      ok: true,
      response: { attempts: [{ status: 500 }, { status: 200, retry: 1, reason: 'http_error' }] },
    })
    expect(retried).not.toHaveProperty('error')
    expect(named(journal, '/ask')).toMatchObject({
      ok: true,
      request: { type: 'slash_commands', payload: { text: 'how?' } },
    })
  })

  test('records each call with its arguments and whole answer, and failures with their reason', async () => {
    const { journal, slack } = await journaled({ scopes: ['chat:write'] })
    const { ts } = await slack.say({ text: 'root' })
    const posted = await callSlack(slack, 'chat.postMessage', { thread_ts: ts, text: 'hello' })
    await callSlack(slack, 'chat.update', { ts: posted['ts'], text: 'hello again' })
    await callSlack(slack, 'reactions.add', { timestamp: ts, name: 'eyes' })
    await callSlack(slack, 'chat.postMessage', { token: 'xoxb-somebody-elses', text: 'x' })
    slack.fault({ method: 'chat.delete', retryAfter: 3 })
    await callSlack(slack, 'chat.delete', { ts: posted['ts'] })
    slack.fault({ method: 'auth.test', dropBefore: true })
    await expect(callSlack(slack, 'auth.test')).rejects.toThrow()
    const calls = journal.entries().filter(({ kind }) => kind === 'call')
    const thread = `${GENERAL}:${ts}`
    expect(calls.map(({ name, ok, error, thread }) => [name, ok, error, thread])).toEqual([
      ['chat.postMessage', true, undefined, thread],
      ['chat.update', true, undefined, thread],
      ['reactions.add', false, 'missing_scope (needed: reactions:write)', thread],
      ['chat.postMessage', false, 'invalid_auth', undefined],
      ['chat.delete', false, 'ratelimited', thread],
      ['auth.test', false, 'The connection was cut before the answer.', undefined],
    ])
    expect(calls[0]).toMatchObject({
      request: {
        method: 'POST',
        path: '/api/chat.postMessage',
        headers: { authorization: 'Bearer $SLACK_BOT_TOKEN' },
        args: { text: 'hello' },
      },
      response: { status: 200, body: { ok: true, message: { text: 'hello' } } },
    })
    expect(calls[4]?.response).toMatchObject({ status: 429, headers: { 'retry-after': '3' } })
    expect(JSON.stringify(journal.entries())).not.toMatch(/xoxb-|xapp-|local-signing/)
  })

  test('records uploads, downloads and response URLs', async () => {
    const { journal, slack } = await journaled()
    const { ts } = await slack.say({ text: 'root' })
    const answered = await slack.slash('x')
    const headers = { 'content-type': 'application/json' }
    await fetch(String(answered.delivery.payload['response_url']), {
      method: 'POST',
      headers,
      body: '{"text":"psst"}',
    })
    const { upload_url, file_id } = await callSlack(slack, 'files.getUploadURLExternal', {
      filename: 'a.txt',
      length: 5,
    })
    await fetch(String(upload_url), { method: 'POST', body: 'hello' })
    await callSlack(slack, 'files.completeUploadExternal', { files: [{ id: file_id }], thread_ts: ts })
    const { file } = await callSlack(slack, 'files.info', { file: file_id })
    const { url_private = '' } = file as { url_private?: string }
    await (await fetch(url_private, { headers: { authorization: `Bearer ${slack.botToken}` } })).text()
    await fetch(url_private, { redirect: 'manual' })
    const downloads = await slack.until(() => {
      const all = journal.entries().filter(({ name, ms }) => name === 'download' && ms !== undefined)
      return all.length === 2 ? all : undefined
    }, 'the downloads')
    expect(downloads.map(({ ok }) => ok)).toEqual([true, false])
    expect(named(journal, 'response_url')).toMatchObject({ ok: true, request: { args: { text: 'psst' } } })
    expect(named(journal, 'upload')).toMatchObject({ ok: true, request: { args: { bytes: 5 } } })
    expect(named(journal, 'files.completeUploadExternal')?.thread).toBe(`${GENERAL}:${ts}`)
  })

  test('a delivery without an ack is recorded as failed, in words', async () => {
    const { journal, slack } = await journaled({ ackMs: 30, retryMs: [] })
    slack.setTarget(undefined)
    await slack.slash('x')
    expect(named(journal, '/ask')).toMatchObject({ ok: false, error: 'no ack in time' })
  })
})

describe('the panel’s server', () => {
  test('returns all rows first, then changed ones, and opens a whole entry', async () => {
    const { get, slack, opened, journal } = await served()
    await callSlack(slack, 'auth.test')
    const all = await get('/journal?since=0')
    expect(all).toMatchObject({ first: 1, rows: [{ n: 1, kind: 'call', name: 'auth.test', ok: true }] })
    expect(all['rows']).not.toMatchObject([{ request: expect.anything() as unknown }])
    const entry = journal.begin({ kind: 'tool', name: 'search', request: {} })
    const next = await get(`/journal?since=${String(all['rev'])}`)
    expect((next['rows'] as JournalEntry[]).map(({ n, ms }) => [n, ms])).toEqual([[2, undefined]])
    journal.end(entry, { ok: false, error: 'x'.repeat(500) })
    const last = await get(`/journal?since=${String(next['rev'])}`)
    expect((last['rows'] as JournalEntry[]).map(({ n, error }) => [n, error?.length])).toEqual([[2, 160]])
    expect(await opened(1)).toMatchObject({
      entry: { response: { body: { ok: true } } },
      needsToken: `SLACK_BOT_TOKEN=${slack.botToken}`,
      again: [],
    })
    expect((await get('/journal/entry?n=77'))['error']).toBe('Number 77 is not in the journal any more.')
  })

  test('finds words anywhere in an entry', async () => {
    const { get, slack, ask } = await served()
    await slack.say({ text: 'A Needle in the hay' })
    await ask()
    const find = async (words: string) => (await get(`/journal/find?words=${encodeURIComponent(words)}`))['ns']
    expect(await find('needle in')).toEqual([1])
    expect(await find(' HELLO. ')).toEqual([2])
    expect(await find('client_msg_id')).toEqual([1])
    expect(await find('nowhere')).toEqual([])
  })

  test('repeats each kind, as a new entry that refers to the first', async () => {
    const { again, slack, came, journal, ask, opened } = await served()
    await slack.mention('Why?')
    await callSlack(slack, 'chat.postMessage', { text: 'hello', blocks: [section] })
    await ask()
    journal.note({ kind: 'tool', name: 'calculator', request: { tool: 'calculator', input: '6*7' } })
    const [, , call = 0, model = 0, tool = 0] = journal.entries().map(({ n }) => n)
    const made: number[] = []
    for (const n of [1, 1, call, model, tool]) made.push((await again(n)).n ?? 0)
    await slack.until(() => journal.entries().every(({ ms }) => ms !== undefined), 'all to be over')
    expect(made.map((n) => journal.find(n)?.of)).toEqual([1, 1, call, model, tool])
    expect(made.map((n) => journal.find(n)?.ok)).toEqual([true, true, true, true, true])
    expect(came.slice(-2).map(({ headers }) => headers['x-slack-retry-num'])).toEqual(['1', '2'])
    expect(slack.messages(GENERAL).filter(({ text }) => text === 'hello').length).toBe(2)
    expect(journal.find(made[3] ?? 0)?.response?.['text']).toBe('Hello.')
    expect(journal.find(made[4] ?? 0)?.response).toEqual({ text: '6*7 = 42' })
    expect(await opened(made[3] ?? 0)).toMatchObject({ first: { n: model, response: { text: 'Hello.' } } })
    expect((await opened(1))['again']).toEqual(made.slice(0, 2))
  })

  test('explains why an entry cannot be repeated', async () => {
    const { again, journal, slack, opened } = await served()
    journal.note({ kind: 'tool', name: 'gone', request: { tool: 'gone', input: '' } })
    const failed = await again(1)
    expect(await slack.until(() => journal.find(failed.n ?? 0)?.error, 'the error')).toBe('no such tool')
    journal.note({ kind: 'fault', name: 'x', request: {} })
    expect(await again(3)).toEqual({ error: 'This was never sent.' })
    const { upload_url } = await callSlack(slack, 'files.getUploadURLExternal', { filename: 'a.txt', length: 5 })
    await fetch(String(upload_url), { method: 'POST', body: 'hello' })
    const upload = named(journal, 'upload')?.n ?? 0
    expect(await again(upload)).toEqual({ error: 'The bytes of an upload are not kept.' })
    expect(await opened(upload)).toMatchObject({ whyNotAgain: 'The bytes of an upload are not kept.' })
    expect(await again(4_000)).toEqual({ error: 'Number 4000 is not in the journal any more.' })
  })

  test('a call’s curl command has the same effect, whatever its content, with a token from the shell', async () => {
    const { curl, slack, journal } = await served()
    const text = `It's "$HOME" \`id\` $(id) \\ !! é\n☃`
    await callSlack(slack, 'chat.postMessage', { text, blocks: [section] })
    const command = await curl(1)
    expect(command).not.toContain(slack.botToken)
    const answer = await doCurl(command, { SLACK_BOT_TOKEN: slack.botToken })
    expect(await answer.json()).toMatchObject({ ok: true, message: { text } })
    expect(journal.entries().map(({ name, ok }) => [name, ok])).toEqual([
      ['chat.postMessage', true],
      ['chat.postMessage', true],
    ])
    await fetch(`${slack.apiUrl}auth.test`, { method: 'POST', headers: { authorization: 'Bearer $(id)"`id`' } })
    expect(curlWords(await curl(3)).filter((word) => word.startsWith('Authorization'))).toEqual([
      'Authorization: Bearer (an unknown token)',
    ])
  })

  test('downloads, uploads and lists of models have curl commands too', async () => {
    const { curl, slack, model, journal } = await served()
    const { upload_url, file_id } = await callSlack(slack, 'files.getUploadURLExternal', {
      filename: 'a.txt',
      length: 5,
    })
    await fetch(String(upload_url), { method: 'POST', body: 'hello' })
    await callSlack(slack, 'files.completeUploadExternal', { files: [{ id: file_id }] })
    const { file } = await callSlack(slack, 'files.info', { file: file_id })
    const { url_private = '' } = file as { url_private?: string }
    await fetch(url_private, { headers: { authorization: `Bearer ${slack.botToken}` } })
    const download = await doCurl(await curl(named(journal, 'download')?.n ?? 0), { SLACK_BOT_TOKEN: slack.botToken })
    expect(await download.text()).toBe('hello')
    expect(curlWords(await curl(named(journal, 'upload')?.n ?? 0))).toContain('@FILE')
    await fetch(`${model.url}/models`)
    const list = await doCurl(await curl(named(journal, 'list of models')?.n ?? 0))
    expect(await list.json()).toMatchObject({ data: [{ id: 'm' }] })
  })

  test('a model call’s curl command goes to the endpoint, a tool call’s to the page', async () => {
    const { curl, ask, journal, slack } = await served()
    await ask()
    expect(await (await doCurl(await curl(1))).json()).toMatchObject({ choices: [{ message: { content: 'Hello.' } }] })
    expect(journal.find(2)?.request['body']).toEqual(journal.find(1)?.request['body'])
    const tool = journal.note({ kind: 'tool', name: 'calculator', request: { tool: 'calculator', input: '6*7' } })
    expect(await (await doCurl(await curl(tool.n))).json()).toMatchObject({ ok: true, n: tool.n + 1 })
    await slack.until(() => journal.find(tool.n + 1)?.ok, 'the tool')
  })

  test('a delivery’s curl command is signed for an app over HTTP, and goes to the page in Socket Mode', async () => {
    const { curl, slack, came, journal } = await served({ ackMs: 50 })
    await slack.say({ text: "It's" })
    await slack.slash('how & why?')
    await slack.until(() => came.length >= 2, 'both deliveries')
    for (const [n, was] of [
      [1, came[0]],
      [2, came[1]],
    ] as const) {
      expect((await doCurl(await curl(n))).status).toBe(200)
      const { headers, body } = came.at(-1) ?? { headers: {}, body: '' }
      expect(body).toBe(was?.body)
      const timestamp = String(headers['x-slack-request-timestamp'])
      expect(headers['x-slack-signature']).toBe(sign(slack.signingSecret, timestamp, body))
    }
    expect(came.at(-2)?.headers['x-slack-retry-num']).toBe('1')
    slack.setTarget(undefined)
    expect(await (await doCurl(await curl(1))).json()).toEqual({ ok: true, n: 3 })
    expect(journal.find(3)).toMatchObject({ of: 1, kind: 'delivery' })
  })
})

describe('the playground’s own journal', () => {
  test('records a whole question: its event, the demo’s calls, the bot’s posts; a tool call can be repeated', async () => {
    const { slack, journal, url, stop } = await startPlayground({ PLAYGROUND_PORT: '0' }, { paceMs: 0 })
    onTestFinished(stop)
    const { thread } = await slack.mention('What is 6*7?')
    await slack.until(
      () => slack.replies(GENERAL, thread).some((one) => slack.shown(one).includes('Show work')),
      'the answer',
    )
    expect(named(journal, 'app_mention')).toMatchObject({ ok: true, thread: `${GENERAL}:${thread}` })
    const model = journal
      .entries()
      .find(
        ({ kind, request }) => kind === 'model' && request['body'] && JSON.stringify(request).includes('What is 6*7?'),
      )
    expect(model).toMatchObject({ ok: true, request: { body: { model: 'demo', stream: true } } })
    // The bot runs in a workspace and has its tools.
    expect(JSON.stringify(model?.request)).toContain('workspace_search')
    expect(slack.refusals).toEqual([])
    const tool = journal.note({ kind: 'tool', name: 'calculator', request: { tool: 'calculator', input: '6*7' } })
    const headers = { 'content-type': 'application/json' }
    const again = await fetch(`${url}/journal/again`, { method: 'POST', headers, body: JSON.stringify({ n: tool.n }) })
    const { n } = (await again.json()) as { n: number }
    const made = await slack.until(() => journal.find(n)?.ms !== undefined && journal.find(n), 'the tool')
    expect(made).toMatchObject({ ok: true, of: tool.n, response: { text: '42' } })
  })
})
