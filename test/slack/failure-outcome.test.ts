/** The table of failures: what happens for which error, by how it stands. */
import { describe, expect, test } from 'vitest'
import { LeaseLost, ModelError } from '../../src/base/errors.ts'
import { SlackRefusal } from '../../src/slack/client/slack-errors.ts'
import { failureOutcome, type Circumstances } from '../../src/slack/failure-outcome.ts'
import { cannotPost, FAILED, RESTARTED } from '../../src/slack/format/messages.ts'

const UNFORESEEN = new TypeError('x is not a function')
const LOST = new LeaseLost('Another worker has taken this run over.')
const SILENT = new ModelError('model m: 503', { hint: 'The model is down.' })
const ARCHIVED = new SlackRefusal('chat.postMessage', 'is_archived')
const REVOKED = new SlackRefusal('chat.postMessage', 'token_revoked')

/** `memory`: nothing outlives the process. `ending`: the process is stopping. */
const CIRCUMSTANCES: Record<string, Omit<Circumstances, 'hasAnswered'>> = {
  redis: { isDurable: true, isAborted: false },
  'redis, ending': { isDurable: true, isAborted: true },
  memory: { isDurable: false, isAborted: false },
  'memory, ending': { isDurable: false, isAborted: true },
}

const retried = 'retry'
const thread = (sentence: string) => `thread: ${sentence}`
const asker = (code: string) => `asker: ${cannotPost(code)}`

describe.each<[string, unknown, Record<string, string>]>([
  [
    'what nobody foresaw',
    UNFORESEEN,
    { redis: retried, 'redis, ending': retried, memory: thread(FAILED), 'memory, ending': thread(RESTARTED) },
  ],
  [
    'a text that was thrown',
    'oops',
    { redis: retried, 'redis, ending': retried, memory: thread(FAILED), 'memory, ending': thread(RESTARTED) },
  ],
  [
    'a lease that is lost',
    LOST,
    { redis: retried, 'redis, ending': retried, memory: thread(FAILED), 'memory, ending': thread(RESTARTED) },
  ],
  [
    'a model that cannot be had',
    SILENT,
    {
      redis: thread(SILENT.hint),
      'redis, ending': retried,
      memory: thread(SILENT.hint),
      'memory, ending': thread(RESTARTED),
    },
  ],
  [
    'a channel that is archived',
    ARCHIVED,
    {
      redis: asker('is_archived'),
      'redis, ending': retried,
      memory: asker('is_archived'),
      'memory, ending': asker('is_archived'),
    },
  ],
  [
    'a token that is revoked',
    REVOKED,
    {
      redis: retried,
      'redis, ending': retried,
      memory: asker('token_revoked'),
      'memory, ending': asker('token_revoked'),
    },
  ],
])('%s', (_, error, expected) => {
  test.each(Object.entries(expected))('with %s: %s', (name, told) => {
    const outcome = failureOutcome(error, { ...CIRCUMSTANCES[name]!, hasAnswered: false })
    expect(outcome.action === 'retry' ? 'retry' : `${outcome.to}: ${outcome.sentence}`).toBe(told)
  })
})

describe('a question that failed', () => {
  const now = { isDurable: false, isAborted: false }

  test.each([
    ['counts against no limit', { error: UNFORESEEN, hasAnswered: false, refund: true }],
    ['counts against no limit although its answer had begun', { error: UNFORESEEN, hasAnswered: true, refund: true }],
    ['counts against no limit where Slack takes no answer', { error: ARCHIVED, hasAnswered: false, refund: true }],
    ['counts where Slack took a part of its answer', { error: ARCHIVED, hasAnswered: true, refund: false }],
  ])('%s', (_, { error, hasAnswered, refund }) => {
    expect(failureOutcome(error, { ...now, hasAnswered })).toMatchObject({ action: 'tell', refund })
  })
})
