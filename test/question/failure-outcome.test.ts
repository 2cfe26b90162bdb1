/** The table of failures: the outcome of each error, by circumstances. */
import { describe, expect, test } from 'vitest'
import { LeaseLost, ModelError } from '../../src/base/errors.ts'
import { failureOutcome, type FailureContext } from '../../src/question/failure-outcome.ts'

const UNFORESEEN = new TypeError('x is not a function')
const LOST = new LeaseLost('Another worker has taken this run over.')
const SILENT = new ModelError('model m: 503', { hint: 'The model is down.' })
const REFUSED = new Error('chat.postMessage: is_archived')

/** `memory`: the run ends with the process. `ending`: the process is stopping. */
const CIRCUMSTANCES: Record<string, Omit<FailureContext, 'hasAnswered'>> = {
  redis: { isDurable: true, isAborted: false },
  'redis, ending': { isDurable: true, isAborted: true },
  memory: { isDurable: false, isAborted: false },
  'memory, ending': { isDurable: false, isAborted: true },
}

const retried = 'retry'
const thread = (why: string) => `thread: ${why}`
const asker = 'asker: refused'

describe.each<[string, { error: unknown; refusal?: FailureContext['refusal'] }, Record<string, string>]>([
  [
    'what nobody foresaw',
    { error: UNFORESEEN },
    { redis: retried, 'redis, ending': retried, memory: thread('failed'), 'memory, ending': thread('restarted') },
  ],
  [
    'a text that was thrown',
    { error: 'oops' },
    { redis: retried, 'redis, ending': retried, memory: thread('failed'), 'memory, ending': thread('restarted') },
  ],
  [
    'a lease that is lost',
    { error: LOST },
    { redis: retried, 'redis, ending': retried, memory: thread('failed'), 'memory, ending': thread('restarted') },
  ],
  [
    'a model that cannot be had',
    { error: SILENT },
    {
      redis: thread('model'),
      'redis, ending': retried,
      memory: thread('model'),
      'memory, ending': thread('restarted'),
    },
  ],
  [
    'a channel that is archived',
    { error: REFUSED, refusal: { isLockedOut: false } },
    {
      redis: asker,
      'redis, ending': retried,
      memory: asker,
      'memory, ending': asker,
    },
  ],
  [
    'a token that is revoked',
    { error: REFUSED, refusal: { isLockedOut: true } },
    {
      redis: retried,
      'redis, ending': retried,
      memory: asker,
      'memory, ending': asker,
    },
  ],
])('%s', (_, { error, refusal }, expected) => {
  test.each(Object.entries(expected))('with %s: %s', (name, told) => {
    const outcome = failureOutcome(error, { ...CIRCUMSTANCES[name]!, hasAnswered: false, refusal })
    expect(outcome.action === 'retry' ? 'retry' : `${outcome.to}: ${outcome.why}`).toBe(told)
  })
})

describe('a question that failed', () => {
  const now = { isDurable: false, isAborted: false }
  const refusal = { isLockedOut: false }

  test.each([
    ['counts against no limit', { error: UNFORESEEN, refusal: undefined, hasAnswered: false, refund: true }],
    [
      'counts against no limit although its answer had begun',
      { error: UNFORESEEN, refusal: undefined, hasAnswered: true, refund: true },
    ],
    [
      'counts against no limit where Slack takes no answer',
      { error: REFUSED, refusal, hasAnswered: false, refund: true },
    ],
    ['counts where Slack took a part of its answer', { error: REFUSED, refusal, hasAnswered: true, refund: false }],
  ])('%s', (_, { error, hasAnswered, refund, refusal }) => {
    expect(failureOutcome(error, { ...now, hasAnswered, refusal })).toMatchObject({ action: 'tell', refund })
  })
})
