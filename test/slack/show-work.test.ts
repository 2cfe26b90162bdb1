/** The button "Show work": who sees what of a run, and what it does if the run is gone. */
import { describe, expect, test } from 'vitest'
import { recordOf } from '../../src/question/archive-run.ts'
import type { RunArchive } from '../../src/stores/archive/types.ts'
import { createAgent } from '../../src/question/agent/create-agent.ts'
import { loadConfig } from '../../src/config.ts'
import { createLog } from '../../src/base/log.ts'
import { ALICE, BOB, GENERAL, RANDOM, TEAM } from '../../playground/slack/slack.ts'
import { createNetwork } from '../../src/base/http/proxy.ts'
import { freshRun } from '../../src/stores/runs/types.ts'
import { serve } from '../../src/base/http/server.ts'
import { SHOW_WORK, WORK_NEXT, WORK_PREVIOUS } from '../../src/slack/format/action-ids.ts'
import { createSlackReceiver } from '../../src/slack/receivers/receiver.ts'
import { createStores } from '../../src/question/stores/open-stores.ts'
import { installationFromConfig } from '../../src/slack/install/open-installations.ts'
import { settingsFromConfig } from '../../src/stores/settings/settings.ts'
import { postButtons, questionId } from '../harness/answer-buttons.ts'
import { envFor, startBot } from '../harness/bot.ts'
import { fileEnds, type Ends } from '../harness/ends.ts'
import { localSlack } from '../harness/local-slack.ts'
import { act, finish, playModel } from '../harness/played-model.ts'
import { deferred } from '../harness/stores.ts'

const ends = fileEnds()

describe('Show work', async () => {
  const bot = await startBot(ends)
  const { slack, model } = bot

  const asked = async (question: string) => {
    const thread = await bot.mention(question)
    await thread.ended()
    return thread
  }

  /** Returns the text of a modal once the work is in it. */
  const filled = async (user = ALICE) => {
    const modal = await bot.modal(user)
    await slack.until(() => modal.shown().includes('❓'), 'the work')
    return modal.shown()
  }

  test('shows only the presser the question, each step, the usage and the outcome', async () => {
    model.on('power', act('I work it out.', 'calculator', '29^0.23'), finish('2.169459462491557'))
    await (await asked('What is 29 to the power 0.23?')).press(SHOW_WORK, { user: BOB })
    const shown = await filled(BOB)
    expect(shown).toContain('❓ What is 29 to the power 0.23?')
    expect(shown).toMatch(/answered · 1 step · \d+\.\d s of work/)
    expect(shown).toMatch(/model played-model · dialect text · 2 model calls · [\d,]+ tokens in, [\d,]+ out/)
    expect(shown).toMatch(
      /Step 1: Calculator\n💭 I work it out\.\n🔧 calculator\n29\^0\.23\n👁 2\.169459462491557\d*\nTook (?!0\.0)(?:\d\d? ms|\d+\.\d s)/,
    )
    expect(slack.modal(ALICE)).toBeUndefined()
    expect(slack.refusals).toEqual([])
  })

  test('shows a long run on pages, whole, split between steps', async () => {
    const thoughts = Array.from(
      { length: 5 },
      (_, i) => `thought${i} ${'all of it matters & more. '.repeat(300)} end${i}`,
    )
    model.on('long run', ...thoughts.map((thought, i) => act(thought, 'calculator', `${i}+1`)), finish('done'))
    await (await asked('A long run?')).press(SHOW_WORK)
    const modal = await bot.modal()
    const first = await filled()
    expect(first).toMatch(/Page 1 of \d/)
    await modal.press(WORK_NEXT)
    await slack.until(() => modal.shown().includes('Page 2 of'), 'the second page')
    const pages = [first, modal.shown()]
    const count = Number(/Page 2 of (\d)/.exec(pages[1] ?? '')?.[1])
    for (let page = 3; page <= count; page++) {
      await modal.press(WORK_NEXT)
      await slack.until(() => modal.shown().includes(`Page ${page} of`), `page ${page}`)
      pages.push(modal.shown())
    }
    const words = pages.join('\n').replace(/\s+/g, '')
    for (const thought of thoughts) expect(words).toContain(thought.replace(/\s+/g, ''))
    for (const page of pages) expect(page.match(/^Step \d/gm)?.length).toBe(page.match(/^Took /gm)?.length)
    await modal.press(WORK_PREVIOUS)
    await slack.until(() => modal.shown().includes(`Page ${count - 1} of`), 'the page before')
    expect(slack.refusals).toEqual([])
  })

  test('says that a run is no longer stored', async () => {
    const place = await postButtons(slack, `${TEAM}:${GENERAL}:1.000001`, { channel: GENERAL })
    await slack.press(place, { action_id: SHOW_WORK })
    await slack.until(() => slack.shownView(slack.modal() ?? {}).includes('no longer have this run'), 'the word')
  })

  test('says if Slack does not open it in time', async () => {
    const place = await postButtons(slack, `${TEAM}:${RANDOM}:1.000001`, { channel: RANDOM })
    slack.fault({ method: 'views.open', error: 'expired_trigger_id', times: 1 })
    await slack.press(place, { action_id: SHOW_WORK })
    await slack.until(() => slack.ephemerals(RANDOM, ALICE)[0]?.includes('press the button again'), 'a private word')
  })

  test('is refused for a copy of the button in another channel', async () => {
    model.on('private', finish('The secret.'))
    const thread = await asked('A private thing?')
    const brought = await postButtons(slack, questionId(thread), { channel: RANDOM })
    const before = slack.calls.filter(({ method }) => method === 'views.open').length
    await slack.press({ ...brought, user: BOB }, { action_id: SHOW_WORK })
    await slack.until(() => slack.ephemerals(RANDOM, BOB).length === 1, 'a private word')
    expect(slack.ephemerals(RANDOM, BOB)[0]).toMatch(/only works in the channel of its answer/)
    expect(slack.calls.filter(({ method }) => method === 'views.open')).toHaveLength(before)
  })
})

