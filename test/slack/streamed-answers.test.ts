/**
 * `STEPS=stream` in direct messages: a plan with a task for each step, and below it the answer as the model writes it.
 */
import { describe, expect, test } from 'vitest'
import { ALICE, TEAM, type Fault, type StoredMessage } from '../../playground/slack/slack.ts'
import { startBot, type TestBot, type Thread } from '../harness/bot.ts'
import { act, finish } from '../harness/played-model.ts'
import { strangers } from '../harness/slack-hands.ts'

const WORDS = 'The lighthouse keeper counted every ship that passed the cape before the storm came in from the west. '
const STREAM = { STEPS: 'stream' }

/** Writes the answer slowly, four words every 48 ms, so that calls are made meanwhile. */
function slowly(answer: string, chunkMs = 48) {
  return { text: finish(answer), chunkChars: 24, chunkMs }
}

function streamCalls({ slack }: Pick<TestBot, 'slack'>) {
  return slack.calls.filter(({ method, ok }) => /Stream$/.test(method) && ok)
}

describe.concurrent('STEPS=stream', () => {
  test('an answer grows in one streamed message under the plan of its steps', async (t) => {
    const answer = WORDS.repeat(12).trim()
    const model = [act('I add.', 'calculator', '1+1'), slowly(answer)]
    const bot = await startBot(t, { env: STREAM, model })
    const thread = await bot.dm('What did the keeper do?')
    const grown = () => thread.messages()[0]?.text ?? ''
    await bot.slack.until(
      () => grown().length > 50 && thread.messages()[0]?.streaming_state === 'in_progress',
      'a part',
    )
    expect(answer.startsWith(grown())).toBe(true)
    await thread.ended()
    expect(thread.messages()).toHaveLength(1)
    expect(thread.messages()[0]).toMatchObject({ text: answer, streaming_state: 'completed' })
    expect(thread.shown()[0]).toContain('Calculator: 1+1')
    const methods = streamCalls(bot).map(({ method }) => method)
    expect(methods.filter((method) => method === 'chat.startStream')).toHaveLength(1)
    expect(methods.filter((method) => method === 'chat.stopStream')).toHaveLength(1)
    expect(bot.slack.refusals).toEqual([])
  })

  test('in a channel the recipient is named with their own workspace', async (t) => {
    const env = { ...STREAM, STEPS_STREAM_CHANNELS: 'true', ALLOW_EXTERNAL: 'true' }
    const bot = await startBot(t, {
      env,
      model: (_, n) => (n % 2 ? slowly('Two.') : act('I add.', 'calculator', '1+1')),
    })
    const outsider = strangers.outsider(bot.slack)
    for (const user of [outsider, ALICE]) await (await bot.mention('1+1?', { user })).ended()
    const named = bot.slack.calls.flatMap(({ args }) => args['recipient_team_id'] ?? [])
    expect(named).toEqual(['T0OTHER0001', TEAM])
  })

  test('a short answer is sent with the call that ends the stream', async (t) => {
    const bot = await startBot(t, { env: STREAM, model: [act('I add.', 'calculator', '1+1'), finish('It is **2**.')] })
    const thread = await bot.dm('1+1?')
    await thread.ended()
    expect(thread.messages()).toHaveLength(1)
    expect(thread.shown()[0]).toMatch(/^It is \*\*2\*\*\.\n[^]*\n1 step · /)
    const [started, ...others] = streamCalls(bot)
    const stopped = others.pop()
    expect([started?.method, stopped?.method]).toEqual(['chat.startStream', 'chat.stopStream'])
    // Calls between them, which a busy machine may make, concern only the plan.
    expect(JSON.stringify(others.map(({ args }) => args))).not.toContain('markdown_text')
  })

  test('an answer without steps, too short to be streamed, is a message', async (t) => {
    const bot = await startBot(t, { env: STREAM, model: [finish('Hello.')] })
    const thread = await bot.dm('Hi, who are you?')
    expect(await thread.lastAnswer()).toBe('Hello.')
    expect(streamCalls(bot)).toEqual([])
  })

  test('at most one call per second is made, and later text goes with the next', async (t) => {
    const bot = await startBot(t, { env: STREAM, model: [slowly(WORDS.repeat(15))] })
    await (await bot.dm('What did the keeper do?')).ended()
    const times = streamCalls(bot).map(({ at }) => at)
    const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000
    expect(times.length).toBeGreaterThan(2)
    expect(times.length).toBeLessThanOrEqual(seconds + 3)
  })

  test.for([1, 2, 3, 7])('nothing pings and only allowed links open, however it is cut (%s)', async (chunkChars, t) => {
    const filler = WORDS.repeat(2)
    const answer = `${filler}<!channel> <@U0BOB000001> [click](https://evil.example/?q=1) https://evil.example/x ![i](https://evil.example/i.png) \`\`\`\n<!here>\n\`\`\`\n${filler}<https://evil.example/a|b> www.evil.example/p [r]: https://evil.example/r ${filler}`
    const bot = await startBot(t, { env: STREAM, model: [{ text: finish(answer), chunkChars, chunkMs: 1 }] })
    const thread = await bot.dm('Tell them')
    await thread.ended()
    expect(bot.slack.pings()).toEqual([])
    expect(bot.slack.links().filter((url) => url.includes('evil'))).toEqual([])
    expect(thread.shown().join('')).toContain('The lighthouse keeper')
  })

  test('a partial answer from a broken connection is removed, and the answer comes once', async (t) => {
    const answer = WORDS.repeat(8).trim()
    const model = [{ ...slowly(`${WORDS.repeat(4)}${'and so on '.repeat(60)}`, 80), cutAfter: 700 }, slowly(answer)]
    const bot = await startBot(t, { env: STREAM, model })
    const thread = await bot.dm('What did the keeper do?')
    await thread.ended()
    const texts = thread.messages().map(({ text }) => text)
    expect(texts.at(-1)).toBe(answer)
    for (const text of texts.slice(0, -1)) expect(text).toMatch(/That was not the answer yet/)
    expect(thread.endings()).toHaveLength(1)
  })
})

