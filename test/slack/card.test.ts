import { describe, expect, test } from 'vitest'
import type { StoredMessage } from '../../playground/slack/slack.ts'
import { secondBot, startBot, type TestBot, type Thread } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'
import { deferred } from '../harness/stores.ts'

const env = { STEPS: 'card' }
const bot = await startBot(fileEnds(), { env })
let count = 0

/** Asks for this many sums in a new channel. The model continues after step `pauseAfter` when `goOn` is called. */
async function asked(sums: number, { on = bot, pauseAfter = -1 }: { on?: TestBot; pauseAfter?: number } = {}) {
  const name = `card-${count++}-`
  const gate = deferred()
  on.model.decide(name, async (_, n) => {
    if (n === pauseAfter) await gate.promise
    return n < sums ? act(`${name} thought ${n + 1}`, 'calculator', `${n + 1}*10`) : finish(`${name} answered`)
  })
  const channel = on.slack.addChannel(`C0CARD${String(count).padStart(4, '0')}`).id
  const thread = await on.mention(`Work on ${name}`, { channel })
  return { thread, name, goOn: gate.resolve }
}

const typesOf = (message?: StoredMessage) => (message?.blocks ?? []).map(({ type }) => type)

/** Returns the first message when the run is over and it no longer changes. */
async function foldedIn(thread: Thread, { slack } = bot): Promise<StoredMessage> {
  await thread.ended()
  const isFolded = () => !JSON.stringify(thread.messages()[0]).includes('thinkaloud_stop')
  await slack.until(isFolded, 'a card that is folded up')
  return thread.messages()[0]!
}

/** Waits until the card has this text. Returns the card. */
async function cardWith(text: string, thread: Thread, { slack } = bot): Promise<StoredMessage> {
  const isThere = () => thread.messages().find((message) => slack.shown(message).includes(text))
  return slack.until(isThere, `a card with ${text}`)
}

describe.concurrent('STEPS=card', () => {
  test('shows the steps as tasks of one message, with a button to stop, and folds it up beside the answer', async () => {
    const { thread, name, goOn } = await asked(2, { pauseAfter: 2 })
    const card = await cardWith('2*10', thread)
    expect(typesOf(card)).toEqual(['plan', 'actions'])
    const said = JSON.stringify(card.blocks)
    expect(said).toContain('"title":"Calculator: 1*10"')
    expect(said).toContain(`${name} thought 1`)
    const id = card.metadata?.['event_payload']
    expect(said).toContain(`"action_id":"thinkaloud_stop"`)
    expect(said).toContain(`"value":"${String((id as { run: string }).run)}"`)
    goOn()
    expect(await thread.lastAnswer()).toBe(`${name} answered`)
    const folded = await foldedIn(thread)
    expect(thread.messages()).toHaveLength(2)
    expect(folded.blocks).toMatchObject([{ type: 'container', is_collapsible: true, default_collapsed: true }])
    expect(bot.slack.shown(folded)).toMatch(/^2 steps, \d+\.\d s\n🔧 1\. \*Calculator\* `1\*10`\n👁 10\n/)
    expect(JSON.stringify(folded)).not.toContain('thinkaloud_stop')
  })

  test('is there at once, before the model has said anything', async () => {
    const { thread, goOn } = await asked(0, { pauseAfter: 0 })
    const card = await cardWith('Thinking', thread)
    expect(typesOf(card)).toEqual(['plan', 'actions'])
    goOn()
    await foldedIn(thread)
    expect(thread.shown()[0]).toMatch(/^_0 steps, (?:\d+\.\d s|\d+ ms)_$/)
  })

  test('shows at most ten blocks of many steps when it is folded up', async (t) => {
    const many = await startBot(t, { env: { ...env, AGENT_MAX_STEPS: '20' } })
    const { thread } = await asked(14, { on: many })
    const [container] = (await foldedIn(thread, many)).blocks ?? []
    expect(container?.['child_blocks']).toHaveLength(10)
    expect(thread.shown()[0]).toMatch(/^14 steps, .*\n.*_5 more steps: press Show work_$/s)
  })

  test('names the pages that a tool has found', async (t) => {
    const pages = [{ id: 1, title: 'Dune', redirects: [], disambiguation: false, text: 'Dune is a novel.' }]
    const found = await startBot(t, { env, pages })
    const gate = deferred()
    found.model.decide('Dune', async (_, n) => {
      if (n === 2) await gate.promise
      return n < 2 ? act('Read.', 'wikipedia', n === 0 ? 'Dune' : 'Dune novel') : finish('A novel.')
    })
    const thread = await found.mention('What is Dune?')
    await cardWith('is a novel', thread, found)
    expect(found.slack.links().some((url) => url.includes('Dune'))).toBe(true)
    gate.resolve()
    await thread.ended()
  })

  test('says that an unanswerable question was not finished', async (t) => {
    const broken = await startBot(t, { env, model: [act('One.', 'calculator', '1+1'), { status: 401, body: {} }] })
    const thread = await broken.mention('Will it fail?')
    await foldedIn(thread, broken)
    expect(thread.shown()[0]).toMatch(/^1 step, \d+\.\d s, not finished\n/)
    expect(thread.endings()).toHaveLength(1)
  })

  test('is not shown for a question that needs no model', async () => {
    const thread = await bot.mention('help')
    await bot.slack.until(() => thread.messages().length > 0, 'the help')
    await bot.slack.until(() => thread.isAtRest(), 'the end')
    expect(thread.messages()).toHaveLength(1)
  })

  test('a card that Slack refuses does not hold back the answer', async () => {
    const fault = { method: 'chat.update', error: 'cant_update_message', times: 9 }
    const { thread, name, goOn } = await asked(2, { pauseAfter: 1 })
    bot.slack.fault({ ...fault, channel: thread.channel })
    goOn()
    expect(await thread.lastAnswer()).toBe(`${name} answered`)
    expect(thread.messages()).toHaveLength(2)
  })
})

