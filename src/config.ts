/**
 * Every setting of Thinkaloud, from the environment, checked once. The names are a public interface (README, .env.example).
 * This is the only reader of process.env; all other code gets the `Config` that `loadConfig` returns.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse as parseDotenv } from 'dotenv'
import { z } from 'zod'
import { approvers } from './base/approver-rules.ts'
import { ConfigError } from './base/errors.ts'
import { ROOT } from './base/package-root.ts'

export type Env = Record<string, string | undefined>

const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `a whole number from ${min} to ${max}`)

const dollars = z
  .string()
  .regex(/^\d+(\.\d+)?$/, 'an amount of dollars such as 12.50')
  .transform(Number)
  .refine((n) => n > 0, 'an amount of dollars such as 12.50')

const url = (...schemes: string[]) =>
  z.string().refine(
    (value) => {
      const at = URL.canParse(value) ? new URL(value) : undefined
      return at !== undefined && schemes.includes(at.protocol.slice(0, -1))
    },
    `an address that begins with ${schemes.map((s) => `${s}://`).join(' or ')}`,
  )

/** A header carries nothing but ASCII: the … of an example is no token. */
const token = (prefix: string) =>
  z
    .string()
    .startsWith(prefix, `a token that begins with ${prefix}`)
    .regex(/^[\x21-\x7e]*$/, `a token that begins with ${prefix} and holds letters, digits and - alone`)
const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, `one of ${values.join(', ')}`)
const names = z.string().transform((value) =>
  value
    .split(',')
    .map((s) => s.trim())
    .filter((s) => s !== ''),
)
/** Of Sentinels; a port may be left out, and IPv6 stands in brackets. */
const hosts = names.refine(
  (all) => all.every((one) => /^(\[[\da-f:.]+\]|[^\s:/@[\]]+)(:\d+)?$/i.test(one) && URL.canParse(`redis://${one}`)),
  'host:port of each, with commas, such as sentinel-1:26379,sentinel-2:26379',
)
/** What each name of a list is, or the sentence says what it should be. */
const listOf = (form: RegExp, what: string) => names.refine((all) => all.every((one) => form.test(one)), what)
const channels = listOf(
  /^(?:[CG][A-Z0-9]{5,}|dm)$/,
  'channel ids such as C0123456789, with commas; dm stands for direct messages',
)
/** Ids as they are, domains in lower case and without an @ before them. */
const people = listOf(
  /^(?:[UW][A-Z0-9]{5,}|@?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)$/,
  'ids of people such as U0123456789, or e-mail domains such as example.com, with commas',
).transform((all) => all.map((one) => (one.includes('.') ? one.replace('@', '').toLowerCase() : one)))
const bots = listOf(
  /^[BAUW][A-Z0-9]{5,}$/,
  'ids of bots, of their apps or of their users, such as B0123456789, with commas',
)
const flag = oneOf(['true', 'false']).transform((value) => value === 'true')

const headers = z.string().transform((value, context) => {
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(value))
  } catch {
    context.addIssue('a JSON object of header names and values, such as {"x-team": "search"}')
    return z.NEVER
  }
})

/** As OpenTelemetry's specification has it: `name=value,name=value`, values URL-encoded. */
const pairs = z
  .string()
  .regex(/^\s*[\w.-]+\s*=[^,\r\n]*(,\s*[\w.-]+\s*=[^,\r\n]*)*$/, 'headers in the form name=value,name=value')
  .transform((value) => Object.fromEntries(value.split(',').map((pair) => pairOf(pair))))

