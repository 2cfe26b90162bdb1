import { isProposal } from '../../../src/agent/proposal-names.ts'
/** The settings of a place are read at each question, not at the start. */
import { expect, test } from 'vitest'
import { createAgent } from '../../../src/question/agent/create-agent.ts'
import { loadConfig } from '../../../src/config.ts'
import { createLog } from '../../../src/base/log.ts'
import { GENERAL, RANDOM } from '../../../playground/slack/slack.ts'
import { createNetwork } from '../../../src/base/http/proxy.ts'
import { serve } from '../../../src/base/http/server.ts'
import { createQuestionHandlers } from '../../../src/slack/answering/handle-question.ts'
import { createSlackReceiver } from '../../../src/slack/receivers/receiver.ts'
import { createStores } from '../../../src/question/stores/open-stores.ts'
import { installationFromConfig } from '../../../src/slack/install/open-installations.ts'
import { settingsFromConfig, type Settings } from '../../../src/stores/settings/settings.ts'
import { envFor, peopleOf } from '../../harness/bot.ts'
import type { Ends } from '../../harness/ends.ts'
import { localSlack } from '../../harness/local-slack.ts'
import { act, finish, playModel, type Script } from '../../harness/played-model.ts'

/** Starts a real bot whose settings by channel the test may change while it runs. */
async function startSettable(t: Ends, script?: Script) {
  const slack = await localSlack()
  const model = await playModel(t, script)
  const config = loadConfig(envFor({ slack, model }), { serves: true })
  const log = createLog('silent')
  const net = await createNetwork(config)
  const agent = await createAgent(config, { log, net, now: () => new Date() })
  const stores = await createStores(config, { log, now: Date.now })
  const installations = await installationFromConfig(config, { now: Date.now, log })
  const changed = new Map<string, Partial<Settings>>()
  const plain = settingsFromConfig(config, agent.defaults)
  const settingsFor: typeof plain = async (place) => ({ ...(await plain(place)), ...changed.get(place.channel) })
  const operator = { settingsFor: plain, scheduling: { perUser: 0, minMinutes: 1 } }
  const asked = { settingsFor, operator, search: {}, telemetry: {}, log, now: () => new Date() }
  const services = { ...stores, intake: stores.queue, agent, installations, ...asked }
  const handlers = createQuestionHandlers(services)
  await stores.queue.start(handlers.answer, handlers.deadLetter)
  const { signingSecret, apiUrl } = slack
  const receiver = createSlackReceiver(services, { signingSecret, apiUrl })
  const server = await serve({ port: 0, host: '127.0.0.1', pages: {}, front: receiver.requestListener })
  slack.setTarget(`http://127.0.0.1:${server.port}/slack/events`)
  t.onTestFinished(async () => {
    await server.close()
    await stores.queue.stop(1000)
    await agent.close()
  })
  return {
    slack,
    model,
    agent,
    ...peopleOf(slack),
    set: (channel: string, some: Partial<Settings>) => changed.set(channel, some),
  }
}

test('a channel’s step display changes with the next question', async (t) => {
  const { mention, model, set } = await startSettable(t)
  for (const said of ['One and one', 'And again', 'And here'])
    model.on(said, act('Add.', 'calculator', '1+1'), finish('2'))
  const before = await mention('One and one?')
  await before.ended()
  set(GENERAL, { steps: 'hidden' })
  const after = await mention('And again?')
  await after.ended()
  const elsewhere = await mention('And here?', { channel: RANDOM })
  await elsewhere.ended()
  expect([before, after, elsewhere].map((thread) => thread.steps().length)).toEqual([1, 0, 1])
})

test('so do tools, dialect and link hosts', async (t) => {
  const { mention, model, agent, slack, set } = await startSettable(t, () => finish('See https://wiki.example/a?b=c.'))
  await (await mention('First?')).ended()
  const dialect = agent.dialect('native')
  set(GENERAL, { tools: agent.defaults.tools.slice(0, 1), dialect, linkHosts: ['wiki.example'] })
  const thread = await mention('Second?')
  await thread.ended()
  // Besides the tools that open cards.
  const offered = model.requests.map(
    ({ body }) => body.tools?.filter((tool) => !isProposal(tool.function.name)).length ?? 0,
  )
  expect(offered).toEqual([0, 1])
  const sent = slack.calls.filter(({ method }) => method === 'chat.postMessage').map(({ args }) => JSON.stringify(args))
  expect(sent.map((args) => args.includes('<https://wiki.example/a?b=c>'))).toEqual([false, true])
})

test('so do follow-ups and help', async (t) => {
  const { mention, model, slack, set } = await startSettable(t, () => finish('Answered.'))
  const thread = await mention('First?')
  await thread.ended()
  set(GENERAL, { followUps: 'mention' })
  await slack.say({ text: 'Second, to the others', thread_ts: thread.ts })
  await slack.settle(100)
  expect(model.requests).toHaveLength(1)
  const help = await mention('help')
  await slack.until(() => help.shown().length === 1, 'the help')
  expect(help.shown()[0]).toContain('mention me again')
})