/** Starts a front whose archive has this `load`. */
async function frontWith(t: Ends, load: RunArchive['load']) {
  const slack = await localSlack()
  const config = loadConfig(envFor({ slack, model: await playModel(t) }), { serves: true })
  const log = createLog('silent')
  const agent = await createAgent(config, { log, net: await createNetwork(config), now: () => new Date() })
  const stores = await createStores(config, { log, now: Date.now })
  const archive: RunArchive = { ...stores.archive, load }
  const settingsFor = settingsFromConfig(config, agent.defaults)
  const installations = await installationFromConfig(config, { now: Date.now, log })
  const services = {
    ...stores,
    archive,
    intake: stores.queue,
    agent,
    installations,
    settingsFor,
    operator: { settingsFor, scheduling: { perUser: 0, minMinutes: 1 } },
    search: {},
    telemetry: {},
    log,
    now: () => new Date(),
  }
  const receiver = createSlackReceiver(services, { signingSecret: slack.signingSecret, apiUrl: slack.apiUrl })
  const server = await serve({ port: 0, host: '127.0.0.1', pages: {}, front: receiver.requestListener })
  t.onTestFinished(() => server.close())
  t.onTestFinished(() => agent.close())
  slack.setTarget(`http://127.0.0.1:${server.port}/slack/events`)
  return slack
}

test('with a slow archive Show work opens in time, and is filled later', async (t) => {
  const release = deferred()
  const slack = await frontWith(t, () => release.promise.then(() => undefined))
  const place = await postButtons(slack, `${TEAM}:${GENERAL}:1.000001`, { channel: GENERAL })
  expect((await slack.press(place, { action_id: SHOW_WORK })).ok).toBe(true)
  await slack.until(() => slack.shownView(slack.modal() ?? {}).includes('Loading'), 'a modal that is not filled')
  release.resolve()
  await slack.until(
    () => slack.shownView(slack.modal() ?? {}).includes('no longer have this run'),
    'what it is filled with',
  )
  expect(slack.refusals).toEqual([])
})

test('if the archive does not answer, Show work says so', async (t) => {
  const slack = await frontWith(t, () => Promise.reject(new Error('Redis is away')))
  const place = await postButtons(slack, `${TEAM}:${GENERAL}:1.000001`, { channel: GENERAL })
  await slack.press(place, { action_id: SHOW_WORK })
  await slack.until(() => slack.shownView(slack.modal() ?? {}).includes('could not load this'), 'the word')
})

test('a button pressed before its answer is stored waits for it', async (t) => {
  const [id, at] = [`${TEAM}:${GENERAL}:1.000001`, Date.now()]
  const place = { team: TEAM, channel: GENERAL, thread: '1.000001', user: ALICE }
  const question = { ...place, kind: 'asked', id, text: 'An early press?', surface: 'mention', at } as const
  const saved = { ...freshRun(at), answer: { text: 'Yes.', sources: [] } }
  const record = recordOf(question, saved, { model: 'm', dialect: 'text', endedAt: at, hasFailed: false })
  let isFirst = true
  const slack = await frontWith(t, async () => (isFirst ? void (isFirst = false) : record))
  await slack.press(await postButtons(slack, id, { channel: GENERAL }), { action_id: SHOW_WORK })
  await slack.until(() => slack.shownView(slack.modal() ?? {}).includes('An early press?'), 'the work')
})
