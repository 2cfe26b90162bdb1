import type { Config } from '../../config.ts'
import type { Network } from '../../base/http/proxy.ts'
import { checkSlack, type CheckRow } from '../slack/check-slack.ts'
import { findingsOf, type Finding } from './finding.ts'

const { ok, note, fault } = findingsOf('Slack')

/**
 * Checks whose the tokens are, whether Slack accepts them, and what the app may do compared with its manifest, as `npm
 * run slack` does.
 */
export async function slackFindings(config: Config, net: Network): Promise<Finding[]> {
  const { SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_SIGNING_SECRET, SLACK_API_URL: apiUrl } = config
  if (!SLACK_BOT_TOKEN && !SLACK_APP_TOKEN && !SLACK_SIGNING_SECRET)
    return [fault('tokens', 'No token is set. Run npm run slack to create the app and save its tokens.')]
  const rows = await checkSlack(
    { SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_SIGNING_SECRET },
    { apiUrl, fetch: net.fetch },
  )
  // A worker only posts. Incoming events are the front's job.
  const isOwn = ({ name }: CheckRow) => config.ROLE !== 'worker' || SLACK_APP_TOKEN || name !== 'SLACK_APP_TOKEN'
  return rows.filter(isOwn).map(findingOf)
}

/** A check that passes and still leaves something to do, such as an optional scope, is a note. */
function findingOf({ name, ok: isWell, sentence, fix }: CheckRow): Finding {
  const whole = fix === undefined ? sentence : `${sentence} ${fix}`
  if (!isWell) return fault(name, whole)
  return fix === undefined ? ok(name, whole) : note(name, whole)
}
