/** SLACK_APPS: several apps in one deployment, each of one workspace or organisation. */
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { ConfigError } from '../../base/errors.ts'
import { token } from '../../base/settings/setting-validators.ts'
import type { Env } from '../../config.ts'
import { createValueReader } from '../../mcp/config/config-values.ts'
import { installationOf, type IdentifyOptions, type Installations } from './installations.ts'
import { confirmedTeamsOnly } from './confirmed-teams.ts'
import { refusalCode } from './slack-errors.ts'

const appSchema = z.strictObject({
  name: z.string().min(1),
  botToken: token('xoxb-'),
  appToken: token('xapp-').optional(),
  signingSecret: z.string().min(1).optional(),
})

const fileSchema = z.strictObject({ apps: z.array(z.record(z.string(), z.unknown())).min(1) })

/** One app of SLACK_APPS. */
type NamedApp = z.infer<typeof appSchema>

/** A running app, with a view of the installations that contains only its own workspaces. */
export interface SlackApp extends NamedApp {
  installations: Installations
  /** Undefined if Slack did not return it, or refused the token. */
  appId?: string | undefined
}

/**
 * Reads the file of SLACK_APPS: `{"apps": [{"name", "botToken", "appToken" | "signingSecret"}]}`, with `${VAR}` filled
 * in from `env`. @throws ConfigError with a sentence for the first error
 */
export function loadSlackApps(file: string, env: Env): NamedApp[] {
  const say = (what: string) => new ConfigError(`SLACK_APPS: ${what}`)
  const read = fileSchema.safeParse(parsed(file))
  if (!read.success)
    throw say(`${file} should be a JSON object {"apps": [{"name", "botToken", …}]} and hold nothing else.`)
  const apps = read.data.apps.map((written, index) => {
    const values = createValueReader(env)
    const filled = Object.entries(written).map(([key, value]) => [
      key,
      typeof value === 'string' ? values.read(value, key) : value,
    ])
    const app = typeof written.name === 'string' ? `the app ${JSON.stringify(written.name)}` : `app ${index + 1}`
    const [missing] = values.missing
    if (missing) throw say(`${app} needs the variable ${missing}, which is not set.`)
    const { data, error } = appSchema.safeParse(Object.fromEntries(filled))
    if (!data) throw say(`${app}: ${sentenceOf(error)}`)
    if (!data.appToken && !data.signingSecret) throw say(`${app} should have an appToken or a signingSecret.`)
    return data
  })
  const names = apps.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw say(`two apps are named ${JSON.stringify(twice)}. Give each app its own name.`)
  return apps
}

function parsed(file: string): unknown {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    throw new ConfigError('The file named in SLACK_APPS cannot be read. Check its path and permissions.')
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new ConfigError('The file named in SLACK_APPS is not valid JSON.')
  }
}

function sentenceOf({ issues: [issue] }: z.ZodError): string {
  if (issue?.code === 'unrecognized_keys') return `the key ${JSON.stringify(issue.keys[0])} is not known.`
  return `${issue?.path.join('.')} should be ${issue?.code === 'invalid_type' ? 'a text' : issue?.message}.`
}

/**
 * Asks Slack for the identity of each app. If Slack refuses an app's token, or another app has its workspace, the app
 * is logged and serves nobody. @throws ConfigError if none is left, or Slack cannot be reached
 */
export async function openSlackApps(named: NamedApp[], options: IdentifyOptions): Promise<SlackApp[]> {
  const { log } = options
  const found = await Promise.all(named.map((app) => openApp(app, options)))
  const teams = new Map<string, string>()
  const served = found.map((app): SlackApp => {
    const team = app.installations.defaultTeam
    if (team === '') return app
    const other = teams.get(team)
    if (other !== undefined) {
      log.error({ app: app.name, other }, 'two apps in SLACK_APPS belong to the same workspace: the second is skipped')
      return { ...app, installations: NOWHERE }
    }
    teams.set(team, app.name)
    return app
  })
  if (teams.size === 0)
    throw new ConfigError('SLACK_APPS has no app with a valid bot token: Slack rejects all of them.')
  const servesMany = async () => teams.size > 1 || served.some(({ installations }) => installations.isOrgWide)
  const own = served.map(async (app) => ({
    ...app,
    installations: { ...(await ownOf(app, teams, options)), app: app.name, servesMany },
  }))
  return Promise.all(own)
}

/** `teams`: the home of each app, with the app's name. */
async function ownOf(
  { name, installations }: SlackApp,
  teams: Map<string, string>,
  { now }: IdentifyOptions,
): Promise<Installations> {
  const isOthers = (team: string) => (teams.get(team) ?? name) !== name
  const own = installations.isOrgWide ? await confirmedTeamsOnly(installations, now, isOthers) : installations
  return { ...own, owns: (team) => own.teams().includes(team) }
}

async function openApp(app: NamedApp, options: IdentifyOptions): Promise<SlackApp> {
  try {
    const { installations, appId } = await installationOf(app.botToken, options)
    return { ...app, installations, appId: appId ?? (await appIdOf(installations)) }
  } catch (error) {
    const code = refusalCode(error)
    if (code === undefined) throw new ConfigError('Cannot reach Slack at SLACK_API_URL. Check the network.')
    options.log.error(
      { app: app.name, error: code },
      'Slack rejects the bot token of an app in SLACK_APPS: the app is skipped',
    )
    return { ...app, installations: NOWHERE }
  }
}

async function appIdOf(installations: Installations): Promise<string | undefined> {
  const installation = await installations.of(installations.defaultTeam)
  const args = { bot: installation?.identity.botId }
  const answer = await installation?.client.call('bots.info', args, { effort: 'once' }).catch(() => undefined)
  return z.object({ bot: z.object({ app_id: z.string() }) }).safeParse(answer).data?.bot.app_id
}

const NOWHERE: Installations = {
  defaultTeam: '',
  isOrgWide: false,
  of: async () => undefined,
  teams: () => [],
  servesMany: async () => true,
}

/**
 * The installations of all apps as one, for workers. A team is served by its own app, or else by that of its
 * organisation. `ofApp` returns the named app's installations. Questions stored by 0.1.0 name no app: for them it
 * returns all.
 */
export function joinedInstallations(apps: SlackApp[]): Installations {
  const served = apps.map(({ installations }) => installations).filter(({ defaultTeam }) => defaultTeam !== '')
  const joined: Installations = {
    defaultTeam: '',
    isOrgWide: false,
    async of(team) {
      const own = served.find(({ defaultTeam }) => defaultTeam === team)
      if (own) return own.of(team)
      for (const one of served) {
        const found = one.isOrgWide ? await one.of(team) : undefined
        if (found) return found
      }
      return undefined
    },
    teams: () => served.flatMap((one) => one.teams()),
    servesMany: async () => served.length > 1 || served.some(({ isOrgWide }) => isOrgWide),
    ofApp: (app) => (app === undefined ? joined : (served.find((one) => one.app === app) ?? NOWHERE)),
  }
  return joined
}
