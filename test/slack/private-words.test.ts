/** Messages to the asker alone, because the bot cannot post in the thread. */
import { describe, expect, test } from 'vitest'
import { sign } from '../../playground/slack/events/deliveries.ts'
import { ALICE, BOB, GENERAL, RANDOM, TEAM, type Fault, type LocalSlack } from '../../playground/slack/slack.ts'
import { createLog } from '../../src/base/log.ts'
import { respond } from '../../src/slack/client/response-url.ts'
import { FORGET_CANCEL, SHOW_WORK } from '../../src/slack/format/action-ids.ts'
import { postButtons, pressAlone } from '../harness/answer-buttons.ts'
import { REFERENCE, startBot, type TestBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { finish } from '../harness/played-model.ts'
import { startWebServer } from '../harness/web-server.ts'

const PRIVATE = 'G0PRIVATE01'

/** Sends `/ask` in a channel that the bot is not in, with the test's response_url. */
async function askFromOutside({ bot, slack }: TestBot, responseUrl: string): Promise<void> {
  slack.addChannel(PRIVATE, { members: new Set([ALICE]) })
  const place = { command: '/ask', team_id: TEAM, channel_id: PRIVATE, user_id: ALICE }
  const body = new URLSearchParams({ ...place, text: 'Anybody?', trigger_id: 't.1', response_url: responseUrl })
  const at = String(Math.floor(Date.now() / 1000))
  const signature = sign(slack.signingSecret, at, body.toString())
  const type = 'application/x-www-form-urlencoded'
  const headers = { 'content-type': type, 'x-slack-request-timestamp': at, 'x-slack-signature': signature }
  const response = await fetch(`http://127.0.0.1:${bot.port}/slack/events`, { method: 'POST', body, headers })
  expect(response.status).toBe(200)
}

/** Returns every use of a response_url. */
const uses = (slack: LocalSlack) => slack.calls.filter(({ method }) => method === 'response_url')

describe('a response_url', () => {
  test.for<[string, number, Omit<Fault, 'method'>[]]>([
    ['takes it', 1, []],
    ['fails at first', 3, [{ status: 500 }, { status: 429 }]],
    ['is cut at first', 2, [{ dropBefore: true }]],
    ['fails again and again', 3, [{ status: 503 }, { status: 503 }, { status: 503 }, { status: 503 }]],
    ['is used up', 1, [{ status: 404 }]],
    ['is limited for longer than anybody waits', 1, [{ retryAfter: 3600 }]],
  ])('that %s is tried so often: %i', async ([, tries, faults], t) => {
    const { slack, stop } = await startBot(t)
    slack.addChannel(PRIVATE, { members: new Set([ALICE]) })
    for (const fault of faults) slack.fault({ ...fault, method: 'response_url' })
    await slack.slash('Anybody?', { channel: PRIVATE, user: ALICE })
    await slack.until(() => uses(slack).length === tries, `${tries} tries`)
    // The end waits for work in progress, so there is no further try after it.
    await stop()
    expect(uses(slack)).toHaveLength(tries)
    const word = {
      response_type: 'ephemeral',
      parse: 'none',
      text: expect.stringMatching(/I am not a member.*Invite me/),
    }
    for (const { ok, args } of uses(slack)) if (ok) expect(args).toMatchObject(word)
  })

  test('that is limited is not used again before Slack says', async (t) => {
    const { slack } = await startBot(t)
    slack.addChannel(PRIVATE, { members: new Set([ALICE]) })
    slack.fault({ method: 'response_url', retryAfter: 2 })
    await slack.slash('Anybody?', { channel: PRIVATE, user: ALICE })
    const word = await slack.until(() => slack.ephemerals(PRIVATE, ALICE)[0], 'a word')
    expect(word).toMatch(/I am not a member/)
    const [first, second] = uses(slack)
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(2000)
  })

  test.for([
    ['connections', /needs your own account/],
    ['forget', /Only workspace admins can delete/],
  ] as const)('that works no more is done without: /ask %s is shown all the same', async ([text, words], t) => {
    const { slack } = await startBot(t)
    slack.fault({ method: 'response_url', error: 'expired_url', status: 404, times: 9 })
    await slack.slash(text, { channel: GENERAL, user: ALICE })
    expect(await slack.until(() => slack.ephemerals(GENERAL, ALICE)[0], 'a private word')).toMatch(words)
  })

  test('that no longer works is replaced: a presser gets the message in the thread, else as a direct message', async (t) => {
    const { slack } = await startBot(t)
    slack.fault({ method: 'response_url', error: 'expired_url', status: 404, times: 9 })
    const { ts: thread_ts } = await slack.say({ text: 'Look at this.', user: BOB, channel: RANDOM })
    const button = await postButtons(slack, `${TEAM}:${GENERAL}:1.000001`, { channel: RANDOM, thread_ts })
    await slack.press({ ...button, user: BOB }, { action_id: SHOW_WORK })
    const words = /only works in the channel of its answer/
    expect(await slack.until(() => slack.ephemerals(RANDOM, BOB)[0], 'a private word')).toMatch(words)
    expect(slack.store.channel(RANDOM).ephemerals[0]).toMatchObject({ thread_ts })

    slack.fault({ method: 'chat.postEphemeral', error: 'not_in_channel', times: 9 })
    await slack.press({ ...button, user: BOB }, { action_id: SHOW_WORK })
    const direct = await slack.until(() => slack.messages(`D${BOB.slice(1)}`)[0], 'a direct message')
    expect(slack.shown(direct)).toMatch(words)
    expect(slack.ephemerals(RANDOM, BOB)).toHaveLength(1)
  })

  test('that no longer works is replaced: a new text comes below the message instead of replacing it', async (t) => {
    const { slack } = await startBot(t)
    slack.addUser(ALICE, { is_admin: true })
    await slack.slash('forget', { channel: GENERAL, user: ALICE })
    await slack.until(() => slack.ephemerals(GENERAL, ALICE).length === 1, 'the card')
    slack.fault({ method: 'response_url', error: 'expired_url', status: 404, times: 9 })
    await pressAlone(slack, FORGET_CANCEL)
    const word = await slack.until(() => slack.ephemerals(GENERAL, ALICE)[1], 'a private word')
    expect(word).toBe('Cancelled: nothing was deleted.')
  })

  test('that is not Slack’s is not called', async (t) => {
    let heard = 0
    const server = await startWebServer((_, response) => {
      heard += 1
      response.end()
    })
    const bot = await startBot(t)
    await askFromOutside(bot, `${server.url}/word`)
    await bot.slack.until(() => bot.logs.some((line) => line.includes('not at a host of Slack')), 'a line in the log')
    await bot.stop()
    expect(heard).toBe(0)
  })

  test('that points elsewhere is not followed', async () => {
    const paths: string[] = []
    const server = await startWebServer((path, response) => {
      paths.push(path)
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    const lines: string[] = []
    const log = createLog('warn', { write: (line) => void lines.push(line) })
    await respond(`${server.url}/word`, {}, { apiUrl: `${server.url}/api/`, fetch }, log)
    expect(paths).toEqual(['/word'])
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ attempt: 1, status: 307 }])
  })

  test.each([
    ['https://hooks.slack.com/commands/T1/2/3', true],
    ['https://hooks.slack-gov.com/commands/T1/2/3', true],
    ['http://hooks.slack.com/commands/T1/2/3', false],
    ['https://hooks.slack.com:8443/commands', false],
    ['https://hooks.slack.com.evil.example/commands', false],
    ['https://evilslack.com/commands', false],
    ['https://hooks.slack.com@evil.example/', false],
    ['https://user:secret@hooks.slack.com/', false],
    ['file:///etc/passwd', false],
    ['', false],
  ])('%s is Slack’s: %s', async (url, isSlacks) => {
    const asked: string[] = []
    const played = (input: string | URL | Request) => {
      asked.push(String(input))
      return Promise.resolve(new Response('ok'))
    }
    await respond(url, {}, { apiUrl: 'https://slack.com/api/', fetch: played }, createLog('silent'))
    expect(asked).toEqual(isSlacks ? [url] : [])
  })
})

describe('if Slack accepts no answer, the asker reads why, with a reference', async () => {
  const bot = await startBot(fileEnds())
  const { slack, model } = bot
  model.on('', finish('For nobody.'))

  test.each([
    ['restricted_action', /not allowed to post in this channel/],
    ['restricted_action_read_only_channel', /not allowed to post in this channel/],
    ['is_archived', /archived/],
    ['not_in_channel', /not a member.*Invite me with `\/invite/],
    ['thread_not_found', /message I wanted to reply to is gone/],
    ['ekm_access_denied', /does not let me answer here \(ekm_access_denied\)\. Please tell the person who runs me/],
  ])('%s', async (error, sentence) => {
    slack.fault({ method: 'chat.postMessage', error })
    const before = slack.ephemerals(GENERAL, ALICE).length
    const thread = await bot.mention('Anybody?')
    const word = await slack.until(() => slack.ephemerals(GENERAL, ALICE)[before], 'a private word')
    expect(word).toMatch(sentence)
    const reference = REFERENCE.exec(word)?.[1]
    expect(bot.logs.filter((line) => line.includes(`"reference":"${reference}"`))).toHaveLength(1)
    expect(thread.shown()).toEqual([])
  })
})
