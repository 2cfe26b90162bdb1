/**
 * Every setting, with its allowed values and a sentence. The documentation and `.env.example` are made of the comments
 * (test/harness/settings-page.ts): `@needed`, `@common` and `@advanced` say how likely an operator is to set it.
 */
import { z } from 'zod'
import { parseRedisUrl, REDIS_URL_FORM } from '../redis/redis-url.ts'
import { approvers } from './approver-rules.ts'
import * as is from './setting-validators.ts'

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
export const settingSchema = z.object({
  /** @needed The app’s bot token, xoxb-…. */
  SLACK_BOT_TOKEN: is.token('xoxb-').optional(),
  /** @needed An app-level token, xapp-…, for Socket Mode. It takes precedence over HTTP. */
  SLACK_APP_TOKEN: is.token('xapp-').optional(),
  /** @needed The app’s signing secret, for events over HTTP at /slack/events instead. */
  SLACK_SIGNING_SECRET: is.text,
  /** @advanced The client id of a distributed app for many workspaces, in place of SLACK_BOT_TOKEN. */
  SLACK_CLIENT_ID: is.text,
  /** @advanced The client secret of the distributed app. */
  SLACK_CLIENT_SECRET: is.text,
  /**
   * @advanced The https address at which people install the bot and log in to services, such as
   * https://bot.example.com.
   */
  PUBLIC_URL: is.address.optional(),
  /**
   * @advanced Ids of the workspaces and organisations that may install the distributed app, separated by commas; * for
   * any.
   */
  ALLOW_TEAMS: is.teams.default([]),
  /**
   * @advanced A JSON file of apps for many workspaces, in place of the tokens above: {"apps": [{"name", "botToken",
   * "appToken" | "signingSecret"}]}.
   */
  SLACK_APPS: is.text,
  /** @advanced The address of Slack’s Web API. */
  SLACK_API_URL: is.address.default('https://slack.com/api/'),
  /** @advanced The port for /healthz and /readyz, and for /slack/events over HTTP. */
  PORT: is.whole(0, 65535).default(3000),
  /** @advanced The address to listen on. */
  HOST: z.string().default('0.0.0.0'),

  /** @needed The API key of your model provider, unless OPENAI_BASE_URL needs none. */
  OPENAI_API_KEY: is.text,
  /** @needed The address of any OpenAI-compatible endpoint. Default: OpenAI. */
  OPENAI_BASE_URL: is.address.optional(),
  /** @needed The model that answers. */
  OPENAI_MODEL: z.string().default('gpt-5-mini'),
  /** @advanced The API of the endpoint: chat (chat completions), responses, or auto (responses if it works). */
  OPENAI_API: is.oneOf(['chat', 'responses', 'auto']).default('chat'),
  /**
   * @advanced How much a reasoning model thinks: none, minimal, low, medium, high, xhigh or max. Default: the model’s
   * own.
   */
  OPENAI_REASONING_EFFORT: is.oneOf(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).optional(),
  /** @common A cheaper model that rewrites follow-up questions. Default: OPENAI_MODEL. */
  OPENAI_CONDENSE_MODEL: is.text,
  /** @common The model that transcribes recordings without a transcript of Slack. Default: none. */
  TRANSCRIBE_MODEL: is.text,
  /** @common The model to use when OPENAI_MODEL fails or stays silent. */
  OPENAI_FALLBACK_MODEL: is.text,
  /** @advanced Extra headers for a gateway, as a JSON object. */
  OPENAI_HEADERS: is.headers.optional(),
  /** @advanced false requests whole answers instead of streams. */
  OPENAI_STREAM: is.flag.default(true),
  /**
   * @advanced How many tokens OPENAI_MODEL takes at once, so that longer prompts are shortened. Default: as the
   * endpoint says.
   */
  OPENAI_CONTEXT_TOKENS: is.whole(1_000, 20_000_000).optional(),
  /** @common A JSON file with prices in dollars per million tokens: {"gpt-5-mini": {"in": 0.25, "out": 2}}. */
  PRICES_FILE: is.text,
  /**
   * @common Ports of this machine where npm run slack and the playground look for a model that is already there; 0 for
   * none.
   */
  LOCAL_MODEL_PORTS: is.ports.default(['11434', '1234', '8080', '8000']),

  /**
   * @common Keeps conversations and work across restarts: redis://host:6379, rediss:// for TLS,
   * redis+cluster://host:6379, or redis+sentinel://host:26379,host:26379/master. Default: memory.
   */
  REDIS_URL: z
    .string()
    .refine((value) => parseRedisUrl(value) !== undefined, REDIS_URL_FORM)
    .optional(),
  /** @advanced The prefix of every Redis key. */
  REDIS_PREFIX: z
    .string()
    .regex(/^[\w-]{1,40}$/, 'at most 40 letters, digits, - and _')
    .default('thinkaloud'),
  /**
   * @common Encrypts what Redis keeps of installations, logins, search permissions, schedules, memory, files and
   * traces. At least 32 characters: openssl rand -hex 32.
   */
  SECRETS_KEY: is.secretsKey.optional(),
  /** @advanced The previous SECRETS_KEY, to read what it encrypted. */
  SECRETS_KEY_OLD: is.secretsKey.optional(),
  /** @advanced front receives events, worker answers, all does both. */
  ROLE: is.oneOf(['all', 'front', 'worker']).default('all'),
  /** @advanced Questions that one process answers at the same time. */
  WORKER_CONCURRENCY: is.whole(1, 1000).default(20),
  // Another worker takes over a dead worker's threads after at most five thirds of it (question/stores/open-redis.ts):
  // 30 s.
  /** @advanced Milliseconds before another worker takes over the threads of a silent one. At most 18000. */
  WORKER_LOCK_MS: is.whole(1_000, 18_000).default(15_000),
  /** @advanced Milliseconds that running questions have to finish after SIGTERM. */
  SHUTDOWN_MS: is.whole(0, 600_000).default(25_000),

  /**
   * @common How the model is prompted: text, json, docstore, bracket, self-ask, conversational, native, structured, or
   * auto (the best that works).
   */
  AGENT_DIALECT: is.oneOf([...DIALECT_NAMES, 'auto']).default('text'),
  /** @common A text file with instructions for every answer, in all channels. */
  INSTRUCTIONS_FILE: is.text,
  /** @common Steps per question before the model must answer. */
  AGENT_MAX_STEPS: is.whole(1, 100).default(8),
  /** @common Milliseconds per question before the model must answer. */
  AGENT_TIMEOUT_MS: is.whole(100, 3_600_000).default(120_000),
  /** @advanced Tokens per question before the model must answer, without the answer. */
  RUN_MAX_TOKENS: is.whole(1, 1e9).optional(),
  /** @common Dollars per question before the model must answer. Needs PRICES_FILE. */
  RUN_MAX_USD: is.dollars.optional(),
  /** @advanced Milliseconds that one tool call may take. */
  TOOL_TIMEOUT_MS: is.whole(10, 600_000).default(15_000),
  /** @advanced Characters of a tool’s output that the model reads. The middle of a longer one is cut. */
  TOOL_OUTPUT_CHARS: is.whole(200, 100_000).default(4000),
  /** @common The tools to use, separated by commas. Default: see docs/tools.md. */
  TOOLS: is.names.optional(),
  /** @common The folder with your own tools. */
  CUSTOM_TOOLS_DIR: is.folder.default('tools/custom'),
  /** @common The folder with your skills, each a folder with a SKILL.md. It may be missing. */
  SKILLS_DIR: z.string().default('skills'),
  /** @common A JSON file of MCP servers, {"mcpServers": {…}}, whose tools the agent can use. */
  MCP_CONFIG: is.text,
  /** @advanced With more MCP tools than this, the model gets one line for each and asks for details. */
  MCP_TOOLS_MAX: is.whole(0, 1000).default(40),
  /**
   * @common How steps are shown: replies (a message each), card (one message), stream (one growing message) or hidden.
   */
  STEPS: is.oneOf(STEPS).default('replies'),
  /** @advanced true streams in channels too, where only the asker sees the message grow. false shows a card. */
  STEPS_STREAM_CHANNELS: is.flag.default(false),
  /** @common on or off: whether a line below an answer counts figures without a source. */
  FIGURES: is.oneOf(['on', 'off']).default('on'),
  /** @common short, or full: steps, seconds, tokens and cost below each answer too. Show work has them in any case. */
  FOOTER: is.oneOf(['short', 'full']).default('short'),
  /** @common thread: replies in a thread need no mention. mention: they do. */
  FOLLOW_UPS: is.oneOf(FOLLOW_UPS).default('thread'),
  /** @advanced An emoji such as robot_face. A person who reacts with it to a message asks about that message. */
  ASK_REACTION: is.emoji.optional(),
  /** @advanced Hosts that answers may always link to, separated by commas; *.example.com includes subdomains. */
  LINK_HOSTS: is.names.default([]),
  /** @common A text file of up to 10 questions, one per line, to suggest on the Home and in direct messages. */
  EXAMPLES_FILE: is.exampleQuestions.optional(),

  /** @common Ids of the channels where the bot answers, separated by commas; dm for direct messages. Default: all. */
  ALLOW_CHANNELS: is.channels.default([]),
  /**
   * @common Who may ask: ids of people or user groups, or e-mail domains, separated by commas. Default: everyone in the
   * workspace.
   */
  ALLOW_USERS: is.people.default([]),
  /** @common true lets guests and people of connected workspaces ask too. */
  ALLOW_EXTERNAL: is.flag.default(false),
  /** @advanced Ids of other bots that may ask by mention, at most three times in a row in a thread. */
  ALLOW_BOTS: is.bots.default([]),
  /**
   * @common Who besides the asker may approve tool calls: ids of people or user groups, separated by commas. NAME=ID|ID
   * for one server or tool (files__* for all that begin so); not-asker excludes the asker.
   */
  APPROVERS: approvers.default([]),
  /** @common Who may change a channel’s settings (/ask settings): members of the channel, or admins. */
  SETTINGS_BY: is.oneOf(['members', 'admins']).default('members'),

  // At most 30 days, which is how long a thread is remembered by default (HISTORY_TTL_DAYS).
  /** @advanced Hours that a run waits for a person to approve or answer. */
  APPROVAL_HOURS: is.whole(1, 720).default(24),

  /** @common Schedules that a person may have. 0 turns schedules off. */
  SCHEDULES_PER_USER: is.whole(0, 1_000).default(5),
  /** @common The shortest time between two runs of a schedule, in minutes. */
  SCHEDULE_MIN_MINUTES: is.whole(1, 10_080).default(15),

  /** @common Questions per person and hour. */
  LIMIT_USER_HOUR: is.whole(1, 1_000_000).optional(),
  /** @common Questions per channel and hour. */
  LIMIT_CHANNEL_HOUR: is.whole(1, 1_000_000).optional(),
  /** @advanced Questions that a workspace may have running at the same time. */
  LIMIT_TEAM_RUNS: is.whole(1, 100_000).optional(),
  /** @common Tokens per person and day. */
  BUDGET_USER_DAY_TOKENS: is.whole(1, 1e12).optional(),
  /** @common Tokens per workspace and day. */
  BUDGET_TEAM_DAY_TOKENS: is.whole(1, 1e12).optional(),
  /** @common Dollars per workspace and day. Needs PRICES_FILE. */
  BUDGET_TEAM_DAY_USD: is.dollars.optional(),

  // At most as long as a waiting question is stored, because it identifies the conversation of a direct message.
  /** @advanced The most minutes between two direct messages of one conversation. 0: every message starts its own. */
  DM_MEMORY_MINUTES: is.whole(0, 10_080).default(60),
  /** @common Days until an idle conversation is forgotten. */
  HISTORY_TTL_DAYS: is.whole(1, 3650).default(30),
  /** @common Days until something that people told the bot to remember is forgotten if no answer uses it. */
  MEMORY_TTL_DAYS: is.whole(1, 3650).default(365),
  /** @advanced true keeps what each run exchanged with models and tools: npm run runs -- trace ID. */
  RUN_TRACES: is.flag.default(false),

  /** @advanced The api.php of any MediaWiki (1.39 or newer, with the extension TextExtracts). */
  WIKIPEDIA_API_URL: is.address.default('https://en.wikipedia.org/w/api.php'),
  /** @advanced The address of arXiv’s query interface, or of a mirror. */
  ARXIV_API_URL: is.address.default('https://export.arxiv.org/api/query'),
  /** @advanced The address of DuckDuckGo’s instant answers. */
  DUCKDUCKGO_URL: is.address.default('https://api.duckduckgo.com/'),
  /**
   * @common The engine of the tool search: searxng, brave, tavily, exa, serper, serpapi or custom. It turns the tool
   * on.
   */
  SEARCH_ENGINE: is.oneOf(['searxng', 'brave', 'tavily', 'exa', 'serper', 'serpapi', 'custom']).optional(),
  /** @common The key of SEARCH_ENGINE. It is sent in a header, except to SerpApi. */
  SEARCH_API_KEY: is.text,
  /**
   * @advanced The address of the search engine: the root of a SearXNG, or for custom one with {query} in it, such as
   * https://search.example.com/api?q={query}.
   */
  SEARCH_URL: is.address.optional(),
  /**
   * @advanced For SEARCH_ENGINE=custom, where the answer has the results:
   * list=data.items,title=name,url=link,snippet=text,date=published. key=X-Api-Key names the header of the key
   * (default: Authorization).
   */
  SEARCH_FIELDS: is.text,
  /**
   * @advanced The only hosts whose pages may be read, separated by commas; *.example.com includes subdomains. Default:
   * all public ones.
   */
  READ_HOSTS: is.names.default([]),
  /**
   * @advanced Hosts on your own network whose pages may be read by everyone who may ask, such as wiki.example.com:8443.
   */
  READ_INTERNAL_HOSTS: is.hosts.default([]),
  /** @advanced Headers for READ_INTERNAL_HOSTS, such as a token, as a JSON object. */
  READ_INTERNAL_HEADERS: is.headers.optional(),
  /** @advanced The address of SerpApi. */
  SERPAPI_URL: is.address.default('https://serpapi.com/search.json'),
  /** @common A SerpApi key. It turns on the tool search if SEARCH_ENGINE is not set. */
  SERPAPI_API_KEY: is.text,
  /** @advanced The address of GitHub’s API, or of a GitHub Enterprise Server. */
  GITHUB_API_URL: is.address.default('https://api.github.com'),
  /** @common A GitHub token, for more than 60 look-ups an hour. */
  GITHUB_TOKEN: is.text,

  /** @common A proxy for all outgoing connections: Slack, the model, the tools. */
  HTTPS_PROXY: is.url('http', 'https').optional(),
  /** @common Hosts to reach without the proxy, separated by commas. */
  NO_PROXY: is.text,
  /** @common How much is logged: fatal, error, warn, info, debug, trace or silent. */
  LOG_LEVEL: is.oneOf(LOG_LEVELS).default('info'),
  /** @common The port for Prometheus: /metrics, /healthz and /readyz. Default: off. */
  METRICS_PORT: is.whole(0, 65535).optional(),
  /** @advanced Where to send OpenTelemetry traces (OTLP over HTTP). Default: off. */
  OTEL_EXPORTER_OTLP_ENDPOINT: is.address.optional(),
  /** @advanced true includes questions and answers in traces. */
  OTEL_CAPTURE_CONTENT: is.flag.default(false),
  /** @advanced The port of the playground’s page. */
  PLAYGROUND_PORT: is.whole(0, 65535).default(3210),
})
