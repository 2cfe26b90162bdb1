import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, type TestContext } from 'vitest'
import { ROOT } from '../../../src/base/package-root.ts'
import {
  checkName,
  readConversation,
  type RecordedConversation,
} from '../../../playground/recording/conversation-file.ts'
import { askedIn, promptOf, seenIn } from '../../../playground/recording/model-calls.ts'
import { failureText } from '../../../playground/recording/play-conversation.ts'
import { replayWithBot } from '../../../playground/bot/replay-bot.ts'

/** Returns a recorded conversation with changes. */
function recorded(
  change: (conversation: RecordedConversation) => void,
  name = 'mention-with-steps',
): RecordedConversation {
  const conversation = readConversation(readFileSync(join(ROOT, `test/conversations/${name}.json`), 'utf8'))
  change(conversation)
  return conversation
}

async function failure(t: TestContext, conversation: RecordedConversation): Promise<string> {
  const replayed = await replayWithBot(conversation)
  t.onTestFinished(replayed.stop)
  return failureText(replayed, 'a.json')
}

describe.concurrent('a replay', () => {
  test('fails with a readable difference by message, and names the command that shows both', async (t) => {
    const conversation = recorded(({ after }) => {
      const answer = after.messages.at(-1)
      if (answer) answer.shown[0] = 'Something else was said.'
    })
    const text = await failure(t, conversation)
    expect(text).toContain('message #general/1/3 of thinkaloud:\n  - Something else was said.\n  + ')
    expect(text).toContain('npm run playground -- --conversation a.json')
  })

  test('fails if a message is missing, and if there is one too many', async (t) => {
    const conversation = recorded(({ after }) => {
      const last = after.messages.pop()
      if (last) after.messages.push({ ...last, at: '#general/1/4' })
    })
    const text = await failure(t, conversation)
    expect(text).toMatch(/message #general\/1\/4 of thinkaloud:\n {2}- [^]*\+ \(it is not there\)/)
    expect(text).toMatch(/message #general\/1\/3 of thinkaloud:\n {2}- \(it is not there\)/)
  })

  test('a call of a tool that the recording does not know fails with a sentence', async (t) => {
    const text = await failure(
      t,
      recorded(({ tools }) => void tools.pop()),
    )
    expect(text).toContain(
      'The recording does not have this tool call: calculator {"expression":"2.169459462491557/2"}.',
    )
  })

  test('a question that the recording does not know fails with a sentence', async (t) => {
    const text = await failure(
      t,
      recorded(({ models }) => models.splice(1)),
    )
    expect(text).toContain('The recording has only one call about this question: “What is 29 to the power 0.23')
  })

  test('outputs in a wrong order fail, even if the thread looks the same', async (t) => {
    const text = await failure(
      t,
      recorded(({ models }) => {
        for (const model of models) model.sees.reverse()
      }),
    )
    expect(text).toMatch(
      /A prompt about “What is 29[^”]*” should hold, in this order: .* It holds: the result of calculator/,
    )
  })

  test('a call is recognised whatever text is around its question', () => {
    const said = (system: string) => ({
      messages: [
        { role: 'system', content: system },
        {
          role: 'user',
          content: 'Question: Who was Ada?\nThought: I look.\nObservation: An English mathematician\nThought:',
        },
      ],
    })
    const tools = [{ tool: 'wikipedia', input: {}, output: 'An English  mathematician' }]
    const [one, other] = ['Answer with care.', 'Be quick, and use these tools: …'].map(said)
    expect(askedIn(one!)).toEqual({ kind: 'step', question: 'Who was Ada?' })
    expect(askedIn(other!)).toEqual(askedIn(one!))
    expect(seenIn(promptOf(other!), { tools, models: [] })).toEqual(['tool 0'])
  })

  test('impossible acts are reported: an unknown person or message', async (t) => {
    const conversation = recorded(({ acts }) => {
      acts.push({ ...acts[0]!, as: 'nobody' })
      acts.push({ ...acts[0]!, act: 'delete', with: { channel: 'C0GENERAL01', ts: '⟦#general/9⟧' } })
    })
    const text = await failure(t, conversation)
    expect(text).toContain('Act 2, say of nobody, was refused: The playground has no person nobody.')
    expect(text).toContain('Act 3, delete of alice, was refused: There is no #general/9 in the workspace.')
  })
})

const STATE = { messages: [], views: {}, sessions: {}, statuses: {} }
const SAID = { act: 'say', as: 'alice', with: {}, after: { models: 0, tools: 0, messages: 0 } }

/** Returns a valid file, except for these parts. */
function fileWith(parts: object): string {
  const whole = { version: 1, name: 'a', settings: {}, acts: [SAID], models: [], tools: [], after: STATE }
  return JSON.stringify({ ...whole, ...parts })
}

describe('a file of a conversation', () => {
  test('that is complete is read', () => {
    expect(readConversation(fileWith({})).name).toBe('a')
  })

  test.each([
    ['no JSON', '{', 'it is not JSON'],
    ['no object', '[]', 'it is not an object'],
    ['another version', '{"version": 2}', 'version should be 1, not 2'],
    ['no acts', '{"version": 1, "name": "a", "settings": {}}', 'acts should be a list'],
    ['an output that sees no list', fileWith({ models: [{ question: 'a', text: 'b', sees: [{}] }] }), 'models 1 lacks'],
    ['an error without words', fileWith({ tools: [{ tool: 'a', error: null }] }), 'tools 1 lacks'],
    ['a file without bytes', fileWith({ acts: [{ ...SAID, files: [{ name: 'a' }] }] }), 'acts 1 lacks'],
    ['an act during nothing', fileWith({ acts: [{ ...SAID, during: [null] }] }), 'acts 1 lacks'],
    ['half a state', fileWith({ after: { messages: [], views: {} } }), 'after should be'],
    ['a message that nobody reads', fileWith({ after: { ...STATE, messages: [{ at: 'a' }] } }), 'after should be'],
    ['an act without a person', '{"version":1,"name":"a","settings":{},"acts":[{"act":"say"}]}', 'acts 1 lacks'],
  ])('with %s is refused in a sentence', (_, text, why) => {
    expect(() => readConversation(text)).toThrow(why)
  })

  test.each(['../up', 'a/b', 'a\\b', '', '.hidden', 'CON', 'a.json', 'x'.repeat(61), 'a b', '-a'])(
    'is not named %j',
    (name) => {
      expect(() => checkName(name)).toThrow('A name has up to')
    },
  )

  test('holds no secret, port, time or id of one workspace', () => {
    for (const name of ['mention-with-steps', 'direct-message', 'failing-model', 'approved-write']) {
      const whole = readFileSync(join(ROOT, `test/conversations/${name}.json`), 'utf8')
      // A tool's output names the server that it came from.
      const text = JSON.stringify({ ...readConversation(whole), tools: [] })
      expect(text).not.toMatch(/xox[a-z]-|xapp-|sk-[\w-]{8}|127\.0\.0\.1:\d|\b\d{10}\.\d{6}\b|\/tmp\//)
    }
  })
})
