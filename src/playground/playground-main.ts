/**
 * `npm run playground`: the local Slack, a played Wikipedia and the page, with the real bot between them. The only file of
 * this room that knows the bot: it hands it settings, as an operator would.
 */
import type { BotOptions } from '../bot.ts'
import { loadConfig, readEnv, secretsOf, type Config, type Env } from '../config.ts'
import { ConfigError, messageOf } from '../errors.ts'
import { createLog } from '../log.ts'
import { createNetwork, type Network } from '../proxy.ts'
import { createStores } from '../stores.ts'
import { demoUpstream } from './demo-upstream.ts'
import { forwardUpstream } from './forward-upstream.ts'
import { hoodPart } from './hood-part.ts'
import { createJournal, type Journal } from './journal.ts'
import { journalTraces } from './journal-traces.ts'
import { startModelEndpoint, type Upstream } from './model-endpoint.ts'
import { startPage } from './page-server.ts'
import { startLocalSlack, type LocalSlack } from './slack.ts'
import { toolRunner } from './tool-again.ts'
import { startWiki } from './wiki.ts'
import { promptsPart } from './with-bot/prompts-part.ts'
import { runBotHere, type RunBot } from './with-bot/run-bot.ts'
import { recordPlayground } from './with-bot/record-playground.ts'
import { WORKSPACE } from './with-bot/replay-bot.ts'
import { conversationIn, showConversation } from './with-bot/show-conversation.ts'

/** So that a person sees the demo's words come. */
const DEMO_PACE_MS = 15

/** Questions that show what there is: several steps, a sum, a chain, a fact, a person. */
const EXAMPLES = [
  'Author David Chanoff has collaborated with a U.S. Navy admiral who served as the ambassador to the United Kingdom under which President?',
  'What is 29 to the power 0.23, and half of it?',
  'Who is Olivia Wilde’s boyfriend? What is his current age raised to the 0.23 power?',
  'What is the world record for solving a Rubik’s Cube?',
  'Who was Ada Lovelace?',
]

/** What the app's manifest offers in the menu of a message. */
const SHORTCUTS = [{ callback_id: 'thinkaloud_ask_about', name: 'Ask about this message' }]

/** How the bot tells the traces of its runs. */
interface Traced {
  onTrace: ReturnType<typeof journalTraces>
}

export interface PlaygroundOptions {
  /** The demo's pause between two words. */
  paceMs?: number
  runBot?: RunBot
  /** Folders in place of the checkout's. */
  conversations?: string
  prompts?: string
}

/** A playground that runs. */
export interface Playground {
  url: string
  slack: LocalSlack
  /** What has passed so far. */
  journal: Journal
  /** What is told at the start, a line each. */
  notes: string[]
  stop(): Promise<void>
}

/**
 * Starts everything on 127.0.0.1. `env` is an operator's: a model that it names is used, and a Wikipedia that it names;
 * its Slack and its Redis are not.
 * @throws ConfigError
 */
export async function startPlayground(
  env: Env,
  { paceMs = DEMO_PACE_MS, runBot = runBotHere, ...folders }: PlaygroundOptions = {},
): Promise<Playground> {
  const given = loadConfig(env)
  const isDemo = !given.OPENAI_API_KEY && !given.OPENAI_BASE_URL
  const journal = createJournal()
  for (const secret of secretsOf(given)) journal.hide(secret, '(a secret of the settings)')
  const net = await createNetwork(given)
  const slack = await startLocalSlack({ ...WORKSPACE, journal })
  const wiki = await startWiki()
  const upstream = isDemo ? demoUpstream({ paceMs }) : realModel(given, net)
  const model = await startModelEndpoint({ upstream, journal })
  const settings = botSettings(env, { slack, wikiUrl: wiki.url, modelUrl: model.url, isDemo })
  const config = loadConfig(settings)
  const recording = recordPlayground(slack, {
    journal,
    settings,
    secrets: secretsOf(given),
    folder: folders.conversations,
  })
  const tools = toolRunner(config, net)
  const stops = [() => slack.close(), () => wiki.close(), () => model.close(), () => tools.close()]
  const stop = async () => {
    for (const end of stops.toReversed()) await end()
  }
  try {
    const options: BotOptions & Traced = { onTrace: journalTraces(journal) }
    const stores = await createStores(config, createLog(config.LOG_LEVEL, undefined, secretsOf(config)))
    const bot = await runBot({ settings, config, stores, recorder: recording.recorder, options })
    stops.push(() => bot.stop())
    const notes = notesOf(given, { isDemo, pages: config.WIKIPEDIA_API_URL === wiki.url ? wiki.pages.length : 0 })
    const prompts = promptsPart(slack, { tryPrompts: bot.tryPrompts, folder: folders.prompts })
    const own = [prompts, recording.part, ...(bot.part ? [bot.part] : [])]
    const page = await startPage(slack, {
      port: given.PLAYGROUND_PORT,
      notes: { model: config.OPENAI_MODEL, isDemo, notes, examples: EXAMPLES, shortcuts: SHORTCUTS },
      parts: [hoodPart({ journal, slack, modelUrl: model.url, runTool: tools.run }), ...own],
      onAct: recording.onAct,
    })
    stops.push(() => page.close())
    return { url: page.url, slack, journal, notes, stop }
  } catch (error) {
    await stop()
    throw isTaken(error)
      ? new ConfigError(`PLAYGROUND_PORT should be a free port: ${given.PLAYGROUND_PORT} is taken.`)
      : error
  }
}

