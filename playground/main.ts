/**
 * `npm run playground`: the local Slack, a simulated Wikipedia and the page, with the real bot between them. Only this
 * file, dev.ts, trace.ts and the folders bot/ and demo/ know the bot. It gets its settings as from an operator.
 */
import { parseArgs } from 'node:util'
import { asksHelp } from '../src/commands/command.ts'
import { loadConfig, readEnv, secretsOf, type Config, type Env } from '../src/config.ts'
import { ConfigError, messageOf } from '../src/base/errors.ts'
import { createNetwork } from '../src/base/http/proxy.ts'
import type { RunTrace } from '../src/stores/runs/run-trace.ts'
import { methodNames } from '../src/slack/client/method-names.ts'
import { demoUpstream } from './demo/demo-upstream.ts'
import { endOnSignal } from './base/end-on-signal.ts'
import { inspectorPart } from './journal/inspector-part.ts'
import { createJournal, type Journal } from './journal/journal.ts'
import { journalTraces } from './bot/journal-traces.ts'
import { startModelEndpoint } from './model/model-endpoint.ts'
import { modelFaults } from './faults/model-faults.ts'
import type { NotesServer } from './mcp/notes-server.ts'
import { startOwnRedis, type OwnRedis } from './base/own-redis.ts'
import { startPage } from './page-server/page-server.ts'
import { playgroundFaults } from './faults/playground-faults.ts'
import { runPart } from './page-server/run-part.ts'
import { samplesPart } from './page-server/shared-messages.ts'
import type { LocalSlack } from './slack/slack.ts'
import { toolRunner } from './bot/tool-again.ts'
import { tellUnknown } from './slack/unknown-methods.ts'
import type { Gateway } from './workspaces/gateway.ts'
import { startWiki } from './wiki/wiki.ts'
import { startOwnMcp } from './mcp/own-mcp.ts'
import { botSettings, notesOf, realModel } from './bot/playground-settings.ts'
import { openOtherPages, playWorkspaces, workspacesNote } from './bot/many-workspaces.ts'
import { promptsPart } from './bot/prompts-part.ts'
import { LocalModels } from './bot/local-models.ts'
import { movedClock } from './bot/moved-clock.ts'
import { CONVERSATIONS, replayedSettings, replayWithBot } from './bot/replay-bot.ts'
import { createRecorder } from './recording/recorder.ts'
import { recordingPart } from './recording/recording-part.ts'
import { runBotHere, type RunBot } from './bot/run-bot.ts'
import { showConversation } from './bot/show-conversation.ts'
import { SCOPES, startWorkspace } from './bot/example-slack.ts'

/** The demo's pause between two words, in ms: slow enough to see them arrive. */
const DEMO_PACE_MS = 15

/** Example questions, each for another tool. */
const EXAMPLES = [
  { message: 'What does our handbook say about holidays?', file: 'handbook.pdf' },
  { message: 'Which region had the highest revenue?', file: 'sales.csv' },
  { message: 'Draw the revenue by month and region', file: 'sales.csv' },
  { message: 'What did we sell in March?', file: 'sales.csv' },
  { message: 'What is the average revenue per product?', file: 'sales.csv' },
  { message: 'How many orders have no day?', file: 'sales.csv' },
  { message: 'What is 15% of 240, and half of it?' },
  { message: 'How old is the author of Dune?' },
]

/** An example that waits for approval, if the MCP server for notes runs. */
const NOTE = { message: 'Note down: buy milk' }

/** The shortcuts that the app's manifest offers in the menu of a message. */
const SHORTCUTS = [
  { callback_id: 'thinkaloud_ask_about', name: 'Ask about this message' },
  { callback_id: 'thinkaloud_remember', name: 'Remember' },
]

export interface PlaygroundOptions {
  /** The demo's pause between two words, in ms. */
  paceMs?: number
  /** Starts a Redis for the bot. Without it, or if it resolves to none, the bot keeps everything in memory. */
  startRedis?: () => Promise<OwnRedis | undefined>
  runBot?: RunBot
  /** The ports of this machine to look at for models. Default: those that LOCAL_MODEL_PORTS names, if it is set. */
  modelPorts?: readonly string[]
  /** Simulates two workspaces and an organisation, where a distributed app is installed. */
  workspaces?: boolean
  /** Folders that replace the checkout's. */
  conversations?: string
  prompts?: string
}

