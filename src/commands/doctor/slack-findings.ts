import { readEnv, type Config } from '../../config.ts'
import { sealerFrom } from '../../base/encryption.ts'
import { installStores } from '../../stores/installations/installation-store.ts'
import { redisKv } from '../../stores/kv/redis-kv.ts'
import { openCommandRedis } from '../command-redis.ts'
import { installLine, inspectInstalls, type InstallRow } from '../installs/inspect-installs.ts'
import { loadSlackApps } from '../../slack/client/slack-apps.ts'
import { unknownIdLine, unknownIds } from '../../slack/client/unknown-ids.ts'
import { SlackWeb } from '../../slack/client/web-api.ts'
import { checkSlack, type CheckRow } from '../slack/check-slack.ts'
import { findingsAbout, type CheckServices, type Finding } from './finding.ts'

const { ok, note, fault } = findingsAbout('Slack')

/**
 * Checks the owner of the tokens, whether Slack accepts them, and the app's scopes against its manifest, as `npm run
 * slack` does.
 */
export async function slackFindings(config: Config, deps: CheckServices): Promise<Finding[]> {
  if (config.SLACK_CLIENT_ID || config.SLACK_APPS) return installFindings(config, deps)
  const { SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_SIGNING_SECRET, SLACK_API_URL: apiUrl } = config
  if (!SLACK_BOT_TOKEN && !SLACK_APP_TOKEN && !SLACK_SIGNING_SECRET)
    return [fault('tokens', 'No token is set. Run npm run slack to create the app and save its tokens.')]
  const rows = await checkSlack(
    { SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_SIGNING_SECRET },
    { apiUrl, fetch: deps.net.fetch, now: deps.now },
  )
  // A worker only posts. Incoming events are the front's job.
  const isOwn = ({ name }: CheckRow) => config.ROLE !== 'worker' || SLACK_APP_TOKEN || name !== 'SLACK_APP_TOKEN'
  const isRead = rows.some(({ name, ok }) => name === 'auth.test' && ok)
  const ids = isRead && SLACK_BOT_TOKEN ? await idFindings([SLACK_BOT_TOKEN], config, deps) : []
  return [...rows.filter(isOwn).map(findingOf), ...ids]
}

/** A line for each id in APPROVERS and ALLOW_USERS that no workspace of these tokens has. */
async function idFindings(tokens: string[], config: Config, { log, now, net }: CheckServices): Promise<Finding[]> {
  const options = { apiUrl: config.SLACK_API_URL, log, now, fetch: net.fetch }
  const unknown = await unknownIds(
    config,
    tokens.map((token) => new SlackWeb({ ...options, token })),
  )
  return unknown.map((one) => fault(one.setting, unknownIdLine(one)))
}

/** A line for each installation of a distributed app, or each app of SLACK_APPS. */
async function installFindings(config: Config, deps: CheckServices): Promise<Finding[]> {
  const { SLACK_CLIENT_ID, REDIS_URL, REDIS_PREFIX: prefix } = config
  const { log } = deps
  const sealer = sealerFrom(config)
  if (!SLACK_CLIENT_ID) {
    const tokens = loadSlackApps(config.SLACK_APPS ?? '', readEnv()).map(({ botToken }) => botToken)
    const rows = rowsOf(await inspectInstalls(config, { ...deps, installs: undefined }))
    return [...rows, ...(await idFindings(tokens, config, deps))]
  }
  if (!REDIS_URL)
    return [
      note(
        'installations',
        'They are kept only in the bot’s memory, so this command cannot check them. Set REDIS_URL.',
      ),
    ]
  if (!sealer) return [fault('installations', 'SECRETS_KEY is missing: the installations are encrypted with it.')]
  const redis = await openCommandRedis(REDIS_URL, log)
  try {
    const installs = installStores(redisKv({ redis, prefix }), sealer)
    return rowsOf(await inspectInstalls(config, { ...deps, installs }))
  } finally {
    redis.disconnect()
  }
}

function rowsOf(rows: InstallRow[]): Finding[] {
  if (rows.length === 0)
    return [note('installations', 'Nobody has installed the app yet: open PUBLIC_URL/slack/install.')]
  return rows.map((row) => {
    if (row.token !== 'ok') return fault(row.team, `${installLine(row)}.`)
    return row.missingScopes.length > 0 ? note(row.team, `${installLine(row)}.`) : ok(row.team, `${installLine(row)}.`)
  })
}

/** A check that passes and still leaves something to do, such as an optional scope, is a note. */
function findingOf({ name, ok: isWell, sentence, fix }: CheckRow): Finding {
  const whole = fix === undefined ? sentence : `${sentence} ${fix}`
  if (!isWell) return fault(name, whole)
  return fix === undefined ? ok(name, whole) : note(name, whole)
}
