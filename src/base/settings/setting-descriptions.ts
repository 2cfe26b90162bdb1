/**
 * Describes each setting in one sentence, grouped by how likely an operator is to set it. `.env.example` and the
 * documentation are made from it.
 */
export const SETTING_DESCRIPTIONS = {
  needed: {
    SLACK_BOT_TOKEN: 'The app’s bot token, xoxb-….',
    SLACK_APP_TOKEN: 'An app-level token, xapp-…, for Socket Mode. It takes precedence over HTTP.',
    SLACK_SIGNING_SECRET: 'The app’s signing secret, for events over HTTP at /slack/events instead.',
    OPENAI_API_KEY: 'The API key of your model provider, unless OPENAI_BASE_URL needs none.',
    OPENAI_BASE_URL: 'The address of any OpenAI-compatible endpoint. Default: OpenAI.',
    OPENAI_MODEL: 'The model that answers.',
  },
  common: {
    OPENAI_CONDENSE_MODEL: 'A cheaper model that rewrites follow-up questions. Default: OPENAI_MODEL.',
    TRANSCRIBE_MODEL: 'The model that transcribes recordings without a transcript of Slack. Default: none.',
    OPENAI_FALLBACK_MODEL: 'The model to use when OPENAI_MODEL fails or stays silent.',
    PRICES_FILE: 'A JSON file with prices in dollars per million tokens: {"gpt-5-mini": {"in": 0.25, "out": 2}}.',
    LOCAL_MODEL_PORTS:
      'Ports of this machine where npm run slack and the playground look for a model that is already there; 0 for none.',
    REDIS_URL:
      'Keeps conversations and work across restarts: redis://host:6379, rediss:// for TLS, redis+cluster://host:6379, ' +
      'or redis+sentinel://host:26379,host:26379/master. Default: memory.',
    SECRETS_KEY:
      'Encrypts what Redis keeps of installations, logins, search permissions, schedules, memory, files and traces. ' +
      'At least 32 characters: openssl rand -hex 32.',
    AGENT_DIALECT:
      'How the model is prompted: text, json, docstore, bracket, self-ask, conversational, native, structured, or auto (the best that works).',
    INSTRUCTIONS_FILE: 'A text file with instructions for every answer, in all channels.',
    AGENT_MAX_STEPS: 'Steps per question before the model must answer.',
    AGENT_TIMEOUT_MS: 'Milliseconds per question before the model must answer.',
    RUN_MAX_USD: 'Dollars per question before the model must answer. Needs PRICES_FILE.',
    TOOLS: 'The tools to use, separated by commas. Default: see docs/tools.md.',
    CUSTOM_TOOLS_DIR: 'The folder with your own tools.',
    SKILLS_DIR: 'The folder with your skills, each a folder with a SKILL.md. It may be missing.',
    MCP_CONFIG: 'A JSON file of MCP servers, {"mcpServers": {…}}, whose tools the agent can use.',
    STEPS: 'How steps are shown: replies (a message each), card (one message), stream (one growing message) or hidden.',
    FIGURES: 'on or off: whether a line below an answer counts figures without a source.',
    FOOTER: 'short, or full: steps, seconds, tokens and cost below each answer too. Show work has them in any case.',
    FOLLOW_UPS: 'thread: replies in a thread need no mention. mention: they do.',
    EXAMPLES_FILE: 'A text file of up to 10 questions, one per line, to suggest on the Home and in direct messages.',
    ALLOW_CHANNELS:
      'Ids of the channels where the bot answers, separated by commas; dm for direct messages. Default: all.',
    ALLOW_USERS:
      'Who may ask: ids of people or user groups, or e-mail domains, separated by commas. Default: everyone in the workspace.',
    ALLOW_EXTERNAL: 'true lets guests and people of connected workspaces ask too.',
    APPROVERS:
      'Who besides the asker may approve tool calls: ids of people or user groups, separated by commas. NAME=ID|ID for one ' +
      'server or tool (files__* for all that begin so); not-asker excludes the asker.',
    SETTINGS_BY: 'Who may change a channel’s settings (/ask settings): members of the channel, or admins.',
    SCHEDULES_PER_USER: 'Schedules that a person may have. 0 turns schedules off.',
    SCHEDULE_MIN_MINUTES: 'The shortest time between two runs of a schedule, in minutes.',
    LIMIT_USER_HOUR: 'Questions per person and hour.',
    LIMIT_CHANNEL_HOUR: 'Questions per channel and hour.',
    BUDGET_USER_DAY_TOKENS: 'Tokens per person and day.',
    BUDGET_TEAM_DAY_TOKENS: 'Tokens per workspace and day.',
    BUDGET_TEAM_DAY_USD: 'Dollars per workspace and day. Needs PRICES_FILE.',
    HISTORY_TTL_DAYS: 'Days until an idle conversation is forgotten.',
    MEMORY_TTL_DAYS: 'Days until something that people told the bot to remember is forgotten if no answer uses it.',
    SEARCH_ENGINE:
      'The engine of the tool search: searxng, brave, tavily, exa, serper, serpapi or custom. It turns the tool on.',
    SEARCH_API_KEY: 'The key of SEARCH_ENGINE. It is sent in a header, except to SerpApi.',
    SERPAPI_API_KEY: 'A SerpApi key. It turns on the tool search if SEARCH_ENGINE is not set.',
    GITHUB_TOKEN: 'A GitHub token, for more than 60 look-ups an hour.',
    HTTPS_PROXY: 'A proxy for all outgoing connections: Slack, the model, the tools.',
    NO_PROXY: 'Hosts to reach without the proxy, separated by commas.',
    LOG_LEVEL: 'How much is logged: fatal, error, warn, info, debug, trace or silent.',
    METRICS_PORT: 'The port for Prometheus: /metrics, /healthz and /readyz. Default: off.',
  },
  advanced: {
    SLACK_CLIENT_ID: 'The client id of a distributed app for many workspaces, in place of SLACK_BOT_TOKEN.',
    SLACK_CLIENT_SECRET: 'The client secret of the distributed app.',
    PUBLIC_URL:
      'The https address at which people install the bot and log in to services, such as https://bot.example.com.',
    ALLOW_TEAMS:
      'Ids of the workspaces and organisations that may install the distributed app, separated by commas; * for any.',
    SLACK_APPS:
      'A JSON file of apps for many workspaces, in place of the tokens above: ' +
      '{"apps": [{"name", "botToken", "appToken" | "signingSecret"}]}.',
    SLACK_API_URL: 'The address of Slack’s Web API.',
    PORT: 'The port for /healthz and /readyz, and for /slack/events over HTTP.',
    HOST: 'The address to listen on.',
    OPENAI_API: 'The API of the endpoint: chat (chat completions), responses, or auto (responses if it works).',
    OPENAI_REASONING_EFFORT:
      'How much a reasoning model thinks: none, minimal, low, medium, high, xhigh or max. Default: the model’s own.',
    OPENAI_HEADERS: 'Extra headers for a gateway, as a JSON object.',
    OPENAI_STREAM: 'false requests whole answers instead of streams.',
    OPENAI_CONTEXT_TOKENS:
      'How many tokens OPENAI_MODEL takes at once, so that longer prompts are shortened. Default: as the endpoint says.',
    REDIS_PREFIX: 'The prefix of every Redis key.',
    SECRETS_KEY_OLD: 'The previous SECRETS_KEY, to read what it encrypted.',
    ROLE: 'front receives events, worker answers, all does both.',
    WORKER_CONCURRENCY: 'Questions that one process answers at the same time.',
    WORKER_LOCK_MS: 'Milliseconds before another worker takes over the threads of a silent one. At most 18000.',
    SHUTDOWN_MS: 'Milliseconds that running questions have to finish after SIGTERM.',
    RUN_MAX_TOKENS: 'Tokens per question before the model must answer, without the answer.',
    TOOL_TIMEOUT_MS: 'Milliseconds that one tool call may take.',
    TOOL_OUTPUT_CHARS: 'Characters of a tool’s output that the model reads. The middle of a longer one is cut.',
    MCP_TOOLS_MAX: 'With more MCP tools than this, the model gets one line for each and asks for details.',
    STEPS_STREAM_CHANNELS:
      'true streams in channels too, where only the asker sees the message grow. false shows a card.',
    ASK_REACTION: 'An emoji such as robot_face. A person who reacts with it to a message asks about that message.',
    LINK_HOSTS: 'Hosts that answers may always link to, separated by commas; *.example.com includes subdomains.',
    ALLOW_BOTS: 'Ids of other bots that may ask by mention, at most three times in a row in a thread.',
    APPROVAL_HOURS: 'Hours that a run waits for a person to approve or answer.',
    LIMIT_TEAM_RUNS: 'Questions that a workspace may have running at the same time.',
    DM_MEMORY_MINUTES:
      'The most minutes between two direct messages of one conversation. 0: every message starts its own.',
    RUN_TRACES: 'true keeps what each run exchanged with models and tools: npm run runs -- trace ID.',
    WIKIPEDIA_API_URL: 'The api.php of any MediaWiki (1.39 or newer, with the extension TextExtracts).',
    ARXIV_API_URL: 'The address of arXiv’s query interface, or of a mirror.',
    DUCKDUCKGO_URL: 'The address of DuckDuckGo’s instant answers.',
    SEARCH_URL:
      'The address of the search engine: the root of a SearXNG, or for custom one with {query} in it, such as ' +
      'https://search.example.com/api?q={query}.',
    SEARCH_FIELDS:
      'For SEARCH_ENGINE=custom, where the answer has the results: list=data.items,title=name,url=link,snippet=text,' +
      'date=published. key=X-Api-Key names the header of the key (default: Authorization).',
    READ_HOSTS:
      'The only hosts whose pages may be read, separated by commas; *.example.com includes subdomains. Default: all ' +
      'public ones.',
    READ_INTERNAL_HOSTS:
      'Hosts on your own network whose pages may be read by everyone who may ask, such as wiki.example.com:8443.',
    READ_INTERNAL_HEADERS: 'Headers for READ_INTERNAL_HOSTS, such as a token, as a JSON object.',
    SERPAPI_URL: 'The address of SerpApi.',
    GITHUB_API_URL: 'The address of GitHub’s API, or of a GitHub Enterprise Server.',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'Where to send OpenTelemetry traces (OTLP over HTTP). Default: off.',
    OTEL_CAPTURE_CONTENT: 'true includes questions and answers in traces.',
    PLAYGROUND_PORT: 'The port of the playground’s page.',
  },
} as const