/** A running playground. */
export interface Playground {
  url: string
  slack: LocalSlack
  /** The journal of everything so far. */
  journal: Journal
  /** Lines to print at the start. */
  notes: string[]
  /** The playground's own MCP server; absent if the operator's environment names others. */
  notesServer: NotesServer | undefined
  /** Set if several workspaces are simulated. */
  gateway: Gateway | undefined
  stop(): Promise<void>
}

/**
 * Starts everything on 127.0.0.1. From the operator's `env`, the model and Wikipedia are used, but not Slack and Redis.
 * @throws ConfigError
 */
export async function startPlayground(env: Env, options: PlaygroundOptions = {}): Promise<Playground> {
  const given = loadConfig(env)
  const stops: (() => Promise<void> | void)[] = []
  const stop = async () => {
    for (const end of stops.toReversed()) await end()
  }
  try {
    const world = await startWorld(given, { env, options, stops })
    return { ...(await openPlayground(given, world, options, stops)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The functions that stop the started parts, called in reverse order. */
type Stops = (() => Promise<void> | void)[]

/** Starts everything around the bot, and returns its settings. */
async function startWorld(
  given: Config,
  { env, options, stops }: { env: Env; options: PlaygroundOptions; stops: Stops },
) {
  const isDemo = !given.OPENAI_API_KEY && !given.OPENAI_BASE_URL
  const journal = createJournal()
  for (const secret of secretsOf(given)) journal.hide(secret, '(a secret of the settings)')
  const net = await createNetwork(given)
  const clock = movedClock()
  const key = given.SECRETS_KEY
  const many = options.workspaces ? await playWorkspaces(journal, () => clock.now().getTime(), key) : undefined
  const slack = many?.gateway.workspaces[0]?.slack ?? (await startWorkspace(journal))
  stops.push(() => many?.gateway.close() ?? slack.close())
  const wiki = await startWiki()
  stops.push(() => wiki.close())
  const ports = options.modelPorts ?? (env['LOCAL_MODEL_PORTS'] === undefined ? [] : given.LOCAL_MODEL_PORTS)
  const local =
    isDemo && ports.length > 0 ? new LocalModels({ ports, net, now: () => clock.now().getTime() }) : undefined
  const upstream = isDemo ? demoUpstream({ paceMs: options.paceMs ?? DEMO_PACE_MS }) : realModel(given, net)
  const model = await startModelEndpoint({
    ...{ upstream, journal, faults: modelFaults(slack.faultSwitches) },
    ...(local && { upstreamOf: local.upstreamOf }),
  })
  stops.push(() => model.close())
  const mcp = given.MCP_CONFIG === undefined ? await startOwnMcp() : undefined
  if (mcp) stops.push(mcp.stop)
  const redis = await options.startRedis?.()
  if (redis) stops.push(() => redis.stop())
  const played = { slack, wikiUrl: wiki.url, modelUrl: model.url, mcpConfig: mcp?.file, redisUrl: redis?.url, isDemo }
  return {
    isDemo,
    local,
    journal,
    net,
    slack,
    wiki,
    model,
    notesServer: mcp?.server,
    redis,
    ...{ clock, many },
    settings: { ...botSettings(env, played), ...many?.settings },
  }
}

/** Starts the bot and the page. */
async function openPlayground(
  given: Config,
  world: Awaited<ReturnType<typeof startWorld>>,
  options: PlaygroundOptions,
  stops: Stops,
): Promise<Omit<Playground, 'stop'>> {
  const { isDemo, local, journal, net, slack, wiki, model, notesServer, redis, settings, clock, many } = world
  const config = loadConfig(settings)
  const recorder = createRecorder(slack, { journal, settings: replayedSettings(settings) })
  const tools = toolRunner(config, net)
  stops.push(() => tools.close())
  const run = runPart()
  const toJournal = journalTraces(journal)
  const runBot = options.runBot ?? runBotHere
  const onTrace = (trace: RunTrace) => {
    toJournal(trace)
    run.take(trace)
  }
  const onPort = (port: number) => many?.gateway.setBot(`http://127.0.0.1:${port}`)
  const chosenModel = local && { chosenModel: local.chosen }
  const bot = await runBot({ settings, recorder, onTrace, now: clock.now, onPort, ...chosenModel })
  if (local) local.onChange = async () => bot.renew?.()
  stops.push(() => bot.stop())
  const pages = config.WIKIPEDIA_API_URL === wiki.url ? wiki.pages.length : 0
  const notes = notesOf({
    given,
    config,
    isDemo,
    pages,
    web: Object.values(wiki.web),
    hasNotes: notesServer !== undefined,
  })
  const examples = examplesOf(config, wiki.url, notesServer !== undefined)
  if (many) notes.push(workspacesNote(many))
  const told = [...notes, tellUnknown(methodNames())]
  const shown = { model: config.OPENAI_MODEL, isDemo, notes: told, examples, shortcuts: SHORTCUTS }
  const shared = local ? [run, local.part] : [run]
  const page = await startPage(slack, {
    port: given.PLAYGROUND_PORT,
    notes: { ...shown, ...(many && { workspace: 'Local', workspaces: many.entries }) },
    parts: [
      ...shared,
      inspectorPart({ journal, slack, modelUrl: model.url, runTool: tools.run }),
      playgroundFaults(slack, {
        scopes: SCOPES,
        redis,
        notes: notesServer,
        clock: options.runBot ? undefined : clock,
      }),
      promptsPart(slack, bot.tryPrompts, options.prompts),
      samplesPart(),
      recordingPart(recorder, { folder: options.conversations ?? CONVERSATIONS, replay: replayWithBot }),
      ...(bot.part ? [bot.part] : []),
    ],
    onAct: recorder.onAct,
  })
  stops.push(() => page.close())
  if (many) stops.push(await openOtherPages(many, { first: page.url, notes: shown, parts: shared }))
  return { url: page.url, slack, journal, notes, notesServer, gateway: many?.gateway }
}

function examplesOf({ EXAMPLES_FILE: own }: Config, wikiUrl: string, hasNotes: boolean) {
  const page = { message: `Summarise ${new URL('/wiki/Ada_Lovelace', wikiUrl).href}` }
  return own?.map((message) => ({ message })) ?? [...EXAMPLES, page, ...(hasNotes ? [NOTE] : [])]
}

const USAGE = `Usage: npm run playground [-- --redis | --workspaces | --conversation FILE]

Opens a local Slack with the real bot at http://localhost:3210, or at PLAYGROUND_PORT. Ctrl+C ends it.

  --redis               keeps conversations in a Redis that ends with the playground, not in memory
  --workspaces          plays two workspaces and an organisation, where an app for many is installed
  --conversation FILE   shows a recorded conversation beside what was expected of it`

/** Reads the options of the command line. @throws ConfigError for an unknown option */
function optionsIn(args: string[]): { conversation?: string; redis?: boolean; workspaces?: boolean } {
  try {
    const [conversation, flag] = [{ type: 'string' } as const, { type: 'boolean' } as const]
    return parseArgs({ args, options: { conversation, redis: flag, workspaces: flag } }).values
  } catch (error) {
    throw new ConfigError(
      `${messageOf(error).split('. ')[0]}. The options are --redis, --workspaces, --conversation FILE and --help.`,
    )
  }
}

async function main(args: string[]): Promise<void> {
  if (asksHelp(args)) return console.log(USAGE)
  const { conversation, redis, workspaces = false } = optionsIn(args)
  const env = readEnv()
  const config = loadConfig(env)
  const modelPorts = config.LOCAL_MODEL_PORTS
  const playground = await (conversation === undefined
    ? startPlayground(env, { workspaces, modelPorts, ...(redis ? { startRedis: startOwnRedis } : {}) })
    : showConversation(conversation, config))
  // Somebody who reads the line may press Ctrl+C at once.
  endOnSignal(playground.stop)
  console.log([`Thinkaloud playground: ${playground.url}`, '', ...playground.notes, '', 'Ctrl+C ends it.'].join('\n'))
}

if (process.argv[1] === import.meta.filename) {
  main(process.argv.slice(2)).catch((error: unknown) => {
    console.error(messageOf(error))
    process.exit(1)
  })
}
