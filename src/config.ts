/**
 * Every setting of Thinkaloud, from the environment, checked once. The names are a public interface (README,
 * .env.example). This is the only reader of process.env. All other code gets the `Config` that `loadConfig` returns.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse as parseDotenv } from 'dotenv'
import { z } from 'zod'
import { approvers } from './base/approver-rules.ts'
import { ConfigError } from './base/errors.ts'
import { ROOT } from './base/package-root.ts'
import { parseRedisUrl, REDIS_URL_FORM } from './base/redis/redis-url.ts'
import {
  bots,
  channels,
  dollars,
  exampleQuestions,
  flag,
  headers,
  names,
  oneOf,
  people,
  token,
  url,
  whole,
} from './base/setting-forms.ts'

export type Env = Record<string, string | undefined>

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Whether a folder is readable. Resolved from the project's folder, as its users do. The default one may be missing.
 */
function isFolder(path: string): boolean {
  try {
    readdirSync(resolve(ROOT, path))
    return true
  } catch {
    return false
  }
}

export const DIALECTS = ['text', 'json', 'docstore', 'bracket', 'self-ask', 'conversational', 'native'] as const
export type DialectName = (typeof DIALECTS)[number]
export const STEPS = ['replies', 'card', 'stream', 'hidden'] as const
export const FOLLOW_UPS = ['thread', 'mention'] as const
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** One entry per variable. A validator's message completes the error sentence "NAME should be …". */
const schema = z.object({
  SLACK_BOT_TOKEN: token('xoxb-').optional(),
  SLACK_APP_TOKEN: token('xapp-').optional(),
  SLACK_SIGNING_SECRET: z.string().optional(),
  SLACK_API_URL: url('https', 'http').default('https://slack.com/api/'),
  PORT: whole(0, 65535).default(3000),
  HOST: z.string().default('0.0.0.0'),

  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: url('https', 'http').optional(),
  OPENAI_MODEL: z.string().default('gpt-5-mini'),
  OPENAI_CONDENSE_MODEL: z.string().optional(),
  OPENAI_FALLBACK_MODEL: z.string().optional(),
  OPENAI_HEADERS: headers.optional(),
  OPENAI_STREAM: flag.default(true),
  PRICES_FILE: z.string().optional(),

  REDIS_URL: z
    .string()
    .refine((value) => parseRedisUrl(value) !== undefined, REDIS_URL_FORM)
    .optional(),
  REDIS_PREFIX: z
    .string()
    .regex(/^[\w-]{1,40}$/, 'up to 40 letters, digits, - or _')
    .default('thinkaloud'),
  SECRETS_KEY: z.string().min(32, 'at least 32 characters, as `openssl rand -hex 32` makes them').optional(),
  ROLE: oneOf(['all', 'front', 'worker']).default('all'),
  WORKER_CONCURRENCY: whole(1, 1000).default(20),
  // Another worker takes over a dead worker's threads after at most five thirds of it (open-stores.ts): 30 s.
  WORKER_LOCK_MS: whole(1_000, 18_000).default(15_000),
  SHUTDOWN_MS: whole(0, 600_000).default(25_000),

  AGENT_DIALECT: oneOf([...DIALECTS, 'auto']).default('text'),
  AGENT_MAX_STEPS: whole(1, 100).default(8),
  AGENT_TIMEOUT_MS: whole(100, 3_600_000).default(120_000),
  RUN_MAX_TOKENS: whole(1, 1e9).optional(),
  RUN_MAX_USD: dollars.optional(),
  TOOL_TIMEOUT_MS: whole(10, 600_000).default(15_000),
  TOOL_OUTPUT_CHARS: whole(200, 100_000).default(4000),
  TOOLS: names.optional(),
  CUSTOM_TOOLS_DIR: z.string().refine(isFolder, 'a folder that is there and can be read').default('tools/custom'),
  MCP_CONFIG: z.string().optional(),
  MCP_TOOLS_MAX: whole(0, 1000).default(40),
  STEPS: oneOf(STEPS).default('replies'),
  STEPS_STREAM_CHANNELS: flag.default(false),
  FOLLOW_UPS: oneOf(FOLLOW_UPS).default('thread'),
  LINK_HOSTS: names.default([]),
  EXAMPLES_FILE: exampleQuestions.optional(),

  ALLOW_CHANNELS: channels.default([]),
  ALLOW_USERS: people.default([]),
  ALLOW_EXTERNAL: flag.default(false),
  ALLOW_BOTS: bots.default([]),
  APPROVERS: approvers.default([]),
  SETTINGS_BY: oneOf(['members', 'admins']).default('members'),

  // At most 30 days, which is how long a thread is remembered by default (HISTORY_TTL_DAYS).
  APPROVAL_HOURS: whole(1, 720).default(24),

  LIMIT_USER_HOUR: whole(1, 1_000_000).optional(),
  LIMIT_CHANNEL_HOUR: whole(1, 1_000_000).optional(),
  LIMIT_TEAM_RUNS: whole(1, 100_000).optional(),
  BUDGET_USER_DAY_TOKENS: whole(1, 1e12).optional(),
  BUDGET_TEAM_DAY_TOKENS: whole(1, 1e12).optional(),
  BUDGET_TEAM_DAY_USD: dollars.optional(),

  // At most as long as a waiting question is stored, because it identifies the conversation of a direct message.
  DM_MEMORY_MINUTES: whole(0, 10_080).default(60),
  HISTORY_TTL_DAYS: whole(1, 3650).default(30),
  RUN_TRACES: flag.default(false),

  WIKIPEDIA_API_URL: url('https', 'http').default('https://en.wikipedia.org/w/api.php'),
  ARXIV_API_URL: url('https', 'http').default('https://export.arxiv.org/api/query'),
  DUCKDUCKGO_URL: url('https', 'http').default('https://api.duckduckgo.com/'),
  SERPAPI_URL: url('https', 'http').default('https://serpapi.com/search.json'),
  SERPAPI_API_KEY: z.string().optional(),
  GITHUB_API_URL: url('https', 'http').default('https://api.github.com'),
  GITHUB_TOKEN: z.string().optional(),

  HTTPS_PROXY: url('http', 'https').optional(),
  NO_PROXY: z.string().optional(),
  LOG_LEVEL: oneOf(LOG_LEVELS).default('info'),
  METRICS_PORT: whole(0, 65535).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('https', 'http').optional(),
  OTEL_CAPTURE_CONTENT: flag.default(false),
  PLAYGROUND_PORT: whole(0, 65535).default(3210),
})

