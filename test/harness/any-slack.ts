import { expect, type ExpectStatic } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { createLog } from '../../src/base/log.ts'
import { isObject } from '../../playground/slack/args.ts'
import { GENERAL, startLocalSlack } from '../../playground/slack/slack.ts'
import { refusalCode } from '../../src/slack/client/slack-errors.ts'
import { SlackWeb } from '../../src/slack/client/web-api.ts'
import type { Installation } from '../../src/slack/client/installations.ts'
import { installationFromConfig } from '../../src/slack/install/open-installations.ts'
import type { Ends } from './ends.ts'

/** The Slack of a suite: the local one, or the one that TEST_SLACK_URL or TEST_SLACK_TOKEN names. */
export interface AnySlack {
  /** The address of its Web API, and the bot's token. */
  apiUrl: string
  botToken: string
  installation: Installation
  channel: string
  /** A person in that channel. */
  person: string
  /** Calls methods as that person. Absent without a token of theirs. */
  asPerson?: SlackWeb | undefined
  isLocal: boolean
  /**
   * Returns the result. If this Slack does not know the method, prints that and returns undefined. The local Slack must
   * know it.
   */
  where<T>(what: string, work: () => Promise<T>): Promise<T | undefined>
}

/**
 * Returns the Slack of the suite, from these variables:
 * - `TEST_SLACK_URL`: the address of its Web API, such as `http://127.0.0.1:3000/api/`. Default with a token: Slack's
 * own
 * - `TEST_SLACK_TOKEN`: a bot token, xoxb-…
 * - `TEST_SLACK_CHANNEL`: the id of a channel that the bot is in, and that may be written to
 * - `TEST_SLACK_USER_TOKEN`: a person's token, xoxp-…, who is in that channel. Without it the bot posts people's
 * messages
 */
export async function anySlack(t: Ends): Promise<AnySlack> {
  const { TEST_SLACK_URL: url, TEST_SLACK_TOKEN: token, TEST_SLACK_CHANNEL: given } = process.env
  const isLocal = !url && !token
  if (!isLocal && !(token && given))
    throw new Error('Besides TEST_SLACK_URL, TEST_SLACK_TOKEN and TEST_SLACK_CHANNEL should be set.')
  const slack = isLocal ? await startLocalSlack() : undefined
  if (slack) t.onTestFinished(() => slack.close())
  const botToken = slack?.botToken ?? token ?? ''
  const config = loadConfig({ SLACK_API_URL: slack?.apiUrl ?? url, SLACK_BOT_TOKEN: botToken })
  const apiUrl = config.SLACK_API_URL
  const installations = await installationFromConfig(config, { now: Date.now, log: createLog('silent') })
  const installation = await installations.of(installations.defaultTeam)
  if (!installation) throw new Error('The bot is not installed there.')
  const channel = given || GENERAL
  const userToken = isLocal ? undefined : process.env['TEST_SLACK_USER_TOKEN']
  const asPerson = userToken
    ? new SlackWeb({ now: Date.now, token: userToken, apiUrl, log: createLog('silent') })
    : undefined
  const person = asPerson ? await personOf(asPerson) : await personIn(installation, channel)
  return { apiUrl, botToken, installation, channel, person, asPerson, isLocal, where: whereKnown(isLocal) }
}

async function personOf(asPerson: SlackWeb): Promise<string> {
  return String((await asPerson.call('auth.test', {}, { effort: 'patient' })).user_id)
}

/** Returns the first person in the channel whom the bot answers: no bot, no guest, nobody from another workspace. */
async function personIn({ client, identity }: Installation, channel: string): Promise<string> {
  const { members } = await client.call('conversations.members', { channel }, { effort: 'patient' })
  const ids = Array.isArray(members) ? members.map(String).filter((id) => id !== identity.botUser) : []
  for (const id of ids) {
    const { user } = await client.call('users.info', { user: id }, { effort: 'patient' })
    if (isObject(user) && !NOT_ANSWERED.some((mark) => user[mark] === true)) return id
  }
  throw new Error(`No person of the workspace is in ${channel} beside the bot.`)
}

/** The fields of `users.info` of people whom the bot does not answer by default. */
const NOT_ANSWERED = ['is_bot', 'deleted', 'is_restricted', 'is_stranger']

function whereKnown(isLocal: boolean, check: ExpectStatic = expect): AnySlack['where'] {
  return async (what, work) => {
    try {
      return await work()
    } catch (error) {
      if (refusalCode(error) !== 'unknown_method') throw error
      check(isLocal, `the local Slack knows ${what}`).toBe(false)
      console.warn(`\n!!! This Slack does not know ${what}: that goes UNTESTED here.\n`)
      return undefined
    }
  }
}
