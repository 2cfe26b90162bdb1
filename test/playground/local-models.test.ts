/** The models of this machine on the playground's page: offered beside the demo, chosen by nobody but a person. */
import type { ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ChildBots } from '../../playground/bot/child-bots.ts'
import { startPlayground, type PlaygroundOptions } from '../../playground/main.ts'
import { GENERAL } from '../../playground/slack/slack.ts'
import { describeWithChromium } from '../harness/chromium.ts'
import type { Ends } from '../harness/ends.ts'
import { pagesInChromium } from '../harness/open-page.ts'
import { freePort } from '../harness/redis.ts'
import { playModel, structured, type PlayedModel } from '../harness/played-model.ts'
import { sendJson, startWebServer } from '../harness/web-server.ts'

interface Choice {
  id: string
  name: string
  about: string
  isUsed: boolean
}

/** A server of this machine that holds the form of a schema, and answers every question with `said`. */
async function localModel(
  t: Ends,
  { name = 'qwen2.5:1.5b', said = 'It is 49.', facts = {} } = {},
): Promise<PlayedModel> {
  const model = await playModel(t, ({ raw, kind }) => {
    if (kind === 'condense') return 'What is half of 42?'
    return raw.includes('json_schema') ? structured('answer', said) : 'ready'
  })
  model.lists.set('/v1/models', { data: [{ id: name, object: 'model', ...facts }] })
  return model
}

const portOf = ({ url }: { url: string }) => new URL(url).port

async function openPlayground(t: Ends, options: PlaygroundOptions, env = {}) {
  const playground = await startPlayground({ PLAYGROUND_PORT: '0', ...env }, { paceMs: 0, ...options })
  t.onTestFinished(() => playground.stop())
  const { slack, url } = playground
  const get = async (path: string) => (await fetch(`${url}/${path}`)).json() as Promise<Record<string, unknown>>
  const choices = async () => ((await get('models'))['models'] ?? []) as Choice[]
  const use = async (id: string) => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch(`${url}/model`, { method: 'POST', headers, body: JSON.stringify({ id }) })).json()
  }
  const shownIn = (thread: string) =>
    slack
      .replies(GENERAL, thread)
      .map((one) => slack.shown(one))
      .join('\n')
  const answerTo = async (text: string, below?: string) => {
    const before = below === undefined ? 0 : slack.replies(GENERAL, below).length
    const { thread } = await slack.mention(text, below === undefined ? {} : { thread_ts: below })
    await slack.until(
      () =>
        slack
          .replies(GENERAL, thread)
          .slice(before)
          .some((one) => slack.shown(one).includes('Show work')),
      text,
    )
    return { thread, shown: shownIn(thread) }
  }
  return { ...playground, get, choices, use, answerTo }
}

describe('models of this machine', () => {
  test('are offered beside the demo, which answers until somebody chooses another; conversations go on', async (t) => {
    const model = await localModel(t, { facts: { meta: { n_ctx: 8_192, n_ctx_train: 32_768 } } })
    const { choices, use, answerTo, get } = await openPlayground(t, {
      modelPorts: [portOf(model), String(await freePort())],
    })
    const offered = await choices()
    expect(offered.map(({ name, about, isUsed }) => [name, about, isUsed])).toEqual([
      ['Demo', 'recordings and rules, no language model', true],
      ['qwen2.5:1.5b', `A model server on this machine, port ${portOf(model)}`, false],
    ])
    const { thread, shown } = await answerTo('What is 6*7?')
    expect(shown).toContain('42')
    expect(model.requests).toEqual([])
    expect(await use(offered[1]!.id)).toEqual({ ok: true })
    expect(await get('state')).toMatchObject({ model: 'qwen2.5:1.5b', isDemo: false })
    expect(String((await get('state'))['notes'])).toContain('AGENT_DIALECT=structured and a window of 8,192 tokens')
    const tried = model.requests.length
    expect((await answerTo('and half of that?', thread)).shown).toContain('It is 49.')
    const [condensed, asked] = model.requests.slice(tried)
    expect([condensed?.kind, condensed?.prompt]).toEqual(['condense', expect.stringContaining('What is 6*7?')])
    expect(asked?.body['response_format']).toMatchObject({ type: 'json_schema' })
    expect(await use('demo')).toEqual({ ok: true })
    const before = model.requests.length
    expect((await answerTo('What is 5*5?')).shown).toContain('25')
    expect(model.requests).toHaveLength(before)
  })

  test('LOCAL_MODEL_PORTS names the ports; without it or the option, and with a model of the operator, none is looked at', async (t) => {
    const model = await localModel(t)
    const env = { LOCAL_MODEL_PORTS: portOf(model) }
    expect(await (await openPlayground(t, {}, env)).choices()).toHaveLength(2)
    for (const given of [{}, { ...env, OPENAI_BASE_URL: model.url }]) {
      const { get } = await openPlayground(t, {}, given)
      expect((await get('state'))['panels']).not.toContain('models')
    }
  })

  test.each([
    ['a page', (response: ServerResponse) => void response.end('<html>Welcome</html>')],
    ['an empty list', (response: ServerResponse) => sendJson(response, { data: [] })],
    ['an error', (response: ServerResponse) => sendJson(response, { data: [{ id: 'm' }] }, 500)],
    ['nothing for long', () => undefined],
  ])('a port that answers with %s offers nothing', async (_, answer) => {
    const web = await startWebServer((_path, response) => answer(response))
    const { choices } = await openPlayground({ onTestFinished }, { modelPorts: [portOf(web)] })
    expect((await choices()).map(({ name }) => name)).toEqual(['Demo'])
  })

  test('one that does not answer is not taken: a sentence says so, and the demo stays', async (t) => {
    const model = await playModel(t, () => ({ status: 500, body: { error: { message: 'out of memory' } } }))
    model.lists.set('/v1/models', { data: [{ id: 'broken:7b' }] })
    const { choices, use, answerTo } = await openPlayground(t, { modelPorts: [portOf(model)] })
    const [, broken] = await choices()
    expect(await use(broken!.id)).toEqual({ error: expect.stringMatching(/^broken:7b: .+/) })
    expect(await use('http://127.0.0.1:1/v1 other')).toEqual({ error: expect.stringContaining('no longer there') })
    expect((await choices())[0]?.isUsed).toBe(true)
    expect((await answerTo('What is 6*7?')).shown).toContain('42')
  })
})

