/** A model with faults, as people see it, over the endpoint through which the playground's bot calls every model. */
import { describe, expect, test } from 'vitest'
import { startModelEndpoint } from '../../playground/model/model-endpoint.ts'
import { modelFaults } from '../../playground/faults/model-faults.ts'
import { createFaultSwitches, type FaultSwitches } from '../../playground/faults/fault-switches.ts'
import type { Env } from '../../src/config.ts'
import { REFERENCE, startBot, type TestBot } from '../harness/bot.ts'
import type { Ends } from '../harness/ends.ts'
import { act, finish, playModel, type PlayedModel } from '../harness/played-model.ts'

interface FaultyBot extends TestBot {
  faultSwitches: FaultSwitches
  model: PlayedModel
}

/** Starts a bot whose model calls go through an endpoint with faults. */
async function startFaultyBot(t: Ends, env: Env = {}): Promise<FaultyBot> {
  const model = await playModel(t)
  model.on('sum', act('I reckon.', 'calculator', '6*7'), finish('It is 42.'))
  model.on('again', finish('Well again.'))
  const faultSwitches = createFaultSwitches()
  const fetched = (path: string, init: RequestInit) =>
    fetch(`${model.url}${path}`, { ...init, headers: { 'content-type': 'application/json' } })
  const endpoint = await startModelEndpoint({ upstream: { fetch: fetched }, faults: modelFaults(faultSwitches) })
  t.onTestFinished(endpoint.close)
  const bot = await startBot(t, { env: { OPENAI_BASE_URL: endpoint.url, ...env } })
  return { ...bot, model, faultSwitches }
}

async function isWell({ faultSwitches, mention, slack }: FaultyBot): Promise<void> {
  faultSwitches.clear()
  expect(await (await mention('And again?')).ended()).toContain('Well again.')
  expect(slack.refusals).toEqual([])
}

describe.concurrent('a model', () => {
  test('that is down leads to a message after a few tries', async (t) => {
    const bot = await startFaultyBot(t)
    bot.faultSwitches.set('modelDown', { isOn: true })
    const thread = await bot.mention('What is the sum?')
    const said = await thread.ended()
    expect(said).toMatch(REFERENCE)
    expect(said).not.toMatch(/503|Error|\bat .*:\d+/)
    expect(thread.messages()).toHaveLength(1)
    await isWell(bot)
  })

  test('that is slow is waited for, with a sign of life', async (t) => {
    const bot = await startFaultyBot(t)
    bot.faultSwitches.set('modelSlow', { isOn: true, value: 1 })
    const thread = await bot.mention('What is the sum?')
    await bot.slack.until(() => thread.status() !== '', 'a sign of life')
    expect(await thread.ended()).toContain('It is 42.')
    expect(thread.steps()).toHaveLength(1)
    await isWell(bot)
  })

  test('that is silent leads to a message', async (t) => {
    const bot = await startFaultyBot(t, { AGENT_TIMEOUT_MS: '10000' })
    bot.faultSwitches.set('modelSilent', { isOn: true })
    const waiting = await bot.mention('What is the sum?')
    expect(await waiting.ended()).not.toBe('')
    expect(waiting.messages()).toHaveLength(1)
    await isWell(bot)
  })

  test('that is silent does not delay Stop', async (t) => {
    const bot = await startFaultyBot(t)
    bot.faultSwitches.set('modelSilent', { isOn: true })
    const stopped = await bot.mention('What is this sum?')
    await bot.slack.until(() => stopped.status() !== '', 'a sign of life')
    await stopped.reply('stop')
    await bot.slack.until(() => stopped.messages().length > 0 && stopped.isAtRest(), 'the end of what was stopped')
    expect(stopped.shown().join()).toMatch(/stop/i)
    await isWell(bot)
  })

  test('that invents observations is not believed: the tool is really called', async (t) => {
    const bot = await startFaultyBot(t)
    bot.faultSwitches.set('modelInvents', { isOn: true })
    const thread = await bot.mention('What is the sum?')
    expect(await thread.ended()).toContain('It is 42.')
    expect(thread.shown().join('\n')).toContain('👁 42')
    expect(thread.shown().join('\n')).not.toContain('666')
    await isWell(bot)
  })

  test('that never stops writing is cut off, and the run ends', async (t) => {
    const bot = await startFaultyBot(t, { AGENT_TIMEOUT_MS: '10000' })
    bot.faultSwitches.set('modelEndless', { isOn: true })
    const thread = await bot.mention('What is the sum?')
    const said = await thread.ended()
    expect(thread.steps().length).toBeLessThan(2)
    expect(said.length).toBeLessThan(20_000)
    await isWell(bot)
  })
})

test('works without a fault', () => {
  const faultSwitches = createFaultSwitches()
  expect(modelFaults(faultSwitches).take()).toBeUndefined()
  for (const name of ['modelDown', 'modelSilent', 'modelInvents', 'modelEndless'] as const)
    faultSwitches.set(name, { isOn: true })
  expect(modelFaults(faultSwitches).take()).toEqual({ status: 503, hang: true, invents: true, endless: true })
})