/** Returns all that people read of the answer, in any message. */
function written(thread: Thread): string {
  return thread
    .messages()
    .map((message) => message.text)
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Ends the stream of the message that the fault affects. Returns whether there is one. */
function dies({ slack }: TestBot, args: Record<string, unknown>, { where }: Fault): boolean {
  if (where?.(args) === false) return false
  const message = slack.messages(String(args['channel'])).find(({ ts }) => ts === args['ts'])
  if (message) message.streaming_state = 'stopped'
  return message !== undefined
}

describe.concurrent('a stream that dies', () => {
  const answer = WORDS.repeat(20).trim()
  const isText = (args: Record<string, unknown>) => JSON.stringify(args['chunks'] ?? '').includes('markdown_text')
  const appended = { method: 'chat.appendStream', where: isText }
  const stopped = { method: 'chat.stopStream' }
  const DEAD = 'message_not_in_streaming_state'

  test.for<[string, Fault]>([
    ['while the answer is written', { ...appended, error: DEAD }],
    ['with a call that nobody answers', { ...appended, dropAfter: true }],
    ['with a call that does not arrive', { ...appended, dropBefore: true }],
    ['for a limit', { ...appended, retryAfter: 2 }],
    ['before its end', { ...stopped, error: DEAD }],
    ['with its end, which nobody hears of', { ...stopped, dropAfter: true }],
    ['with its end, which does not arrive', { ...stopped, dropBefore: true }],
    ['for a limit of ends', { ...stopped, retryAfter: 1 }],
    ['because somebody deleted it', { ...appended, error: 'message_not_found' }],
  ])('%s loses nothing and repeats nothing', async ([, fault], t) => {
    const bot = await startBot(t, { env: STREAM, model: [act('I add.', 'calculator', '1+1'), slowly(answer, 32)] })
    bot.slack.fault(fault.error === DEAD ? { ...fault, where: (args) => dies(bot, args, fault) } : fault)
    const thread = await bot.dm('What did the keeper do?')
    await thread.ended()
    const isOpen = ({ streaming_state }: StoredMessage) => streaming_state === 'in_progress'
    // This Slack still has the message that it reports as deleted.
    const left = thread.messages().filter((message) => fault.error !== 'message_not_found' || !isOpen(message))
    const shown = left.map((message) => bot.slack.shown(message)).join('\n')
    expect(shown.split('The lighthouse keeper').length - 1).toBe(20)
    expect(thread.shown().join('\n')).toContain('Calculator: 1+1')
    expect(thread.endings()).toHaveLength(1)
    if (!fault.error || fault.error === DEAD) expect(thread.messages().filter(isOpen)).toEqual([])
    // That message still streams here, so a late update of it is refused as a conflict.
    const isOfDeleted = ({ why }: { why: string }) =>
      fault.error === 'message_not_found' && why === 'streaming_state_conflict'
    expect(bot.slack.refusals.filter((refusal) => !isOfDeleted(refusal))).toEqual([])
  })

  test('by age is continued in another one', async (t) => {
    const model = [act('I add.', 'calculator', '1+1'), slowly(answer, 56)]
    const bot = await startBot(t, { env: STREAM, slack: { streamMs: 2500 }, model })
    const thread = await bot.dm('What did the keeper do?')
    await thread.ended()
    expect(thread.messages().length).toBeGreaterThan(1)
    expect(written(thread)).toBe(answer)
  })

  test('after it was continued is continued again, without repeating a step', async (t) => {
    const model = [act('I add.', 'calculator', '1+1'), slowly(answer, 56)]
    const bot = await startBot(t, { env: STREAM, slack: { streamMs: 2500 }, model })
    bot.slack.fault({ ...stopped, error: DEAD, where: (args) => dies(bot, args, stopped) })
    const thread = await bot.dm('What did the keeper do?')
    await thread.ended()
    const shown = thread.shown().join('\n')
    expect(thread.messages().length).toBeGreaterThan(1)
    expect(shown.split('Calculator: 1+1')).toHaveLength(2)
    // A message may end within a word.
    const counts = ['keeper', 'counted', 'passed', 'storm'].map((word) => shown.split(word).length - 1)
    expect(counts.filter((count) => count === 20).length).toBeGreaterThanOrEqual(3)
    expect(Math.max(...counts)).toBe(20)
  })

  test('is prevented at the maximum length: it is ended, and another one continues', async (t) => {
    const long =
      `${WORDS.repeat(60)}\n\n\`\`\`js\n${'const ship = await cape.next()\n'.repeat(300)}\`\`\`\n\n${WORDS.repeat(20)}`.trim()
    const bot = await startBot(t, { env: STREAM, model: [{ text: finish(long), chunkChars: 60, chunkMs: 8 }] })
    const thread = await bot.dm('What did the keeper do?')
    await thread.ended()
    const all = thread.shown().join('\n')
    // A message may end within a word.
    const counts = ['keeper', 'counted', 'passed', 'storm'].map((word) => all.split(word).length - 1)
    expect(counts.filter((count) => count === 80).length).toBeGreaterThanOrEqual(3)
    expect(all.split('const ship').length - 1).toBe(300)
    for (const { text } of thread.messages().slice(0, 2)) expect((text.match(/^```/gm) ?? []).length % 2).toBe(0)
    expect(streamCalls(bot).filter(({ method }) => method === 'chat.startStream').length).toBeGreaterThan(1)
    expect(bot.slack.refusals).toEqual([])
  })

  test('because a person stopped it stops the run, and the posted text stays', async (t) => {
    const bot = await startBot(t, {
      env: STREAM,
      slack: { agent: true },
      model: [act('I add.', 'calculator', '1+1'), slowly(WORDS.repeat(200), 32)],
    })
    const thread = await bot.dm('What did the keeper do?')
    await bot.slack.until(() => (thread.messages()[0]?.text ?? '').length > 50, 'a part of the answer')
    await thread.pressStop()
    const ending = await thread.ended()
    expect(ending).toContain('I was asked to stop')
    expect(ending).toContain('The lighthouse keeper')
    expect(ending).toContain('Calculator: 1+1')
    await bot.slack.until(() => bot.model.requests.at(-1)?.aborted, 'the end of the call')
  })
})

describe.concurrent('a Slack that refuses streams', () => {
  test.for<[string, Fault]>([
    ['refuses them', { method: 'chat.startStream', error: 'channel_type_not_supported', times: 9 }],
    ['does not know them', { method: 'chat.startStream', error: 'unknown_method', times: 9 }],
    ['has had too many', { method: 'chat.startStream', retryAfter: 600 }],
  ])('%s: the run is shown otherwise, and that is remembered', async ([, fault], t) => {
    const bot = await startBot(t, { env: STREAM, model: ['', ''] })
    bot.model.on('first', act('I add.', 'calculator', '1+1'), finish('Two.'))
    bot.model.on('second', act('I add.', 'calculator', '2+2'), finish('Four.'))
    bot.slack.fault(fault)
    const first = await bot.dm('The first?')
    expect(await first.lastAnswer()).toBe('Two.')
    await bot.slack.until(() => first.shown()[0]?.startsWith('1 step, '), 'the folded card')
    const second = await bot.dm('The second?')
    expect(await second.lastAnswer()).toBe('Four.')
    expect(bot.slack.calls.filter(({ method }) => method === 'chat.startStream')).toHaveLength(1)
  })
})
