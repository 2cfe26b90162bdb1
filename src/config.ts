/**
 * The settings of Thinkaloud (base/settings/setting-schema.ts), read from the environment and checked once. Their names
 * are a public interface (README, .env.example). This is the only reader of process.env. All other code gets the
 * `Config` that `loadConfig` returns.
 */
import { existsSync, readFileSync } from 'node:fs'
import { parse as parseDotenv } from 'dotenv'
import type { z } from 'zod'
import { ConfigError } from './base/errors.ts'
import { closestName } from './base/closest-name.ts'
import { withSecretFiles } from './base/settings/secret-files.ts'
import { decoded, parseRedisUrl } from './base/redis/redis-url.ts'
import { missingOfWorkspaces } from './base/settings/required-slack-settings.ts'
import { settingSchema } from './base/settings/setting-schema.ts'

export { DIALECT_NAMES, FOLLOW_UPS, STEPS, type DialectName } from './base/settings/setting-schema.ts'

export type Env = Record<string, string | undefined>

export type Config = z.infer<typeof settingSchema>

/** All setting names. */
export const SETTINGS = Object.keys(settingSchema.shape)

/** Settings that may also come from a file, `NAME_FILE=/run/secrets/name`, as Docker and Kubernetes mount them. */
export const SECRETS = [
  ...['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'SLACK_SIGNING_SECRET', 'SLACK_CLIENT_SECRET', 'OPENAI_API_KEY'],
  ...['OPENAI_HEADERS', 'REDIS_URL', 'SEARCH_API_KEY', 'SERPAPI_API_KEY', 'GITHUB_TOKEN', 'SECRETS_KEY'],
  ...['SECRETS_KEY_OLD', 'READ_INTERNAL_HEADERS'],
]

/** The values that must not appear in logs: secrets, header values, and passwords in URLs, raw and decoded. */
export function secretsOf(config: Config): string[] {
  const values = Object.entries(config).flatMap(([name, value]) => (SECRETS.includes(name) ? [value] : []))
  const texts = values.flatMap((value) => (typeof value === 'object' ? Object.values(value) : [String(value ?? '')]))
  const passwords = texts.flatMap(passwordsIn)
  return [...texts, ...passwords.flatMap((password) => [password, decoded(password)])].filter((text) => text !== '')
}

/** The passwords in a URL: the one before the host, and that of a Redis's Sentinels. */
function passwordsIn(text: string): string[] {
  const { sentinelPassword = '' } = parseRedisUrl(text) ?? {}
  return [URL.canParse(text) ? new URL(text).password : '', sentinelPassword]
}

/** Removed settings, each with what to do instead. */
const DROPPED: Record<string, string> = {
  REDIS_SENTINELS: 'list the Sentinels in REDIS_URL: redis+sentinel://host:26379,host:26379/master',
  REDIS_SENTINEL_NAME: 'put the master’s name into REDIS_URL: redis+sentinel://host:26379/master/0',
  REDIS_SENTINEL_PASSWORD: 'append it to REDIS_URL: redis+sentinel://…/master?sentinelPassword=…',
  REDIS_CLUSTER: 'begin REDIS_URL with redis+cluster:// or rediss+cluster://',
  FORGET_BY: 'admins decide it for each channel with /ask settings',
  HISTORY_MAX_TURNS: 'the last 20 turns are always kept',
  LIMIT_TEAM_DAY: 'set BUDGET_TEAM_DAY_TOKENS or BUDGET_TEAM_DAY_USD',
}

/** One sentence for each removed setting in the environment. */
export function droppedSettings(env: Env): string[] {
  const set = Object.entries(DROPPED).filter(([name]) => env[name]?.trim())
  return set.map(([name, instead]) => `${name} is no longer a setting: ${instead}.`)
}

/** Names that other programs read, such as Compose from the same `.env`, or that only look like ours. */
const OTHERS = /^(?:OTEL|NODE|npm|COMPOSE|DOCKER|FRONT|PROMETHEUS|GRAFANA)_|^(?:https?|all|no)_proxy$/i

/**
 * One sentence for each name in the environment that is not a setting but resembles one: most likely a typing error. A
 * name in `inFile`, the lines of `.env`, is named even if it resembles none: only the environment serves others too.
 */
export function unknownSettings(env: Env, inFile: Env = {}): string[] {
  const known = new Set([...SETTINGS, ...SECRETS.map((name) => `${name}_FILE`), ...Object.keys(DROPPED)])
  const unknown = Object.entries(env).filter(([name, value]) => value?.trim() && !known.has(name) && !OTHERS.test(name))
  return unknown.flatMap(([name]) => {
    const meant = closestName(name, SETTINGS)
    if (meant !== undefined) return [`${name} is not a setting. Did you mean ${meant}?`]
    return name in inFile ? [`${name} in .env is not a setting, so it has no effect.`] : []
  })
}

/**
 * The process's environment over the `.env` file of the working directory, if there is one. Values in the environment
 * win.
 * @throws ConfigError if the file cannot be read
 */
export function readEnv(file = '.env', env: Env = process.env): Env {
  const inFile = readEnvFile(file)
  // OpenTelemetry's SDK reads these by itself, and only from the process's environment.
  for (const [name, value] of Object.entries(inFile)) if (name.startsWith('OTEL_')) env[name] ??= value
  return { ...inFile, ...env }
}

/**
 * The lines of the `.env` file alone; none if there is no file.
 * @throws ConfigError if it cannot be read
 */
export function readEnvFile(file = '.env'): Env {
  if (!existsSync(file)) return {}
  try {
    return parseDotenv(readFileSync(file))
  } catch {
    throw new ConfigError(`${file} cannot be read. Check that it is a file, and its permissions.`)
  }
}

/**
 * Checks the environment and fills in the defaults.
 * @throws ConfigError with one sentence per line for everything that is wrong
 */
export function loadConfig(env: Env, options: { serves?: boolean } = {}): Config {
  const problems: string[] = []
  const given = withSecretFiles(withoutBlanks(env), SECRETS, problems)
  // Further errors about a secret with a bad file would only repeat that.
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  const result = settingSchema.safeParse(given)
  for (const issue of result.error?.issues ?? []) problems.push(`${issue.path.join('.')} should be ${issue.message}.`)
  if (result.data && options.serves) problems.push(...missing(result.data))
  // A missing setting may be present under a mistyped name.
  if (problems.length > 0) problems.push(...unknownSettings(env))
  if (problems.length > 0 || !result.data) throw new ConfigError(problems.join('\n'))
  return result.data
}

/** Returns the settings that are missing to serve Slack, one sentence each. */
function missing(config: Config): string[] {
  const problems = missingOfWorkspaces(config)
  if (config.ROLE !== 'worker' && !config.SLACK_APPS && !config.SLACK_APP_TOKEN && !config.SLACK_SIGNING_SECRET)
    problems.push(
      'SLACK_APP_TOKEN is missing: set it to an app-level token, xapp-…, for Socket Mode, ' +
        'or set SLACK_SIGNING_SECRET to receive events over HTTP.',
    )
  if (config.ROLE !== 'front' && !config.OPENAI_API_KEY && !config.OPENAI_BASE_URL)
    problems.push(
      'OPENAI_API_KEY is missing: set it to the key of your model provider, ' +
        'or set OPENAI_BASE_URL to an endpoint that needs no key.',
    )
  if (config.ROLE !== 'all' && !config.REDIS_URL)
    problems.push(`REDIS_URL is missing: with ROLE=${config.ROLE}, all processes of the bot share one Redis.`)
  return problems
}

/** Empty values count as unset: Compose and CI pass them for unset variables. */
function withoutBlanks(env: Env): Env {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''))
}
