/** The settings that name the bot's workspaces. */
type WorkspaceSettings = Partial<
  Record<keyof typeof OF_DISTRIBUTED_APP | 'SLACK_BOT_TOKEN' | 'SLACK_CLIENT_ID' | 'SLACK_APPS', unknown>
>

/**
 * Returns a sentence for each missing or conflicting setting. The bot needs one token, one distributed app, or several
 * apps.
 */
export function missingOfWorkspaces(config: WorkspaceSettings): string[] {
  const { SLACK_CLIENT_ID, SLACK_APPS } = config
  if (SLACK_CLIENT_ID) {
    const needed = Object.entries(OF_DISTRIBUTED_APP).filter(([name]) => isUnset(config[name as keyof typeof config]))
    return [
      ...besides(config, ['SLACK_BOT_TOKEN', 'SLACK_APPS'], 'SLACK_CLIENT_ID'),
      ...needed.map(([name, what]) => `${name} is missing: SLACK_CLIENT_ID needs it. Set it to ${what}.`),
    ]
  }
  if (SLACK_APPS) return besides(config, ['SLACK_BOT_TOKEN'], 'SLACK_APPS')
  const alone = ['SLACK_CLIENT_SECRET', 'ALLOW_TEAMS'] as const
  const useless = alone.filter((name) => !isUnset(config[name]))
  if (useless.length > 0)
    return useless.map((name) => `${name} has no effect without SLACK_CLIENT_ID. Set both, or neither.`)
  return config.SLACK_BOT_TOKEN
    ? []
    : [
        'SLACK_BOT_TOKEN is missing: set it to the app’s bot token, xoxb-…. npm run slack creates the app and fills this in.',
      ]
}

const OF_DISTRIBUTED_APP = {
  SLACK_CLIENT_SECRET: 'the app’s client secret',
  PUBLIC_URL: 'the https address under which people reach the bot',
  ALLOW_TEAMS: 'the ids of the workspaces and organisations that may install it, or * for any',
  SECRETS_KEY: 'a key of at least 32 characters, which encrypts the tokens (openssl rand -hex 32)',
}

const isUnset = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0)

function besides(config: WorkspaceSettings, names: (keyof WorkspaceSettings)[], chosen: string): string[] {
  const set = names.filter((name) => config[name] !== undefined)
  return set.map((name) => `${name} cannot be combined with ${chosen}. Remove one of them.`)
}
