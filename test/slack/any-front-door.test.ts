/**
 * The whole bot through its front door, with its Web API at any Slack: the local one, or the one of TEST_SLACK_URL
 * (test/harness/any-slack.ts). The test makes the deliveries. Checks use only the Web API, and all posts are deleted at
 * the end.
 */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { ASK_AGAIN } from '../../src/slack/format/action-ids.ts'
import { openFrontDoor, type ThreadPlace } from '../harness/any-front-door.ts'
import { anySlack } from '../harness/any-slack.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'

const ends = fileEnds()
const MINUTES = 60_000
const FOOTER = String.raw`(?:\d+ steps? · )?\d+\.\d s`

describe('any Slack, through the front door', { timeout: 5 * MINUTES }, async () => {
  const slack = await anySlack(ends)
  const door = await openFrontDoor(ends, slack)
  const { model } = door
  /** A Slack on the network limits the rate of calls. */
  const interval = /^https?:\/\/(?:127\.|localhost\b|\[::1\])/.test(slack.apiUrl) ? 50 : 1_500
  const poll = <T>(look: () => T) => expect.poll(look, { timeout: 2 * MINUTES, interval })
  const shows = (where: ThreadPlace, ...patterns: (string | RegExp)[]) =>
    poll(() => door.shown(where)).toEqual(patterns.map((pattern) => expect.stringMatching(pattern)))
  /**
   * Asks another question in a thread with an answer. A thread's questions are answered in order, so everything before
   * it is then done. A message before that answer would be an addition to the run.
   */
  const nextIn = (where: ThreadPlace) => {
    model.condenses('what comes next', 'What is the next?')
    model.on('What is the next', finish('The next.'))
    return door.say('And what comes next?', where)
  }
  const answer = (text: string) => new RegExp(String.raw`^${text}\n${FOOTER}`)

  test('a mention is answered with its steps in the thread, then the answer, once', async () => {
    model.on(
      'the power 0.23',
      act('I need the power.', 'calculator', '29^0.23'),
      act('Half of it.', 'calculator', '2.169459462491557/2'),
      finish('It is 2.169, half of it 1.0847.'),
    )
    const asked = await door.mention('What is 29 to the power 0.23, and half of it?')
    await shows(
      asked,
      /I need the power\.[^]*[Cc]alculator[^]*29\^0\.23[^]*2\.169459462491557/,
      /Half of it\.[^]*[Cc]alculator[^]*2\.169459462491557\/2[^]*1\.0847297312457784/,
      answer('It is 2.169, half of it 1.0847.'),
    )
    await poll(() => door.reactions(asked)).toEqual([])
    expect(model.about('the power 0.23')).toHaveLength(3)
  })

  test('a follow-up in the thread is answered from what was said', async () => {
    model.on('wrote Dune', finish('Frank Herbert wrote it.'))
    model.condenses('and when was he born', 'When was Frank Herbert born?')
    model.on('When was Frank Herbert born', finish('In 1920.'))
    const asked = await door.mention('Who wrote Dune?')
    await shows(asked, answer('Frank Herbert wrote it.'))
    await door.say('and when was he born?', asked)
    await shows(asked, answer('Frank Herbert wrote it.'), /When was Frank Herbert born\?\nIn 1920\.\n/)
    const condensing = model.about('and when was he born').find(({ kind }) => kind === 'condense')
    expect(condensing?.prompt).toContain('Q: Who wrote Dune?\nA: Frank Herbert wrote it.')
    expect(model.about('When was Frank Herbert born')).toHaveLength(1)
  })

  test('a second delivery of the same events changes nothing', async () => {
    model.on('asked once', finish('Once.'))
    const asked = await door.mention('Is it asked once?')
    await door.redeliver(asked)
    await shows(asked, answer('Once.'))
    await door.redeliver(asked)
    await nextIn(asked)
    await shows(asked, answer('Once.'), /The next\.\n/)
    expect(model.about('asked once')).toHaveLength(1)
  })

  test('messages of bots and edits are ignored', async () => {
    model.on('a known thread', finish('Known.'))
    const asked = await door.mention('Is this a known thread?')
    await shows(asked, answer('Known.'))
    const { botUser } = slack.installation.identity
    const { channel, thread, ts } = await door.post('Nobody is asked.', asked)
    const text = `<@${botUser}> nobody is asked.`
    const message = { type: 'message', user: slack.person, text, ts, thread_ts: thread }
    const edited = { user: slack.person, ts: `${Number(ts.split('.')[0]) + 1}.000100` }
    const place = { channel, channel_type: 'channel', event_ts: edited.ts }
    const bots = { ...message, ...place, user: 'U0OTHERBOT1', bot_id: 'B0OTHERBOT1', app_id: 'A0OTHERBOT1' }
    await door.event({ ...bots, type: 'app_mention' })
    await door.event(bots)
    await door.event({ ...message, ...place, type: 'app_mention', edited })
    const previous = { ...message, text: 'Nobody is asked.' }
    const change = { subtype: 'message_changed', message: { ...message, edited }, previous_message: previous }
    await door.event({ type: 'message', ...place, ...change, ts: edited.ts, hidden: true })
    await nextIn(asked)
    await shows(asked, answer('Known.'), /The next\.\n/)
    expect(model.requests.filter(({ question }) => /nobody is asked/i.test(question))).toEqual([])
  })

  test('/ask posts its root, and the answer below it', async () => {
    const question = `What is 6 times 7, for ${randomUUID()}?`
    model.on(question, act('I multiply.', 'calculator', '6*7'), finish('It is 42.'))
    expect(await door.slash(question)).toBe('')
    await poll(() => door.rootOf(question)).toMatchObject({ channel: slack.channel })
    const root = await door.rootOf(question)
    await shows(root!, /I multiply\.[^]*6\*7[^]*42/, answer(String.raw`It is 42\.`))
  })

  test('/ask alone is answered in its ack, without the model', async () => {
    const asked = model.requests.length
    expect(JSON.parse(await door.slash(''))).toMatchObject({ response_type: 'ephemeral', text: /\/ask/ })
    expect(model.requests).toHaveLength(asked)
  })

  test('a direct message is answered in its own thread', async () => {
    model.on('a direct question', finish('A direct answer.'))
    const asked = await door.say('Is this a direct question?', { channel: slack.person })
    expect(asked.channel).toMatch(/^D/)
    await shows(asked, answer(String.raw`A direct answer\.`))
  })

  test('an answer that is too long for one message comes whole in several', async () => {
    const paragraphs = Array.from({ length: 120 }, (_, i) => `Paragraph ${i}: ${'words and so on '.repeat(12)}end.`)
    model.on('the long one', { text: finish(paragraphs.join('\n\n')), chunkChars: 10_000 })
    const asked = await door.mention('What is the long one?')
    await poll(async () => (await door.shown(asked)).at(-1)).toMatch(new RegExp(FOOTER))
    const parts = await door.shown(asked)
    expect(parts.length).toBeGreaterThan(1)
    expect(parts.join('\n').match(/Paragraph \d+: (words and so on ){12}end\./g)).toEqual(paragraphs)
  })

  test('a failure of the model is reported in the thread, without its error text', async () => {
    const error = { message: 'Incorrect API key provided: sk-secret', type: 'invalid_request_error', code: 'invalid' }
    model.on('no key', { status: 401, body: { error } })
    const asked = await door.mention('Is there no key?')
    await shows(asked, /Reference: [0-9a-f]{8}/)
    expect((await door.shown(asked)).join()).not.toContain('sk-secret')
  })

  test('stop in the thread ends the work, and the findings are posted', async () => {
    model.on('goes on and on', act('I begin.', 'calculator', '1+1'), { hang: true })
    const asked = await door.mention('What goes on and on?')
    await poll(() => model.about('goes on and on').length).toBe(2)
    await door.say('stop', asked)
    await shows(asked, /I begin\./, /I was asked to stop\./)
    await poll(() => model.about('goes on and on').at(-1)?.aborted).toBe(true)
  })

  test('the button Ask again asks the same question in the same thread', async () => {
    model.on('once more', finish('The first.'), finish('The second.'))
    model.condenses('once more', 'What is it, once more?')
    const asked = await door.mention('What is it, once more?')
    await shows(asked, answer('The first.'))
    await nextIn(asked)
    await shows(asked, answer('The first.'), /The next\.\n/)
    await door.press(asked, ASK_AGAIN)
    await shows(asked, answer('The first.'), /The next\.\n/, /^_Asked again by .+_\nThe second\.\n/)
  })

  test('the answer of a deleted question is deleted', async () => {
    model.on('to be deleted', act('I think.', 'calculator', '1+1'), finish('Deleted soon.'))
    const asked = await door.mention('What is to be deleted?')
    await shows(asked, /I think\.[^]*2/, answer('Deleted soon.'))
    await nextIn(asked)
    await shows(asked, /I think\.[^]*2/, answer('Deleted soon.'), /The next\.\n/)
    await door.delete(asked)
    await shows(asked, /The next\.\n/)
  })

  test.for(['card', 'stream'])(
    'with STEPS=%s a mention is answered once, whatever this Slack knows',
    async (steps, t) => {
      const other = await openFrontDoor(t, slack, { STEPS: steps, STEPS_STREAM_CHANNELS: 'true' })
      other.model.on('another display', act('I add.', 'calculator', '20+22'), finish('It makes forty-two.'))
      const asked = await other.mention('What of another display?')
      const answers = async () => (await other.shown(asked)).filter((words) => words.includes('It makes forty-two.'))
      await poll(answers).toEqual([expect.stringMatching(FOOTER)])
      expect(other.model.about('another display')).toHaveLength(2)
    },
  )

  test('all posts are deleted at the end', async () => {
    expect(await door.left()).not.toEqual([])
    await poll(() => door.remove().then(() => door.left())).toEqual([])
  })
})