describe.concurrent('if a workspace refuses', () => {
  test.for([
    ['plans', ['plan'], ['context', 'task_card', 'actions'], 'container'],
    ['plans and tasks', ['plan', 'task_card'], ['context', 'context', 'actions'], 'container'],
    ['plans, tasks and containers', ['plan', 'task_card', 'container'], ['context', 'context', 'actions'], 'context'],
  ] as const)('%s, the card is the next simpler form, and is not tried again', async ([, refused, open, folded], t) => {
    const own = await startBot(t, { env, slack: { refusedBlocks: [...refused] } })
    const { slack } = own
    const { thread, goOn } = await asked(1, { on: own, pauseAfter: 1 })
    const card = await cardWith('1*10', thread, own)
    expect(typesOf(card)).toEqual(open)
    goOn()
    expect(typesOf(await foldedIn(thread, own))[0]).toBe(folded)
    expect(thread.shown()[0]).toContain('1*10')
    const failures = () => slack.calls.filter(({ error }) => error === 'invalid_blocks').length
    expect(failures()).toBe(refused.length)
    const again = await asked(1, { on: own })
    await foldedIn(again.thread, own)
    expect([failures(), again.thread.messages().length, slack.refusals]).toEqual([refused.length, 2, []])
  })

  test('every block, the card and the answer are text', async (t) => {
    const own = await startBot(t, { env })
    const where = ({ blocks }: Record<string, unknown>) => Array.isArray(blocks) && blocks.length > 0
    own.slack.fault({ method: 'chat.*', error: 'invalid_blocks', where, times: 99 })
    const { thread, name } = await asked(1, { on: own })
    const isWhole = () => thread.messages().length === 2 && thread.shown()[0]?.includes('Calculator')
    await own.slack.until(isWhole, 'the card in words')
    expect(thread.shown()[1]).toContain(`${name} answered`)
    expect(thread.messages().flatMap(({ blocks = [] }) => blocks)).toEqual([])
  })
})

