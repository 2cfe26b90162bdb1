/**
 * Every setting of Thinkaloud, from the environment, checked once. The names are a public interface (README,
 * .env.example). This is the only reader of process.env. All other code gets the `Config` that `loadConfig` returns.
 */
import { existsSync, readFileSync } from 'node:fs'
import { parse as parseDotenv } from 'dotenv'
import { z } from 'zod'
import { approvers } from './base/settings/approver-rules.ts'
import { ConfigError } from './base/errors.ts'
import { closestName } from './base/closest-name.ts'
import { withSecretFiles } from './base/settings/secret-files.ts'
import { decoded, parseRedisUrl, REDIS_URL_FORM } from './base/redis/redis-url.ts'
import * as is from './base/settings/setting-validators.ts'
import { missingOfWorkspaces } from './base/settings/required-slack-settings.ts'
import { SETTING_DESCRIPTIONS } from './base/settings/setting-descriptions.ts'

export type Env = Record<string, string | undefined>

export const DIALECT_NAMES = [
  'text',
  'json',
  'docstore',
  'bracket',
  'self-ask',
  'conversational',
  'native',
  'structured',
] as const
export type DialectName = (typeof DIALECT_NAMES)[number]
export const STEPS = ['replies', 'card', 'stream', 'hidden'] as const
export const FOLLOW_UPS = ['thread', 'mention'] as const
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** One entry per variable. A validator's message completes the error sentence "NAME should be …". */
const schema = z.object({
  SLACK_BOT_TOKEN: is.token('xoxb-').optional(),
  SLACK_APP_TOKEN: is.token('xapp-').optional(),
  SLACK_SIGNING_SECRET: z.string().optional(),
  SLACK_CLIENT_ID: z.string().optional(),
  SLACK_CLIENT_SECRET: z.string().optional(),
  PUBLIC_URL: is.address.optional(),
  ALLOW_TEAMS: is.teams.default([]),
  SLACK_APPS: z.string().optional(),
  SLACK_API_URL: is.address.default('https://slack.com/api/'),
  PORT: is.whole(0, 65535).default(3000),
  HOST: z.string().default('0.0.0.0'),

  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: is.address.optional(),
  OPENAI_MODEL: z.string().default('gpt-5-mini'),
  OPENAI_API: is.oneOf(['chat', 'responses', 'auto']).default('chat'),
  OPENAI_REASONING_EFFORT: is.oneOf(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).optional(),
  OPENAI_CONDENSE_MODEL: z.string().optional(),
  TRANSCRIBE_MODEL: z.string().optional(),
  OPENAI_FALLBACK_MODEL: z.string().optional(),
  OPENAI_HEADERS: is.headers.optional(),
  OPENAI_STREAM: is.flag.default(true),
  OPENAI_CONTEXT_TOKENS: is.whole(1_000, 20_000_000).optional(),
  PRICES_FILE: z.string().optional(),
  LOCAL_MODEL_PORTS: is.ports.default(['11434', '1234', '8080', '8000']),

  REDIS_URL: z
    .string()
    .refine((value) => parseRedisUrl(value) !== undefined, REDIS_URL_FORM)
    .optional(),
  REDIS_PREFIX: z
    .string()
    .regex(/^[\w-]{1,40}$/, 'at most 40 letters, digits, - and _')
    .default('thinkaloud'),
  SECRETS_KEY: is.secretsKey.optional(),
  SECRETS_KEY_OLD: is.secretsKey.optional(),
  ROLE: is.oneOf(['all', 'front', 'worker']).default('all'),
  WORKER_CONCURRENCY: is.whole(1, 1000).default(20),
  // Another worker takes over a dead worker's threads after at most five thirds of it (question/stores/open-redis.ts):
  // 30 s.
  WORKER_LOCK_MS: is.whole(1_000, 18_000).default(15_000),
  SHUTDOWN_MS: is.whole(0, 600_000).default(25_000),

  AGENT_DIALECT: is.oneOf([...DIALECT_NAMES, 'auto']).default('text'),
  INSTRUCTIONS_FILE: z.string().optional(),
  AGENT_MAX_STEPS: is.whole(1, 100).default(8),
  AGENT_TIMEOUT_MS: is.whole(100, 3_600_000).default(120_000),
  RUN_MAX_TOKENS: is.whole(1, 1e9).optional(),
  RUN_MAX_USD: is.dollars.optional(),
  TOOL_TIMEOUT_MS: is.whole(10, 600_000).default(15_000),
  TOOL_OUTPUT_CHARS: is.whole(200, 100_000).default(4000),
  TOOLS: is.names.optional(),
  CUSTOM_TOOLS_DIR: is.folder.default('tools/custom'),
  SKILLS_DIR: z.string().default('skills'),
  MCP_CONFIG: z.string().optional(),
  MCP_TOOLS_MAX: is.whole(0, 1000).default(40),
  STEPS: is.oneOf(STEPS).default('replies'),
  STEPS_STREAM_CHANNELS: is.flag.default(false),
  FIGURES: is.oneOf(['on', 'off']).default('on'),
  FOOTER: is.oneOf(['short', 'full']).default('short'),
  FOLLOW_UPS: is.oneOf(FOLLOW_UPS).default('thread'),
  ASK_REACTION: is.emoji.optional(),
  LINK_HOSTS: is.names.default([]),
  EXAMPLES_FILE: is.exampleQuestions.optional(),

  ALLOW_CHANNELS: is.channels.default([]),
  ALLOW_USERS: is.people.default([]),
  ALLOW_EXTERNAL: is.flag.default(false),
  ALLOW_BOTS: is.bots.default([]),
  APPROVERS: approvers.default([]),
  SETTINGS_BY: is.oneOf(['members', 'admins']).default('members'),

  // At most 30 days, which is how long a thread is remembered by default (HISTORY_TTL_DAYS).
  APPROVAL_HOURS: is.whole(1, 720).default(24),

  SCHEDULES_PER_USER: is.whole(0, 1_000).default(5),
  SCHEDULE_MIN_MINUTES: is.whole(1, 10_080).default(15),

  LIMIT_USER_HOUR: is.whole(1, 1_000_000).optional(),
  LIMIT_CHANNEL_HOUR: is.whole(1, 1_000_000).optional(),
  LIMIT_TEAM_RUNS: is.whole(1, 100_000).optional(),
  BUDGET_USER_DAY_TOKENS: is.whole(1, 1e12).optional(),
  BUDGET_TEAM_DAY_TOKENS: is.whole(1, 1e12).optional(),
  BUDGET_TEAM_DAY_USD: is.dollars.optional(),

  // At most as long as a waiting question is stored, because it identifies the conversation of a direct message.
  DM_MEMORY_MINUTES: is.whole(0, 10_080).default(60),
  HISTORY_TTL_DAYS: is.whole(1, 3650).default(30),
  MEMORY_TTL_DAYS: is.whole(1, 3650).default(365),
  RUN_TRACES: is.flag.default(false),

  WIKIPEDIA_API_URL: is.address.default('https://en.wikipedia.org/w/api.php'),
  ARXIV_API_URL: is.address.default('https://export.arxiv.org/api/query'),
  DUCKDUCKGO_URL: is.address.default('https://api.duckduckgo.com/'),
  SEARCH_ENGINE: is.oneOf(['searxng', 'brave', 'tavily', 'exa', 'serper', 'serpapi', 'custom']).optional(),
  SEARCH_API_KEY: z.string().optional(),
  SEARCH_URL: is.address.optional(),
  SEARCH_FIELDS: z.string().optional(),
  READ_HOSTS: is.names.default([]),
  READ_INTERNAL_HOSTS: is.hosts.default([]),
  READ_INTERNAL_HEADERS: is.headers.optional(),
  SERPAPI_URL: is.address.default('https://serpapi.com/search.json'),
  SERPAPI_API_KEY: z.string().optional(),
  GITHUB_API_URL: is.address.default('https://api.github.com'),
  GITHUB_TOKEN: z.string().optional(),

  HTTPS_PROXY: is.url('http', 'https').optional(),
  NO_PROXY: z.string().optional(),
  LOG_LEVEL: is.oneOf(LOG_LEVELS).default('info'),
  METRICS_PORT: is.whole(0, 65535).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: is.address.optional(),
  OTEL_CAPTURE_CONTENT: is.flag.default(false),
  PLAYGROUND_PORT: is.whole(0, 65535).default(3210),
})

export type Config = z.infer<typeof schema>

/** All setting names. */
export const SETTINGS = Object.keys(schema.shape)

/** Each setting with a sentence about it, in groups for the documentation. */
export const SETTING_GROUPS: Record<
  keyof typeof SETTING_DESCRIPTIONS,
  Partial<Record<keyof Config, string>>
> = SETTING_DESCRIPTIONS

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
  const result = schema.safeParse(given)
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