export type Config = z.infer<typeof schema>

/** All setting names, in the order of the documentation. */
export const SETTINGS = Object.keys(schema.shape)

/** Settings that may also come from a file, `NAME_FILE=/run/secrets/name`, as Docker and Kubernetes mount them. */
export const SECRETS = [
  ...['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'SLACK_SIGNING_SECRET', 'OPENAI_API_KEY', 'OPENAI_HEADERS'],
  ...['REDIS_URL', 'SERPAPI_API_KEY', 'GITHUB_TOKEN', 'SECRETS_KEY'],
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
  REDIS_SENTINELS: 'name the Sentinels in REDIS_URL, as redis+sentinel://host:26379,host:26379/master',
  REDIS_SENTINEL_NAME: 'name the master in the path of REDIS_URL, as redis+sentinel://host:26379/master/0',
  REDIS_SENTINEL_PASSWORD: 'append it to REDIS_URL, as redis+sentinel://…/master?sentinelPassword=…',
  REDIS_CLUSTER: 'begin REDIS_URL with redis+cluster:// or rediss+cluster://',
  FORGET_BY: 'an admin can let everyone forget a channel with /ask settings',
  HISTORY_MAX_TURNS: 'the last 20 turns of a conversation are kept',
  LIMIT_TEAM_DAY: 'set BUDGET_TEAM_DAY_TOKENS or BUDGET_TEAM_DAY_USD',
}

/** One sentence for each removed setting in the environment. */
export function droppedSettings(env: Env): string[] {
  const set = Object.entries(DROPPED).filter(([name]) => env[name]?.trim())
  return set.map(([name, instead]) => `${name} no longer exists: ${instead}.`)
}

/**
 * The process's environment over the `.env` file of the working directory, if there is one. Values in the environment
 * win.
 * @throws ConfigError if the file cannot be read
 */
export function readEnv(file = '.env', env: Env = process.env): Env {
  if (!existsSync(file)) return env
  try {
    return { ...parseDotenv(readFileSync(file)), ...env }
  } catch {
    throw new ConfigError(`${file} should be a file that can be read.`)
  }
}

/**
 * Checks the environment and fills in the defaults.
 * @throws ConfigError with one sentence per line for everything that is wrong
 */
export function loadConfig(env: Env, options: { serves?: boolean } = {}): Config {
  const problems: string[] = []
  const given = withSecretFiles(withoutBlanks(env), problems)
  // Further errors about a secret with a bad file would only repeat that.
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  const result = schema.safeParse(given)
  for (const issue of result.error?.issues ?? []) problems.push(`${issue.path.join('.')} should be ${issue.message}.`)
  if (result.data && options.serves) problems.push(...missing(result.data))
  if (problems.length > 0 || !result.data) throw new ConfigError(problems.join('\n'))
  return result.data
}

/** What is missing to serve Slack, one sentence each. */
function missing(config: Config): string[] {
  const problems: string[] = []
  if (!config.SLACK_BOT_TOKEN) problems.push('SLACK_BOT_TOKEN is missing: it should be the app’s bot token, xoxb-….')
  if (config.ROLE !== 'worker' && !config.SLACK_APP_TOKEN && !config.SLACK_SIGNING_SECRET)
    problems.push(
      'SLACK_APP_TOKEN is missing: it should be an app-level token, xapp-…, for Socket Mode; ' +
        'or set SLACK_SIGNING_SECRET to the app’s signing secret to take events over HTTP.',
    )
  if (config.ROLE !== 'front' && !config.OPENAI_API_KEY && !config.OPENAI_BASE_URL)
    problems.push(
      'OPENAI_API_KEY is missing: it should be your model provider’s key; ' +
        'or set OPENAI_BASE_URL to the address of a compatible endpoint that needs none.',
    )
  if (config.ROLE !== 'all' && !config.REDIS_URL)
    problems.push(
      `REDIS_URL is missing: ROLE=${config.ROLE} should have a Redis that it shares with the other processes.`,
    )
  return problems
}

/** Empty values count as unset: Compose and CI pass them for unset variables. */
function withoutBlanks(env: Env): Env {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''))
}

function withSecretFiles(env: Env, problems: string[]): Env {
  const out: Env = { ...env, HTTPS_PROXY: env.HTTPS_PROXY ?? env.https_proxy, NO_PROXY: env.NO_PROXY ?? env.no_proxy }
  for (const name of SECRETS) {
    const file = env[`${name}_FILE`]
    if (file === undefined || env[name] !== undefined) continue
    try {
      out[name] = readFileSync(file, 'utf8').trim()
    } catch {
      problems.push(`${name}_FILE should be a file that can be read.`)
      continue
    }
    if (out[name] === '') problems.push(`${name}_FILE should be a file that is not empty.`)
  }
  return out
}
