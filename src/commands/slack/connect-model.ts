import { messageOf } from '../../base/errors.ts'
import type { Network } from '../../base/http/proxy.ts'
import { createLog } from '../../base/log.ts'
import { loadConfig, type Config, type Env } from '../../config.ts'
import { createModels } from '../../model/index.ts'
import { probeEndpoint } from '../../model/probe-endpoint.ts'
import { answerFinding } from '../doctor/model-findings.ts'
import type { Desk } from './desk.ts'

/** The settings that the person chose. */
type ModelSettings = Partial<Record<'OPENAI_API_KEY' | 'OPENAI_BASE_URL' | 'OPENAI_MODEL', string>>

export interface ConnectModelOptions {
  desk: Desk
  env: Env
  net: Network
  /** Milliseconds since the epoch. */
  now: () => number
  /** Writes the settings to `.env`. */
  keep(settings: Record<string, string>): void
}

/** How long the endpoint has to list its models. Milliseconds. */
const LIST_MS = 10_000

/** Asks for the model, unless one is set, tries it, and writes it to `.env`. A person may leave it for later. */
export async function connectModel(options: ConnectModelOptions): Promise<void> {
  const { desk, env, keep } = options
  if (isSet(env)) return
  desk.say('\n3. The model\n')
  desk.say('  1  OpenAI, with an API key')
  desk.say('  2  another OpenAI-compatible endpoint: Ollama, vLLM, a gateway\n')
  for (;;) {
    const choice = await desk.ask('Which one? Press Enter to do this later: ')
    if (choice !== '1' && choice !== '2') return
    const settings = await askSettings(choice === '2', options)
    if (!settings) continue
    const { outcome, sentence } = await tried({ ...env, ...settings }, options)
    desk.say(`\n${outcome === 'ok' ? '✓' : '✗'} ${settings.OPENAI_MODEL}: ${sentence}\n`)
    if (outcome !== 'ok' && !(await desk.confirm('Keep these settings all the same?', false))) continue
    return keep(settings)
  }
}

/** Reads only the settings of the model, so that an invalid one elsewhere does not matter. */
function configOf(env: Env): Config {
  const names = ['OPENAI_API_KEY', 'OPENAI_API_KEY_FILE', 'OPENAI_BASE_URL', 'OPENAI_MODEL', 'OPENAI_HEADERS']
  return loadConfig(Object.fromEntries(names.map((name) => [name, env[name]])))
}

/** An invalid setting counts as set: the start names it. */
function isSet(env: Env): boolean {
  try {
    const { OPENAI_API_KEY, OPENAI_BASE_URL } = configOf(env)
    return OPENAI_API_KEY !== undefined || OPENAI_BASE_URL !== undefined
  } catch {
    return true
  }
}

/** Returns undefined for a value that cannot be right. */
async function askSettings(isElsewhere: boolean, options: ConnectModelOptions): Promise<ModelSettings | undefined> {
  const { desk, env } = options
  const address = isElsewhere ? await desk.ask('Address, such as http://localhost:11434/v1: ') : ''
  const key = await desk.ask(`API key (hidden)${isElsewhere ? ', Enter if it needs none' : ''}: `, { hidden: true })
  const given = { ...(address && { OPENAI_BASE_URL: address }), ...(key && { OPENAI_API_KEY: key }) }
  try {
    if (isElsewhere ? address === '' : key === '') throw new Error(`Nothing was entered.`)
    const config = configOf({ ...env, ...given })
    const listed = isElsewhere
      ? await probeEndpoint(config, { ...parts(options), signal: AbortSignal.timeout(LIST_MS) })
      : []
    const preset = listed[0] ?? config.OPENAI_MODEL
    if (listed.length > 1) desk.say(`It has ${listed.slice(0, 8).join(', ')}${listed.length > 8 ? ', …' : ''}.`)
    return { ...given, OPENAI_MODEL: (await desk.ask(`Model [${preset}]: `)) || preset }
  } catch (error) {
    desk.say(`✗ ${messageOf(error)}\n`)
    return undefined
  }
}

function parts({ net, now }: ConnectModelOptions) {
  return { log: createLog('silent'), net, now }
}

/** Makes one small call. */
async function tried(env: Env, options: ConnectModelOptions) {
  const { model } = createModels({ config: configOf(env), ...parts(options) })
  return answerFinding(model, 'OPENAI_MODEL', options.now)
}
