/** What the bot says to the asker alone, because it cannot say it in the thread. */
import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { sign } from '../../src/playground/deliveries.ts'
import { ALICE, GENERAL, TEAM } from '../../src/playground/slack.ts'
import { REFERENCE, startBot, type TestBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { finish } from '../harness/played-model.ts'
import { startWebServer } from '../harness/web-server.ts'

const PRIVATE = 'G0PRIVATE01'

/** `/ask` in a channel that the bot is not in, with a response_url of our own. */
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

describe('a response_url', () => {
  const answers = (status: number) => (response: ServerResponse) => void response.writeHead(status).end()
  const cut = (response: ServerResponse) => void response.destroy()

  test.for([
    ['takes it', 1, [answers(200)]],
    ['fails at first', 3, [answers(500), answers(429), answers(200)]],
    ['is cut at first', 2, [cut, answers(200)]],
    ['fails again and again', 3, [answers(503), answers(503), answers(503), answers(503)]],
    ['is used up', 1, [answers(404), answers(200)]],
  ] as const)('that %s is tried so often: %i', async ([, tries, script], t) => {
    const heard: unknown[] = []
    const server = await startWebServer((_, response, request) => {
      let body = ''
      request.on('data', (chunk) => (body += String(chunk)))
      request.on('end', () => script[heard.push(JSON.parse(body)) - 1]?.(response))
    })
    const bot = await startBot(t)
    await askFromOutside(bot, `${server.url}/word`)
    await bot.slack.until(() => heard.length === tries, `${tries} tries`)
    // The end waits for what is under way, so there is no further try after it.
    await bot.stop()
    const word = { response_type: 'ephemeral', text: expect.stringMatching(/I am not a member.*Invite me/) }
    expect(heard).toEqual(Array.from({ length: tries }, () => expect.objectContaining(word)))
  })
})

describe('where Slack takes no answer, the asker reads why, with a reference', async () => {
  const bot = await startBot(fileEnds())
  const { slack, model } = bot
  model.on('', finish('For nobody.'))

  test.each([
    ['restricted_action', /not allowed to post in this channel/],
    ['restricted_action_read_only_channel', /not allowed to post in this channel/],
    ['is_archived', /archived/],
    ['not_in_channel', /not a member.*Invite me with `\/invite/],
    ['thread_not_found', /message that I was to answer under is gone/],
    ['ekm_access_denied', /does not let me answer here \(ekm_access_denied\)\. Please tell whoever runs me/],
  ])('%s', async (error, sentence) => {
    slack.fault({ method: 'chat.postMessage', error })
    const before = slack.whispers(GENERAL, ALICE).length
    const thread = await bot.mention('Anybody?')
    const word = await slack.until(() => slack.whispers(GENERAL, ALICE)[before], 'a private word')
    expect(word).toMatch(sentence)
    const reference = REFERENCE.exec(word)?.[1]
    expect(bot.logs.filter((line) => line.includes(`"reference":"${reference}"`))).toHaveLength(1)
    expect(thread.shown()).toEqual([])
  })
})
