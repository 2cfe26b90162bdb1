import { onTestFinished } from 'vitest'
import { startLocalSlack, type LocalSlack, type LocalSlackOptions } from '../../src/playground/slack.ts'

/** A local Slack that ends with its test. */
export async function localSlack(options: LocalSlackOptions = {}): Promise<LocalSlack> {
  const slack = await startLocalSlack(options)
  onTestFinished(() => slack.close())
  return slack
}

/**
 * The settings by which a bot finds it, in one mode or the other. Over HTTP the caller also tells the Slack where the bot
 * listens, by `setTarget`.
 */
export function slackSettings(slack: LocalSlack, mode: 'http' | 'socket' = 'socket'): Record<string, string> {
  const settings = { SLACK_BOT_TOKEN: slack.botToken, SLACK_API_URL: slack.apiUrl }
  if (mode === 'socket') return { ...settings, SLACK_APP_TOKEN: slack.appToken }
  return { ...settings, SLACK_SIGNING_SECRET: slack.signingSecret }
}
