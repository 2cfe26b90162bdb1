import { onTestFinished } from 'vitest'
import { startLocalSlack, type LocalSlack, type LocalSlackOptions } from '../../playground/slack/slack.ts'

/** Starts a local Slack that ends with its test. */
export async function localSlack(options: LocalSlackOptions = {}): Promise<LocalSlack> {
  const slack = await startLocalSlack(options)
  onTestFinished(() => slack.close())
  return slack
}