/** The operator's endpoint, with their key. */
function realModel(config: Config, net: Network): Upstream {
  const { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: apiKey, OPENAI_HEADERS: headers } = config
  return forwardUpstream({ baseUrl, apiKey, headers, fetch: net.fetch ?? globalThis.fetch })
}

/** What is the playground's own, and with the demo also what names or prices other models. */
const NOT_TAKEN = /^(?:SLACK_|REDIS_|ROLE$|PORT$|OPENAI_(?:API_KEY|BASE_URL|HEADERS)$)/
const NOT_FOR_DEMO = /^(?:OPENAI_(?:MODEL|CONDENSE_MODEL|FALLBACK_MODEL)|RUN_MAX_USD|BUDGET_TEAM_DAY_USD|PRICES_FILE)$/

/** The operator's settings, with this Slack in place of theirs, and in memory. */
function botSettings(env: Env, played: { slack: LocalSlack; wikiUrl: string; modelUrl: string; isDemo: boolean }): Env {
  const { slack, wikiUrl, modelUrl, isDemo } = played
  const isTaken = (name: string) => !NOT_TAKEN.test(name) && !(isDemo && NOT_FOR_DEMO.test(name))
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => isTaken(name)))
  return {
    LOG_LEVEL: 'warn',
    WIKIPEDIA_API_URL: wikiUrl,
    ...own,
    ...(isDemo && { OPENAI_MODEL: 'demo' }),
    OPENAI_BASE_URL: modelUrl,
    // A proxy is for what is real; Slack and Wikipedia are on this machine.
    NO_PROXY: [env['NO_PROXY'] ?? env['no_proxy'], '127.0.0.1'].filter(Boolean).join(','),
    SLACK_API_URL: slack.apiUrl,
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_APP_TOKEN: slack.appToken,
    HOST: '127.0.0.1',
    PORT: '0',
  }
}

/** Printed at the start and shown on the page: nobody shall take the demo for a model, or this Slack for theirs. */
function notesOf(config: Config, { isDemo, pages }: { isDemo: boolean; pages: number }): string[] {
  const model = isDemo
    ? 'Model: the built-in demo, a handful of rules and no language model. Set OPENAI_API_KEY or OPENAI_BASE_URL for real answers.'
    : `Model: ${config.OPENAI_MODEL}${config.OPENAI_BASE_URL ? ` at ${new URL(config.OPENAI_BASE_URL).host}` : ''}, real.`
  const wikipedia =
    pages > 0
      ? `Played: Wikipedia, ${pages} short pages. Set WIKIPEDIA_API_URL for a real one.`
      : 'Real: Wikipedia, as WIKIPEDIA_API_URL says.'
  return [
    model,
    'Played: Slack. Its Web API, events, commands and this page run on this machine; nothing leaves for slack.com.',
    wikipedia,
    'Real: the bot. The same Bolt app over Socket Mode, the same prompts, reasoning loop and tools as in your workspace; conversations are kept in memory.',
  ]
}

/** What `listen` throws for a port that is in use. */
function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
}

async function main(args: string[]): Promise<void> {
  const file = conversationIn(args)
  const playground = await (file === undefined
    ? startPlayground(readEnv())
    : showConversation(file, loadConfig(readEnv())))
  console.log([`Thinkaloud playground: ${playground.url}`, '', ...playground.notes, '', 'Ctrl+C ends it.'].join('\n'))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void playground.stop().finally(() => process.exit(0)))
  }
}

if (process.argv[1] === import.meta.filename) {
  main(process.argv.slice(2)).catch((error: unknown) => {
    console.error(messageOf(error))
    process.exit(1)
  })
}