describe('a run in calls to Slack, status apart', () => {
  /** Turns that take longer than the pause between two updates of a card, so that only the count limits updates. */
  async function callsOf(steps: string, sums: number, t: Parameters<typeof startBot>[0]): Promise<string[]> {
    const own = await startBot(t, { env: { STEPS: steps, AGENT_MAX_STEPS: '12' } })
    const delayMs = steps === 'card' && sums > 1 ? 1_050 : 0
    own.model.decide('count', (_, n) => ({
      text: n < sums ? act(`Thought ${n}`, 'calculator', `${n}+1`) : finish('Counted.'),
      delayMs,
    }))
    const thread = await own.mention('count')
    expect(await thread.lastAnswer()).toBe('Counted.')
    if (steps === 'card') await foldedIn(thread, own)
    await own.slack.settle(100)
    return own.slack.calls.map(({ method }) => method).filter((method) => /^chat\./.test(method))
  }

  test.concurrent.for([1, 10])('of %d steps is at most half of that and four as a card', async (sums, t) => {
    const calls = await callsOf('card', sums, t)
    expect(calls.length).toBeLessThanOrEqual(sums / 2 + 4)
    expect(calls.filter((method) => method === 'chat.postMessage')).toHaveLength(2)
    expect(calls.at(-1)).toBe('chat.update')
  })

  test.concurrent.for([1, 10])('of %d steps is at most twice that and three as replies', async (sums, t) => {
    expect((await callsOf('replies', sums, t)).length).toBeLessThanOrEqual(2 * sums + 3)
  })

  test.concurrent.for([1, 10])('of %d steps is one call if they are hidden', async (sums, t) => {
    expect(await callsOf('hidden', sums, t)).toEqual(['chat.postMessage'])
  })
})

describe.concurrent('STEPS=stream in a channel', () => {
  test('is a card, because only one person would see the stream grow; in a direct message it is a stream', async (t) => {
    const own = await startBot(t, { env: { STEPS: 'stream' } })
    const { thread } = await asked(1, { on: own })
    expect((await foldedIn(thread, own)).blocks).toMatchObject([{ type: 'container' }])
    own.model.on('directly', act('One.', 'calculator', '1+1'), finish('Direct.'))
    const dm = await own.dm('directly?')
    await dm.ended()
    expect(dm.messages()[0]).toMatchObject({ streaming_state: 'completed' })
  })

  test('is a card in direct messages too if the workspace does not stream, which is tried once', async (t) => {
    const own = await startBot(t, { env: { STEPS: 'stream' }, model: [act('One.', 'calculator', '1+1'), finish('2.')] })
    own.slack.fault({ method: 'chat.startStream', error: 'not_authorized', times: 9 })
    for (const text of ['first?', 'second?']) {
      const dm = await own.dm(text)
      await foldedIn(dm, own)
      expect(dm.messages()).toHaveLength(2)
    }
    expect(own.slack.calls.filter(({ method }) => method === 'chat.startStream')).toHaveLength(1)
  })
})

describeWithRedis('a card whose process ends', () => {
  test('is continued by the next process, and folded once', async (t) => {
    const server = await startRedis()
    t.onTestFinished(() => server.stop())
    const durable = { ...env, REDIS_URL: server.url, SHUTDOWN_MS: '500' }
    const first = await startBot(t, { env: durable })
    first.model.on('handed over', act('One.', 'calculator', '1+1'), { hang: true })
    const thread = await first.mention('Is it handed over?')
    await cardWith('1+1', thread, first)
    await first.slack.until(() => first.model.about('handed over').length === 2, 'the second call')
    await first.stop()
    expect(typesOf(thread.messages()[0])).toEqual(['plan', 'actions'])
    first.model.on('handed over', act('Two.', 'calculator', '2+2'), finish('Handed over.'))
    await secondBot(t, first, durable)
    expect(await thread.lastAnswer()).toBe('Handed over.')
    await foldedIn(thread, first)
    expect(thread.messages()).toHaveLength(2)
    expect(thread.shown()[0]).toMatch(/^2 steps, [^]*1\+1[^]*2\+2/)
  })

  test('before its post was confirmed is found, and not posted again', async (t) => {
    const server = await startRedis()
    t.onTestFinished(() => server.stop())
    const durable = { ...env, REDIS_URL: server.url, SHUTDOWN_MS: '300' }
    const first = await startBot(t, { env: durable })
    const gate = deferred()
    first.slack.fault({ method: 'chat.postMessage', hold: gate.promise })
    first.model.on('found again', { hang: true })
    const thread = await first.mention('Is it found again?')
    await first.slack.until(() => thread.messages().length === 1, 'the card')
    await first.stop()
    gate.resolve()
    first.model.on('found again', finish('Found.'))
    await secondBot(t, first, durable)
    expect(await thread.lastAnswer()).toBe('Found.')
    await foldedIn(thread, first)
    expect(thread.messages()).toHaveLength(2)
    expect(typesOf(thread.messages()[0])).toEqual(['context'])
  })
})

test('nobody is pinged, and Slack would have refused nothing but updates', () => {
  expect([bot.slack.pings(), bot.slack.refusals]).toEqual([[], []])
})
