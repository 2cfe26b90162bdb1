import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startBot as startRealBot } from '../../src/bot.ts'
import { loadConfig, type Env } from '../../src/config.ts'
import { createLog } from '../../src/base/log.ts'
import { startBot } from '../harness/bot.ts'
import { fileEnds, type Ends } from '../harness/ends.ts'
import { callModel, modelsOf } from '../harness/model-call.ts'
import { act, finish, playModel, type Turn } from '../harness/played-model.ts'

const ends = fileEnds()
const dir = await mkdtemp(join(tmpdir(), 'thinkaloud-prices-'))
ends.onTestFinished(() => rm(dir, { recursive: true }))
let files = 0

async function pricesFile(content: string | object): Promise<string> {
  const file = join(dir, `prices-${files++}.json`)
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

/** Returns the cost of a call at these prices, if the endpoint reports this usage. */
async function costOf(t: Ends, prices: object, usage: Exclude<Turn, string>['usage']) {
  const endpoint = await playModel(t, [{ text: 'Yes.', usage: usage! }])
  const { model } = modelsOf({ OPENAI_BASE_URL: endpoint.url, PRICES_FILE: await pricesFile(prices) })
  return (await callModel(model)).usage[0]!
}

const USAGE = { prompt_tokens: 1_000_000, completion_tokens: 100_000 }

describe.concurrent('the cost of a call', () => {
  test('is in dollars per million input and output tokens', async (t) => {
    const usage = await costOf(t, { 'played-model': { in: 2, out: 10 } }, USAGE)
    expect(usage.costUsd).toBeCloseTo(3, 10)
  })

  test('is lower for cached input if the table says so', async (t) => {
    const half = { ...USAGE, prompt_tokens_details: { cached_tokens: 500_000 } }
    const cheap = await costOf(t, { 'played-model': { in: 2, out: 10, cached: 0.2 } }, half)
    expect(cheap).toMatchObject({ cachedTokens: 500_000, costUsd: expect.closeTo(2.1, 10) })
    expect((await costOf(t, { 'played-model': { in: 2, out: 10 } }, half)).costUsd).toBeCloseTo(3, 10)
  })

  test('is never negative, whatever the provider reports', async (t) => {
    const odd = { prompt_tokens: 10, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 999 } }
    expect((await costOf(t, { 'played-model': { in: 2, out: 10, cached: 0 } }, odd)).costUsd).toBe(0)
  })

  test('is left out for a model without a price', async (t) => {
    for (const name of ['other', 'played', 'played-model-2'])
      expect(await costOf(t, { [name]: { in: 2, out: 10 } }, USAGE)).not.toHaveProperty('costUsd')
  })
})

describe.concurrent('the footer', () => {
  const turns = (usage: Turn): Turn[] => [
    { ...Object(usage), text: act('A sum.', 'calculator', '2+2') },
    { ...Object(usage), text: finish('It is 4.') },
  ]
  const counted = { usage: { prompt_tokens: 900, completion_tokens: 100 } }

  test('shows the whole run’s tokens and cost', async (t) => {
    const PRICES_FILE = await pricesFile({ 'played-model': { in: 1, out: 3 } })
    const bot = await startBot(t, { model: turns(counted), env: { PRICES_FILE } })
    const thread = await bot.mention('What is 2+2?')
    expect(await thread.ended()).toMatch(/1 step · \d+\.\d s · played-model · 2,000 tokens · \$0\.0024(?: · Reply|$)/m)
  })

  test('shows no cost for a model without a price', async (t) => {
    const PRICES_FILE = await pricesFile({ other: { in: 1, out: 3 } })
    const bot = await startBot(t, { model: turns(counted), env: { PRICES_FILE } })
    expect(await (await bot.mention('What is 2+2?')).ended()).toMatch(/· 2,000 tokens(?: · Reply|$)/m)
  })

  test('marks tokens and cost as estimated without usage', async (t) => {
    const PRICES_FILE = await pricesFile({ 'played-model': { in: 1, out: 3 } })
    const bot = await startBot(t, { model: turns({ usage: false }), env: { PRICES_FILE } })
    expect(await (await bot.mention('What is 2+2?')).ended()).toMatch(/· ~[\d,]+ tokens · ~\$0\.\d+(?: · Reply|$)/m)
  })

  test('marks the total as estimated if one call was', async (t) => {
    const [first, last] = turns(counted) as [Turn, Turn]
    const bot = await startBot(t, { model: [first, { ...Object(last), usage: false }] })
    expect(await (await bot.mention('What is 2+2?')).ended()).toMatch(/· ~\d,\d{3} tokens(?: · Reply|$)/m)
  })
})

describe.each(['BUDGET_TEAM_DAY_USD', 'RUN_MAX_USD'])('%s', (budget) => {
  const price = { in: 1, out: 2 }
  const start = async (t: Ends, env: Env) => {
    const { logs } = await startBot(t, { env: { [budget]: '5', ...env } })
    return logs.filter((line) => line.includes(budget))
  }

  test.for([
    ['no PRICES_FILE', undefined, {}, 'played-model (OPENAI_MODEL)'],
    ['no price for the model', { other: price }, {}, 'played-model (OPENAI_MODEL)'],
    [
      'none for the one that condenses',
      { 'played-model': price },
      { OPENAI_CONDENSE_MODEL: 'toString' },
      'toString (OPENAI_CONDENSE_MODEL)',
    ],
  ] as const)('with %s ends the start with a sentence', async ([, prices, env, named], t) => {
    const more: Env = prices ? { PRICES_FILE: await pricesFile(prices) } : {}
    const error: unknown = await start(t, { ...env, ...more }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'ConfigError' })
    expect(String(error)).toContain(`${budget} cannot limit ${named}, which has no price. Set PRICES_FILE to`)
  })

  test('with a second model without one starts, with a log line', async (t) => {
    const env = { OPENAI_FALLBACK_MODEL: 'spare', PRICES_FILE: await pricesFile({ 'played-model': price }) }
    expect(await start(t, env)).toEqual([expect.stringContaining('cannot limit spare (OPENAI_FALLBACK_MODEL)')])
  })

  test('with a price for each says nothing', async (t) => {
    const prices = { 'played-model': price, small: price, spare: { in: 0, out: 0 } }
    const models = { OPENAI_CONDENSE_MODEL: 'small', OPENAI_FALLBACK_MODEL: 'spare' }
    expect(await start(t, { ...models, PRICES_FILE: await pricesFile(prices) })).toEqual([])
  })
})

test.each([
  ['that is not there', undefined],
  ['that is no JSON', '{"m": {'],
  ['that is a list', [{ in: 1, out: 2 }]],
  ['with a price in words', { m: { in: 'one', out: 2 } }],
  ['with a price below nothing', { m: { in: -1, out: 2 } }],
  ['without a price for what comes out', { m: { in: 1 } }],
])('a file %s ends the start with a sentence', async (_, content) => {
  const file = content === undefined ? join(dir, 'nowhere.json') : await pricesFile(content)
  const env = {
    SLACK_BOT_TOKEN: 'xoxb-x',
    SLACK_SIGNING_SECRET: 's',
    OPENAI_API_KEY: 'k',
    PRICES_FILE: file,
    SLACK_API_URL: 'http://127.0.0.1:9/api/',
  }
  await expect(startRealBot(loadConfig(env, { serves: true }), { log: createLog('silent') })).rejects.toMatchObject({
    name: 'ConfigError',
    message: expect.stringMatching(/^PRICES_FILE should be a JSON file such as \{.*\}, in dollars/),
  })
})
