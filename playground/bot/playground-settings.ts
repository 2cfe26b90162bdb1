/** The settings of the playground's bot, and the notes about them. */
import type { Config, Env } from '../../src/config.ts'
import type { Network } from '../../src/base/http/proxy.ts'
import { DEMO_DIALECT } from '../demo/demo-model.ts'
import { CAROL } from '../slack/example-workspace.ts'
import { forwardUpstream } from '../model/forward-upstream.ts'
import type { Upstream } from '../model/model-pieces.ts'
import type { LocalSlack } from '../slack/slack.ts'

/** The simulated services that replace those of the operator's settings. */
interface SimulatedServices {
  slack: LocalSlack
  wikiUrl: string
  modelUrl: string
  /** The file of the playground's own MCP servers; absent if the operator names others. */
  mcpConfig: string | undefined
  redisUrl: string | undefined
  isDemo: boolean
}

/** The operator's endpoint, with their key. */
export function realModel(config: Config, net: Network): Upstream {
  const { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: apiKey, OPENAI_HEADERS: headers } = config
  return forwardUpstream({ baseUrl, apiKey, headers, fetch: net.fetch ?? globalThis.fetch })
}

/** Settings that the playground sets itself. With the demo, also those that name or price other models. */
const NOT_TAKEN = /^(?:SLACK_|REDIS_|ROLE$|PORT$|OPENAI_(?:API_KEY|BASE_URL|HEADERS)$)/
const NOT_FOR_DEMO = /^(?:OPENAI_(?:MODEL|CONDENSE_MODEL|FALLBACK_MODEL)|RUN_MAX_USD|BUDGET_TEAM_DAY_USD|PRICES_FILE)$/

/**
 * Returns the operator's settings, with the local Slack in place of theirs, in memory or with the playground's Redis.
 */
export function botSettings(env: Env, played: SimulatedServices): Env {
  const { slack, wikiUrl, modelUrl, mcpConfig, redisUrl, isDemo } = played
  const isTaken = (name: string) => !NOT_TAKEN.test(name) && !(isDemo && NOT_FOR_DEMO.test(name))
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => isTaken(name)))
  return {
    LOG_LEVEL: 'warn',
    WIKIPEDIA_API_URL: wikiUrl,
    // The simulated web: the wiki's pages at their own addresses.
    READ_INTERNAL_HOSTS: new URL(wikiUrl).host,
    APPROVERS: CAROL,
    ...own,
    ...(mcpConfig !== undefined && { MCP_CONFIG: mcpConfig }),
    ...(isDemo && { OPENAI_MODEL: 'demo', AGENT_DIALECT: DEMO_DIALECT }),
    OPENAI_BASE_URL: modelUrl,
    // Slack and Wikipedia are on this machine, so they need no proxy.
    NO_PROXY: [env['NO_PROXY'] ?? env['no_proxy'], '127.0.0.1'].filter(Boolean).join(','),
    SLACK_API_URL: slack.apiUrl,
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_APP_TOKEN: slack.appToken,
    HOST: '127.0.0.1',
    PORT: '0',
    ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
  }
}

/** The subject of the notes. `given` are the operator's own settings, `config` the bot's. */
interface PlaygroundSetup {
  given: Config
  config: Config
  isDemo: boolean
  /** The number of pages of the simulated Wikipedia; 0 if a real one is used. */
  pages: number
  /** The addresses of the simulated web. */
  web: string[]
  hasNotes: boolean
}

/**
 * Returns the notes that are printed at the start and shown on the page. They keep people from mistaking the demo for a
 * model, or this Slack for their own.
 */
export function notesOf({ given, config, isDemo, pages, web, hasNotes }: PlaygroundSetup): string[] {
  const host = given.OPENAI_BASE_URL ? ` at ${new URL(given.OPENAI_BASE_URL).host}` : ''
  const model = isDemo
    ? 'Model: the built-in demo: recordings and a few rules, no language model. Set OPENAI_API_KEY or OPENAI_BASE_URL for real answers.'
    : `Model: ${given.OPENAI_MODEL}${host}, real.`
  const wikipedia =
    pages > 0
      ? `Simulated: Wikipedia, with ${pages} short pages. Set WIKIPEDIA_API_URL for a real one.`
      : 'Real: Wikipedia, at WIKIPEDIA_API_URL.'
  return [
    model,
    'Simulated: Slack. Its Web API, events, commands and this page run on this machine. Nothing is sent to slack.com.',
    wikipedia,
    `Simulated: a web site, whose pages the bot can read: ${web.join(', ')}.`,
    'Real: the bot. It is the same Bolt app, over Socket Mode, with the same prompts, reasoning loop and tools as in your workspace. Conversations are kept in memory, or with --redis in a Redis that ends with the playground.',
    'Simulated: the people. Alice and Bob are members, Carol is an admin, Dave is a guest, and Erin is from Acme, which shares #acme by Slack Connect. Choose at the top whom you act as; “Side by side” shows two people at once.',
    ...(hasNotes
      ? [`Simulated: an MCP server that keeps notes. “Note down: buy milk” waits until ${whoDecides(config)}.`]
      : []),
  ]
}

function whoDecides({ APPROVERS }: Config): string {
  const isCarols = APPROVERS.some(({ name, ids }) => name === undefined && ids.includes(CAROL))
  return isCarols ? 'whoever asked, or Carol, allows it. Nobody else can' : 'somebody whom APPROVERS names allows it'
}
