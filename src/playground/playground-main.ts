/**
 * `npm run playground`: the local Slack, a played Wikipedia and the page, with the real bot between them. The only file of
 * this room that knows the bot: it hands it settings, as an operator would.
 */
import { startBot } from '../bot.ts'
import { loadConfig, readEnv, type Config, type Env } from '../config.ts'
import { ConfigError, messageOf } from '../errors.ts'
import { DEMO_DIALECT, demoModel } from './demo/demo-model.ts'
import { startPage } from './page-server.ts'
import { startLocalSlack, type LocalSlack } from './slack.ts'
import { startWiki } from './wiki.ts'

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

/** A playground that runs. */
export interface Playground {
  url: string
  slack: LocalSlack
  /** What is told at the start, a line each. */
  notes: string[]
  stop(): Promise<void>
}

/**
 * Starts everything on 127.0.0.1. `env` is an operator's: a model that it names is used, and a Wikipedia that it names;
 * its Slack and its Redis are not. `paceMs`: the demo's pause between two words.
 * @throws ConfigError
 */
export async function startPlayground(env: Env, { paceMs = DEMO_PACE_MS } = {}): Promise<Playground> {
  const given = loadConfig(env)
  const isDemo = !given.OPENAI_API_KEY && !given.OPENAI_BASE_URL
  const slack = await startLocalSlack({ agent: true, search: 'words' })
  const wiki = await startWiki()
  const settings = botSettings(env, { slack, wikiUrl: wiki.url })
  const config = loadConfig(isDemo ? { ...settings, AGENT_DIALECT: DEMO_DIALECT } : settings)
  const stops = [() => slack.close(), () => wiki.close()]
  const stop = async () => {
    for (const end of stops.toReversed()) await end()
  }
  try {
    const bot = await startBot(config, isDemo ? { model: demoModel({ paceMs }) } : {})
    stops.push(() => bot.stop())
    const notes = notesOf(config, { isDemo, pages: config.WIKIPEDIA_API_URL === wiki.url ? wiki.pages.length : 0 })
    const model = isDemo ? 'demo' : config.OPENAI_MODEL
    const page = await startPage(slack, {
      port: given.PLAYGROUND_PORT,
      notes: { model, isDemo, notes, examples: EXAMPLES, shortcuts: SHORTCUTS },
    })
    stops.push(() => page.close())
    return { url: page.url, slack, notes, stop }
  } catch (error) {
    await stop()
    throw isTaken(error)
      ? new ConfigError(`PLAYGROUND_PORT should be a free port: ${given.PLAYGROUND_PORT} is taken.`)
      : error
  }
}

/** The operator's settings, with this Slack in place of theirs, and in memory. */
function botSettings(env: Env, played: { slack: LocalSlack; wikiUrl: string }): Env {
  const { slack, wikiUrl } = played
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !/^(SLACK_|REDIS_|ROLE$|PORT$)/.test(name)))
  return {
    LOG_LEVEL: 'warn',
    WIKIPEDIA_API_URL: wikiUrl,
    ...own,
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
    ? 'Model: the built-in demo, recordings and a few rules and no language model. Set OPENAI_API_KEY or OPENAI_BASE_URL for real answers.'
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

async function main(): Promise<void> {
  const playground = await startPlayground(readEnv())
  console.log([`Thinkaloud playground: ${playground.url}`, '', ...playground.notes, '', 'Ctrl+C ends it.'].join('\n'))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void playground.stop().finally(() => process.exit(0)))
  }
}

if (process.argv[1] === import.meta.filename) {
  main().catch((error: unknown) => {
    console.error(messageOf(error))
    process.exit(1)
  })
}
