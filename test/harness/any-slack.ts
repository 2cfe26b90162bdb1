import { expect, type ExpectStatic } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { GENERAL, startLocalSlack } from '../../src/playground/slack.ts'
import { refusalCode } from '../../src/slack/client/slack-errors.ts'
import { installationFromConfig, type Installation } from '../../src/workspace/installations.ts'
import type { Ends } from './ends.ts'

/** Where a suite speaks with Slack: the local one, or the one that TEST_SLACK_URL or TEST_SLACK_TOKEN names. */
export interface AnySlack {
  installation: Installation
  channel: string
  /** A person in that channel. */
  person: string
  isLocal: boolean
  /**
   * What came of it, or undefined where this Slack does not know the method at all; that is told aloud, and the local Slack has to
   * know it.
   */
  where<T>(what: string, work: () => Promise<T>): Promise<T | undefined>
}

/**
 * - `TEST_SLACK_URL`: the address of its Web API, such as `http://127.0.0.1:3000/api/`; without it, but with a token, Slack's own
 * - `TEST_SLACK_TOKEN`: a bot token, xoxb-…
 * - `TEST_SLACK_CHANNEL`: the id of a channel that the bot is in, and that may be written to
 */
export async function anySlack(t: Ends): Promise<AnySlack> {
  const { TEST_SLACK_URL: url, TEST_SLACK_TOKEN: token, TEST_SLACK_CHANNEL: given } = process.env
  const isLocal = !url && !token
  if (!isLocal && !(token && given))
    throw new Error('Besides TEST_SLACK_URL, TEST_SLACK_TOKEN and TEST_SLACK_CHANNEL should be set.')
  const slack = isLocal ? await startLocalSlack() : undefined
  if (slack) t.onTestFinished(() => slack.close())
  const config = loadConfig({ SLACK_API_URL: slack?.apiUrl ?? url, SLACK_BOT_TOKEN: slack?.botToken ?? token })
  const installations = await installationFromConfig(config, { log: createLog('silent') })
  const installation = await installations.of(installations.defaultTeam)
  if (!installation) throw new Error('The bot is not installed there.')
  const channel = given || GENERAL
  return { installation, channel, person: await personIn(installation, channel), isLocal, where: whereKnown(isLocal) }
}

async function personIn({ client, identity }: Installation, channel: string): Promise<string> {
  const { members } = await client.call('conversations.members', { channel }, { effort: 'patient' })
  const person = Array.isArray(members) ? members.map(String).find((one) => one !== identity.botUser) : undefined
  if (!person) throw new Error(`Nobody but the bot is in ${channel}.`)
  return person
}

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
