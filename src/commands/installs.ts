/** `npm run installs -- list | show TEAM | remove TEAM [--json]`: the operator's commands for installations. */
import { countText, mainCommand, type CommandIo } from './command.ts'
import { proxyFrom } from '../base/http/connection-pools.ts'
import { createNetwork } from '../base/http/proxy.ts'
import { ConfigError } from '../base/errors.ts'
import { createLog, type Log } from '../base/log.ts'
import { loadConfig, secretsOf, type Config } from '../config.ts'
import type { Account } from '../mcp/login/connectable-account.ts'
import { endLogins } from '../question/connections/connections.ts'
import { openMcp } from '../question/agent/open-mcp.ts'
import { createStores, type Stores } from '../question/stores/open-stores.ts'
import { openSlackAccount } from '../slack/client/search-grant.ts'
import { SlackRefusal } from '../slack/client/slack-errors.ts'
import { revokeToken, SlackWeb } from '../slack/client/web-api.ts'
import { openInstallations } from '../slack/install/open-installations.ts'
import { installLine, inspectInstalls, type InstallRow, type InspectOptions } from './installs/inspect-installs.ts'

const USAGE = `Usage: npm run installs -- COMMAND [--json]
  list          lists where the bot is installed: whether Slack accepts the token, missing scopes, search, rotation, last use
  show TEAM     shows one of them
  remove TEAM   removes the distributed app from a workspace: revokes its token and deletes all data of that workspace
  --json        prints an array of objects`

interface InstallsOptions extends InspectOptions {
  stores: Stores
  io: CommandIo
}

/** @returns the exit code */
async function installs(config: Config, options: InstallsOptions): Promise<number> {
  const { io } = options
  const { args, complain } = io
  const asJson = args.includes('--json')
  const [command, team, ...more] = args.filter((arg) => arg !== '--json')
  if (more.length === 0 && command === 'list' && team === undefined)
    return list(await inspectInstalls(config, options), asJson, io)
  if (more.length === 0 && team !== undefined && (command === 'show' || command === 'remove')) {
    const rows = await inspectInstalls(config, options, team)
    if (rows.length === 0)
      throw new ConfigError(`The bot is not installed in ${team}. List where it is: npm run installs -- list`)
    if (command === 'remove') await remove(config, team, options)
    return list(rows, asJson, io, command === 'remove' ? 'Removed: ' : '')
  }
  complain(USAGE)
  return 1
}

function list(rows: InstallRow[], asJson: boolean, { print }: CommandIo, before = ''): number {
  if (asJson) print(JSON.stringify(rows, null, 2))
  else for (const row of rows) print(`${before}${installLine(row)}`)
  if (!asJson && before === '') print(countText(rows.length, 'installation'))
  return 0
}

async function remove(config: Config, team: string, options: InstallsOptions): Promise<void> {
  const { stores, log, now, net } = options
  if (!stores.installs)
    throw new ConfigError(
      `${team} is named by ${config.SLACK_APPS ? 'SLACK_APPS' : 'SLACK_BOT_TOKEN'}: remove it there.`,
    )
  const accounts = await accountsOf(config, options)
  const stored = await stores.installs.records.load(team).catch(() => undefined)
  if (stored) {
    const web = new SlackWeb({ token: stored.record.token, apiUrl: config.SLACK_API_URL, log, now, fetch: net.fetch })
    await revokeToken(web).catch((error: unknown) => {
      // A token that Slack refuses needs no revocation.
      if (!(error instanceof SlackRefusal)) throw error
    })
  }
  const deps = { log, now, fetch: net.fetch, installs: stores.installs }
  const opened = await openInstallations({ ...config, ROLE: 'front' }, deps)
  const forget = async (one: string) => {
    await endLogins({ team: one }, { accounts, people: stores.people, log })
    await stores.forgetting.forgetTeam(one)
  }
  await opened.installations.end?.({ id: team, eventTime: Infinity, forget })
  opened.stop()
}

/** The accounts that people of the workspace may have connected. */
async function accountsOf(
  config: Config,
  { stores: { people, mcp }, log, now, net }: InstallsOptions,
): Promise<Account[]> {
  const deps = { people, log, now }
  const sources = { ...deps, mcpStore: mcp, proxy: proxyFrom(config), taken: [] }
  // As in a front, no server is connected.
  const opened = await openMcp({ ...config, ROLE: 'front' }, sources)
  const slack = openSlackAccount(config, { ...deps, fetch: net.fetch })
  return [...(slack ? [slack] : []), ...(opened?.accounts ?? [])]
}

async function run(io: CommandIo): Promise<number> {
  const config = loadConfig(io.readEnv())
  if (config.SLACK_CLIENT_ID && !config.REDIS_URL)
    throw new ConfigError('REDIS_URL is missing: without Redis installations live in the bot’s memory only.')
  if (config.SLACK_CLIENT_ID && !config.SECRETS_KEY)
    throw new ConfigError('SECRETS_KEY is missing: the installations are encrypted with it.')
  const log: Log = createLog('silent', undefined, secretsOf(config))
  const net = await createNetwork(config)
  const now = Date.now
  const stores = await createStores(config, { log, now })
  try {
    return await installs(config, { log, now, net, installs: stores.installs, stores, io })
  } finally {
    await stores.queue.stop(0)
    await stores.close()
  }
}

export default await mainCommand(import.meta, USAGE, run)
