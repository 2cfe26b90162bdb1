import { loadConfig, SECRETS, SETTINGS } from '../../src/config.ts'
import { textOf } from './source.ts'

/** What each setting is when nobody sets it, as the environment would carry it. */
const defaults = new Map<string, unknown>(Object.entries(loadConfig({})))
export const defaultOf = (name: string) => String(defaults.get(name) ?? '')

export interface DescribedSetting {
  group: string
  name: string
  value: string
  description: string
}

/** The settings of `.env.example` in its order, each with its group and the comment above it. */
export function describedSettings(): DescribedSetting[] {
  const found: DescribedSetting[] = []
  let group = ''
  let comment: string[] = []
  for (const line of textOf('.env.example').split('\n')) {
    const [, heading] = /^# -{2,} (.+?) -{2,}$/.exec(line) ?? []
    const [, name, value = ''] = /^#?([A-Z][A-Z0-9_]*)=(.*)$/.exec(line) ?? []
    if (name !== undefined) found.push({ group, name, value, description: comment.join(' ') })
    else if (heading === undefined && line.startsWith('# ')) {
      comment.push(line.slice(2))
      continue
    }
    group = heading ?? group
    comment = []
  }
  return found
}

const INTRODUCTION = `# Settings

<!-- Written by a test from src/config.ts and .env.example. To renew it: npx vitest run test/repo/settings.test.ts -u -->

Every setting is an environment variable. The bot also reads them from the file \`.env\`; a variable in the environment wins over the same
one in the file. An empty value counts as unset. In \`.env\`, put JSON into single quotes.

Settings with † are secrets. A secret can also come from a file: set \`NAME_FILE=/run/secrets/name\` in place of \`NAME\`. Logs and error
messages never show a secret.
`

/** What a bot in Slack cannot start without: tokens for Slack, and a model. */
const NEEDED = [
  ...['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'SLACK_SIGNING_SECRET'],
  ...['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL'],
]
/** What most operators decide about in their first weeks. */
const COMMON = [
  ...['REDIS_URL', 'SECRETS_KEY', 'HISTORY_TTL_DAYS', 'PORT', 'PRICES_FILE', 'AGENT_DIALECT', 'TOOLS', 'MCP_CONFIG'],
  ...['STEPS', 'FOLLOW_UPS', 'ALLOW_CHANNELS', 'ALLOW_USERS', 'ALLOW_EXTERNAL', 'APPROVERS', 'SETTINGS_BY'],
  ...['LIMIT_USER_HOUR', 'BUDGET_TEAM_DAY_TOKENS', 'BUDGET_TEAM_DAY_USD', 'HTTPS_PROXY', 'LOG_LEVEL', 'METRICS_PORT'],
]

/**
 * The text of `docs/settings.md`: names, order, defaults and secrets are those of the code, the words those of
 * `.env.example`.
 */
export function settingsPage(): string {
  const described = describedSettings()
  const advanced = described.filter(({ name }) => ![...NEEDED, ...COMMON].includes(name))
  const groups = [...new Set(advanced.map(({ group }) => group))]
  return [
    INTRODUCTION,
    `## Needed\n\n${SLACK_AND_MODEL}\n\n${tableOf(named(NEEDED, described))}`,
    `## Common\n\n${tableOf(named(COMMON, described))}`,
    '## Advanced\n\nThe defaults suit most installations.\n',
    ...groups.map((group) => `### ${titleOf(group)}\n\n${tableOf(advanced.filter((one) => one.group === group))}`),
  ].join('\n')
}

const SLACK_AND_MODEL =
  'Set the bot token, one of the app-level token and the signing secret, and a key or an address for the model. ' +
  '`npm run slack` sets the two tokens.'

/** The heading of `.env.example` without its remark: `Slack: npm run slack fills this in` is `Slack`. */
const titleOf = (group: string) => group.split(/[:,]/)[0]!

function named(names: string[], described: DescribedSetting[]): DescribedSetting[] {
  return names.map((name) => {
    const found = described.find((one) => one.name === name)
    if (!found) throw new Error(`.env.example has no ${name}.`)
    return found
  })
}

function tableOf(settings: DescribedSetting[]): string {
  return `| setting | default | meaning |\n|---|---|---|\n${settings.map(rowOf).join('\n')}\n`
}

function rowOf({ name, description }: DescribedSetting): string {
  if (!SETTINGS.includes(name)) throw new Error(`.env.example has ${name}, which is no setting.`)
  const value = defaultOf(name)
  return `| \`${name}\`${SECRETS.includes(name) ? ' †' : ''} | ${value && `\`${value}\``} | ${forTable(description)} |`
}

/** Escapes what a cell of a table and GitHub's HTML would take for their own. */
function forTable(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}
