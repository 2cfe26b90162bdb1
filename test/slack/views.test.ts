/** Slack accepts every view of the bot, whatever people, models and tools wrote. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Step } from '../../src/agent/contracts/run-events.ts'
import type { RunRecord } from '../../src/stores/archive/types.ts'
import type { AuditEntry } from '../../src/stores/audit/types.ts'
import { loadConfig } from '../../src/config.ts'
import { createAgent } from '../../src/question/agent/create-agent.ts'
import { createLog } from '../../src/base/log.ts'
import { createNetwork } from '../../src/base/http/proxy.ts'
import { checkView } from '../../playground/slack/methods/view-methods.ts'
import { pings } from '../../playground/slack/shown.ts'
import type { Json } from '../../playground/slack/slack.ts'
import { sanitize } from '../../src/slack/format/escape.ts'
import { adminBlocks } from '../../src/slack/views/home-tools.ts'
import { feedbackView, FEEDBACK_GONE } from '../../src/slack/views/feedback-view.ts'
import { homeView } from '../../src/slack/views/home.ts'
import { WORK_GONE, WORK_LOADING, WORK_UNREADABLE, workView } from '../../src/slack/views/work-view.ts'
import { anyCharacter } from '../harness/any-character.ts'
import { propertyRuns } from '../harness/property-runs.ts'
import { settingsFromConfig } from '../../src/stores/settings/settings.ts'

const WORST = [
  '<!channel> <@U0ALICE0001> <https://evil.example|click> *b* `c` :tada:',
  '&'.repeat(40_000),
  '😀'.repeat(9_000),
  'word '.repeat(20_000),
  '\n'.repeat(10_000),
  '\u200b \u0000',
  '',
]

const text = fc.oneof(fc.constantFrom(...WORST), fc.string({ unit: anyCharacter, maxLength: 200 }))
const observation = fc.record({ text, ok: fc.boolean(), note: text })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('tool' as const),
    turn: fc.nat(),
    thought: text,
    action: fc.record({ tool: text, input: fc.oneof(text, fc.dictionary(fc.string(), text)) }),
    observation,
    ms: fc.nat(),
  }),
  fc.record({ kind: fc.constant('unreadable' as const), turn: fc.nat(), thought: text, text, observation }),
  fc.record({ kind: fc.constant('message' as const), turn: fc.nat(), id: fc.constant('m'), text, user: text }),
)

const record: fc.Arbitrary<RunRecord> = fc.record({
  question: fc.record({
    ...{
      kind: fc.constant('asked' as const),
      id: fc.constant('T1:C1:1.1'),
      team: fc.constant('T1'),
      channel: fc.constant('C1'),
      thread: fc.constant('1.1'),
    },
    ...{ user: fc.constant('U1'), text, surface: fc.constant('mention' as const), at: fc.nat() },
  }),
  standalone: text,
  steps: fc.array(step, { maxLength: 5 }),
  usage: fc.constant([{ model: 'm', inputTokens: 1, outputTokens: 2, estimated: true, costUsd: 0.1 }]),
  answer: fc.constant({ text: 'a', sources: [], stopped: 'steps' as const }),
  posts: fc.constant({}),
  model: text,
  dialect: fc.constant('text'),
  startedAt: fc.nat(),
  endedAt: fc.nat(),
  end: fc.constantFrom('answered' as const, 'gave_up' as const, 'stopped' as const, 'failed' as const),
  feedback: fc.constant([]),
})

/** Checks a view. @throws Slack's error */
function accept(view: object, type: 'modal' | 'home'): Json {
  const sent = checkView(JSON.parse(JSON.stringify(sanitize(view))), type)
  expect(pings({ text: '', blocks: [{ sent }] })).toEqual([])
  expect(JSON.stringify(sent)).not.toMatch(/"type":"mrkdwn"[^}]*evil/)
  return sent
}

/** Returns the parts of an admin's Home about tools and servers with such a name. */
function worstFor(name: string) {
  const write: AuditEntry = {
    ...{
      run: 'T1:C1:1.1',
      step: 1,
      team: 'T1',
      channel: 'C1',
      thread: '1.1',
      askedBy: 'U1',
      decidedBy: 'U2',
      tool: name,
    },
    ...{ how: 'always', server: name, argumentsHash: name, at: 1, outcome: 'unknown' },
  }
  return {
    nameOf: () => `@${name}`,
    writes: Array.from({ length: 10 }, () => write),
    needLogin: Array.from({ length: 5 }, () => ({ server: name, why: name })),
    off: Array.from({ length: 40 }, () => ({ server: name, tool: name, why: name, fingerprint: 'f' })),
  }
}

describe('Slack accepts', () => {
  test('each page of the work of any run', () => {
    fc.assert(
      fc.property(record, (run) => {
        for (let page = 0; ; page++) {
          const view = accept(
            workView(run, page, () => 'Bob'),
            'modal',
          )
          if (!JSON.stringify(view).includes('thinkaloud_show_work_next')) break
        }
      }),
      { numRuns: propertyRuns({ test: 5, chaos: 15 }) },
    )
  })

  test.each([
    [-1, /Page 1 of/],
    [99, /Page (\d) of \1/],
    [NaN, /Page 1 of/],
  ])('a page that is not there: %d', (page, at) => {
    const [run] = fc.sample(record, { numRuns: 1, seed: 1 })
    const thought = 'x'.repeat(28_000)
    const steps = [1, 2, 3].map((turn): Step => ({ kind: 'tool', turn, thought, action: { tool: 't', input: '' } }))
    const view = accept(
      workView({ ...run!, standalone: 'q', question: { ...run!.question, text: 'q' }, steps }, page, () => 'Bob'),
      'modal',
    )
    expect(JSON.stringify(view)).toMatch(at)
  })

  test('the forms and the texts', () => {
    const form = feedbackView('T1:C1:1.1', false)
    for (const view of [WORK_GONE, WORK_LOADING, WORK_UNREADABLE, FEEDBACK_GONE, form]) accept(view, 'modal')
  })

  test('any Home', async () => {
    const config = loadConfig({ OPENAI_API_KEY: 'sk-x' })
    const agent = await createAgent(config, {
      log: createLog('silent'),
      net: await createNetwork(config),
      now: () => new Date(),
    })
    const settings = await settingsFromConfig(config, agent.defaults)({ team: 'T1', channel: 'D1' })
    const left = [{ limit: 'teamDayUsd' as const, allowed: 1, left: 0.5, nextInMs: 0, fullInMs: 1 }]
    const url = 'https://a.slack.com/archives/C1/p1'
    const parts = { channel: 'D1', settings, maySeeSettings: true, left }
    fc.assert(
      fc.property(fc.array(record, { maxLength: 10 }), text, (records, why) => {
        const asked = records.map((one, i) => ({ record: one, text: one.question.text, url: i % 2 ? url : undefined }))
        accept(homeView({ ...parts, asked, toolsOff: Array.from({ length: 100 }, () => ({ name: why, why })) }), 'home')
        accept(homeView({ channel: 'D1', maySeeSettings: false, toolsOff: [] }), 'home')
        const { writes, nameOf, needLogin, off } = worstFor(why)
        const admin = adminBlocks(writes, nameOf, needLogin, off)
        accept(homeView({ ...parts, asked, toolsOff: [], admin }), 'home')
      }),
      { numRuns: propertyRuns({ test: 5, chaos: 25 }) },
    )
    await agent.close()
  })
})