test('a bot in a process of its own starts with the chosen model', async (t) => {
  const model = await localModel(t)
  const started: Record<string, string | undefined>[] = []
  let bots: ChildBots | undefined
  const { choices, use } = await openPlayground(t, {
    modelPorts: [portOf(model)],
    runBot: async (parts) => {
      const nodeArgs = () => [
        '--eval',
        "process.on('disconnect', () => process.exit(0)); process.send({ port: 1, trace: undefined, tool: { env: process.env } })",
      ]
      const recorder = {
        ...parts.recorder,
        onTool: (tool: object) => void started.push((tool as { env: Record<string, string> }).env),
      }
      bots = new ChildBots({ ...parts, recorder, nodeArgs, notice: () => undefined })
      await bots.renew()
      return {
        tryPrompts: () => Promise.reject(new Error('not here')),
        renew: async () => bots?.renew(),
        stop: async () => bots?.stop(),
      }
    },
  })
  const [, found] = await choices()
  await use(found!.id)
  await use('demo')
  expect(started.map((env) => [env['OPENAI_MODEL'], env['AGENT_DIALECT']])).toEqual([
    ['demo', 'text'],
    ['qwen2.5:1.5b', 'structured'],
    ['demo', 'text'],
  ])
})

describeWithChromium('the choice on the page', () => {
  const openPage = pagesInChromium()

  test('a person chooses the model in the line at the top, by keyboard too, and sees which one answers', async (t) => {
    const model = await localModel(t)
    const { url } = await openPlayground(t, { modelPorts: [portOf(model)] })
    const { page, axe } = await openPage(url)
    const other = await openPage(url)
    const button = page.getByRole('button', { name: 'Model: Demo' })
    await button.focus()
    await page.keyboard.press('Enter')
    const menu = page.getByRole('menu', { name: 'Model' })
    expect(await menu.getByRole('menuitemradio').allInnerTexts()).toEqual([
      expect.stringContaining('Demo'),
      expect.stringMatching(/^qwen2\.5:1\.5b\s+A model server on this machine, port \d+$/),
    ])
    expect(await axe('.top')).toEqual([])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByText('From now on, qwen2.5:1.5b answers.').waitFor()
    await other.page.getByRole('button', { name: 'Model: qwen2.5:1.5b' }).waitFor()
    await page.getByText('What is real').click()
    await page.getByText('Model: qwen2.5:1.5b, real, by A model server').waitFor()
  })

  test('without a model on this machine, the line says Demo and is no menu', async (t) => {
    const { url } = await openPlayground(t, { modelPorts: [String(await freePort())] })
    const { page } = await openPage(url)
    await page.getByText('Demo model').waitFor()
    expect(await page.getByRole('button', { name: /^Model/ }).count()).toBe(0)
  })
})