function pairOf(pair: string): [string, string] {
  const at = pair.indexOf('=')
  return [pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** From the project's folder, as what uses it does; the default one may be missing. */
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

/** One entry a variable. The shape of each value is the sentence that a wrong one is answered with. */
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

  REDIS_URL: url('redis', 'rediss').optional(),
  REDIS_PREFIX: z
    .string()
    .regex(/^[\w-]{1,40}$/, 'up to 40 letters, digits, - or _')
    .default('thinkaloud'),
  REDIS_SENTINELS: hosts.optional(),
  REDIS_SENTINEL_NAME: z.string().optional(),
  REDIS_SENTINEL_PASSWORD: z.string().optional(),
  REDIS_CLUSTER: flag.default(false),
  SECRETS_KEY: z.string().min(32, 'at least 32 characters, as `openssl rand -hex 32` makes them').optional(),
  ROLE: oneOf(['all', 'front', 'worker']).default('all'),
  WORKER_CONCURRENCY: whole(1, 1000).default(20),
  // Five thirds of it is when a dead worker's threads are another's at the latest (stores.ts): 30 s.
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

  ALLOW_CHANNELS: channels.default([]),
  ALLOW_USERS: people.default([]),
  ALLOW_EXTERNAL: flag.default(false),
  ALLOW_BOTS: bots.default([]),
  APPROVERS: approvers.default([]),
  FORGET_BY: oneOf(['admins', 'members']).default('admins'),
  SETTINGS_BY: oneOf(['members', 'admins']).default('members'),

  // At most 30 days: as long is a thread known (HISTORY_TTL_DAYS), by default.
  APPROVAL_HOURS: whole(1, 720).default(24),

  LIMIT_USER_HOUR: whole(1, 1_000_000).optional(),
  LIMIT_CHANNEL_HOUR: whole(1, 1_000_000).optional(),
  LIMIT_TEAM_DAY: whole(1, 10_000_000).optional(),
  LIMIT_TEAM_RUNS: whole(1, 100_000).optional(),
  BUDGET_USER_DAY_TOKENS: whole(1, 1e12).optional(),
  BUDGET_TEAM_DAY_TOKENS: whole(1, 1e12).optional(),
  BUDGET_TEAM_DAY_USD: dollars.optional(),

  // At most as long as a waiting question is kept: a conversation of a direct message is known by one.
  DM_MEMORY_MINUTES: whole(0, 10_080).default(60),
  HISTORY_TTL_DAYS: whole(1, 3650).default(30),
  HISTORY_MAX_TURNS: whole(1, 200).default(20),
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
  OTEL_EXPORTER_OTLP_HEADERS: pairs.optional(),
  OTEL_SERVICE_NAME: z.string().default('thinkaloud'),
  OTEL_CAPTURE_CONTENT: flag.default(false),
  PLAYGROUND_PORT: whole(0, 65535).default(3210),
})

export type Config = z.infer<typeof schema>

/** Every name that the environment may hold, in the order of the documentation. */
export const SETTINGS = Object.keys(schema.shape)

/** These may also come as a file's content, `NAME_FILE=/run/secrets/name`, as Docker and Kubernetes mount them. */
export const SECRETS = [
  ...['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'SLACK_SIGNING_SECRET', 'OPENAI_API_KEY', 'OPENAI_HEADERS'],
  ...['REDIS_URL', 'REDIS_SENTINEL_PASSWORD', 'SERPAPI_API_KEY', 'GITHUB_TOKEN', 'OTEL_EXPORTER_OTLP_HEADERS'],
  'SECRETS_KEY',
]

/** The values that no log may carry, whatever their form: secrets as they are set, header values, a password in an address. */
export function secretsOf(config: Config): string[] {
  const values = Object.entries(config).flatMap(([name, value]) => (SECRETS.includes(name) ? [value] : []))
  const texts = values.flatMap((value) => (typeof value === 'object' ? Object.values(value) : [String(value ?? '')]))
  const passwords = texts.flatMap((text) => (URL.canParse(text) ? [new URL(text).password] : []))
  return [...texts, ...passwords.flatMap((password) => [password, decoded(password)])].filter((text) => text !== '')
}

/**
 * The process's environment over the `.env` file, if there is one in the working directory.
 * Values already set in the environment win, as everywhere. @throws ConfigError where it cannot be read.
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
 * Checks the environment and fills the defaults.
 * @throws ConfigError with one sentence a line for everything that is wrong.
 */
export function loadConfig(env: Env, options: { serves?: boolean } = {}): Config {
  const problems: string[] = []
  const given = withSecretFiles(withoutBlanks(env), problems)
  // What else is said of a secret whose file is bad would only repeat it.
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  const result = schema.safeParse(given)
  for (const issue of result.error?.issues ?? []) problems.push(`${issue.path.join('.')} should be ${issue.message}.`)
  if (result.data && options.serves) problems.push(...missing(result.data))
  if (problems.length > 0 || !result.data) throw new ConfigError(problems.join('\n'))
  return result.data
}

/** What a bot that serves Slack cannot do without; each missing thing is one sentence. */
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

/** An empty value is no value: Compose and CI pass those for what is not set. */
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
