/** `npm run slack`: sets up a Slack app for the bot, or checks that an existing one still works. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { loadConfig, readEnv, type Env } from '../config.ts'
import { ConfigError, messageOf } from '../base/errors.ts'
import { createNetwork } from '../base/http/proxy.ts'
import { mainCommand, type CommandIo } from './command.ts'
import { createAddress, readManifest } from '../base/app-manifest.ts'
import { checkSlack, installedIn } from './slack/check-slack.ts'
import { connectModel } from './slack/connect-model.ts'
import { connectSlack } from './slack/connect-slack.ts'
import { openBrowser } from './slack/open-browser.ts'
import { isPiped, readPiped, tokensIn, tokensInSettings } from './slack/slack-tokens.ts'
import { Terminal, type Prompter } from './slack/terminal.ts'
import { tokenFile } from './slack/token-file.ts'

const USAGE = `Usage: npm run slack [-- --json [--write]]
  (nothing)   sets up Slack and the model step by step and writes .env; run again, it checks that everything still works
  --json      asks nothing: checks the tokens of the settings, or of a pipe with NAME=value lines, and prints one JSON object;
              exit code 1 if anything is wrong
  --write     with --json: saves the tokens from the pipe in .env if they are right`

const ENV_FILE = '.env'
/** A shell's exit code for a command that Ctrl+C ended. */
const INTERRUPTED = 130

/** Reads only the settings that this command needs, so that an invalid one elsewhere does not matter. */
async function networkOptions(env: Env) {
  const names = ['SLACK_API_URL', 'HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy']
  const config = loadConfig(Object.fromEntries(names.map((name) => [name, env[name]])))
  const net = await createNetwork(config)
  return { apiUrl: config.SLACK_API_URL, fetch: net.fetch, net, now: Date.now }
}

/** @returns the exit code */
async function report(io: CommandIo): Promise<number> {
  const env = io.readEnv()
  const how = await networkOptions(env)
  const given = tokensInSettings(env)
  const tokens = { ...given, ...tokensIn(isPiped(io.stdin) ? await readPiped(io.stdin) : '') }
  const file = tokenFile(join(io.folder, ENV_FILE), env, given)
  const checks = await checkSlack(tokens, { ...how, before: file.installed() })
  const ok = checks.every((row) => row.ok)
  const written = io.args.includes('--write') && ok && (await file.keep(tokens, installedIn(checks))) === 'written'
  const create = createAddress(readManifest('plain'))
  io.print(JSON.stringify({ ok, api: how.apiUrl, checks, ...(written && { written: ENV_FILE }), create }, null, 2))
  return ok ? 0 : 1
}

/** Readers of JSON also get a setting error as JSON. */
function reportFault(error: unknown, { print }: CommandIo): number {
  const checks = [{ name: 'settings', ok: false, sentence: messageOf(error) }]
  print(JSON.stringify({ ok: false, checks }, null, 2))
  return 1
}

/** @returns the exit code */
async function setUp(env: Env): Promise<number> {
  const how = await networkOptions(env)
  const tokens = tokensInSettings(env)
  const leave = () => {
    console.log('Stopped. Nothing more is written.')
    process.exit(INTERRUPTED)
  }
  const open = (address: string) => openBrowser(address, env)
  const prompter = new Terminal(process.stdin, process.stdout, leave, open)
  try {
    const file = tokenFile(ENV_FILE, env, tokens)
    if (!(await connectSlack({ ...how, prompter, tokens, file }))) return 1
    prompter.say('\nSlack is set up. In a channel, type: /invite @thinkaloud')
    const keep = (settings: Record<string, string>) => prompter.say(file.keepSettings(settings))
    await connectModel({ prompter, env: readEnv(ENV_FILE), net: how.net, now: how.now, keep })
    if (!(await mayStart(prompter))) return 0
  } finally {
    prompter.close()
  }
  return start()
}

/** Reports other missing settings with the same message as `npm start`. */
async function mayStart(prompter: Prompter): Promise<boolean> {
  try {
    loadConfig(readEnv(ENV_FILE), { serves: true })
  } catch (error) {
    prompter.say(`\nBefore npm start, fix this in ${ENV_FILE}:\n${messageOf(error)}`)
    return false
  }
  return prompter.confirm('Start it now?', true)
}

/**
 * Starts the bot in a process of its own, with the same Node options. Ctrl+C reaches both processes, and this one
 * waits.
 */
function start(): Promise<number> {
  const main = join(import.meta.dirname, '..', import.meta.filename.endsWith('.ts') ? 'main.ts' : 'main.js')
  const bot = spawn(process.execPath, [...process.execArgv, main], { stdio: 'inherit' })
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => bot.kill('SIGTERM'))
  return new Promise((resolve) => bot.once('close', (code) => resolve(code ?? 1)))
}

async function run(io: CommandIo): Promise<number> {
  const { args } = io
  const isJson = args.includes('--json')
  const known = args.filter((arg) => arg === '--json' || (arg === '--write' && isJson))
  if (known.length < args.length) throw new ConfigError(USAGE)
  if (isJson) return report(io).catch((error: unknown) => reportFault(error, io))
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new ConfigError('npm run slack needs a terminal. In a script, use: npm run slack -s -- --json')
  return setUp(io.readEnv())
}

export default await mainCommand(import.meta, USAGE, run)
