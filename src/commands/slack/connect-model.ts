import { messageOf } from '../../base/errors.ts'
import type { Network } from '../../base/http/proxy.ts'
import { createLog } from '../../base/log.ts'
import { loadConfig, type Config, type Env } from '../../config.ts'
import { createModels } from '../../model/choose-model.ts'
import { localEndpoints } from '../../model/local-endpoints.ts'
import { probeEndpoint } from '../../model/probe-endpoint.ts'
import { chooseDialect, PATIENT_PROBE_MS } from '../../question/agent/choose-dialect.ts'
import { answerFinding } from '../doctor/model-findings.ts'
import type { Prompter } from './terminal.ts'

/** The settings that the person chose. */
type ModelSettings = Partial<Record<'OPENAI_API_KEY' | 'OPENAI_BASE_URL' | 'OPENAI_MODEL' | 'AGENT_DIALECT', string>>

interface ConnectModelOptions {
  prompter: Prompter
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
  const { prompter, env, keep } = options
  if (isSet(env)) return
  prompter.say('\n3. The model\n')
  prompter.say('  1  OpenAI, with an API key')
  prompter.say('  2  another OpenAI-compatible endpoint: Ollama, vLLM, a gateway')
  const local = await localEndpoints(configOf(env).LOCAL_MODEL_PORTS)
  for (const [i, { server, baseUrl, models }] of local.entries())
    prompter.say(`  ${i + 3}  ${server} on this machine, ${baseUrl}: ${models.slice(0, 3).join(', ')}`)
  prompter.say('')
  for (;;) {
    const choice = await prompter.ask('Which one? Press Enter to do this later: ')
    const found = local[Number(choice) - 3]
    if (choice !== '1' && choice !== '2' && !found) return
    const settings = found
      ? await askModel({ OPENAI_BASE_URL: found.baseUrl }, found.models, options)
      : await askSettings(choice === '2', options)
    if (!settings) continue
    const { outcome, sentence } = await tryModel({ ...env, ...settings }, options)
    prompter.say(`\n${outcome === 'ok' ? '✓' : '✗'} ${settings.OPENAI_MODEL}: ${sentence}\n`)
    if (outcome !== 'ok' && !(await prompter.confirm('Keep these settings all the same?', false))) continue
    return keep(
      outcome === 'ok' ? { ...settings, ...(await fittingDialect({ ...env, ...settings }, options)) } : settings,
    )
  }
}

/** The dialect that fits the model, unless it is the default. */
async function fittingDialect(env: Env, options: ConnectModelOptions): Promise<ModelSettings> {
  if (env['AGENT_DIALECT']) return {}
  const config = configOf(env)
  const { model } = createModels({ config, ...parts(options) })
  const patiently = { log: createLog('silent'), probeMs: PATIENT_PROBE_MS }
  const dialect = await chooseDialect({ ...config, AGENT_DIALECT: 'auto' }, model, patiently)
  if (dialect === 'text') return {}
  options.prompter.say(`✓ AGENT_DIALECT=${dialect} fits it.`)
  return { AGENT_DIALECT: dialect }
}

/** Reads only the settings of the model, so that an invalid one elsewhere does not matter. */
function configOf(env: Env): Config {
  const names = [
    'OPENAI_API_KEY',
    'OPENAI_API_KEY_FILE',
    'OPENAI_BASE_URL',
    'OPENAI_MODEL',
    'OPENAI_HEADERS',
    'LOCAL_MODEL_PORTS',
  ]
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
async function askSettings(isOwnEndpoint: boolean, options: ConnectModelOptions): Promise<ModelSettings | undefined> {
  const { prompter, env } = options
  const address = isOwnEndpoint ? await prompter.ask('Address, such as http://localhost:11434/v1: ') : ''
  const key = await prompter.ask(`API key (hidden)${isOwnEndpoint ? ', Enter if it needs none' : ''}: `, {
    hidden: true,
  })
  const given = { ...(address && { OPENAI_BASE_URL: address }), ...(key && { OPENAI_API_KEY: key }) }
  try {
    if (isOwnEndpoint ? address === '' : key === '') throw new Error(`Nothing was entered.`)
    const config = configOf({ ...env, ...given })
    const listed = isOwnEndpoint
      ? await probeEndpoint(config, { ...parts(options), signal: AbortSignal.timeout(LIST_MS) })
      : []
    return await askModel(given, listed.length > 0 ? listed : [config.OPENAI_MODEL], options)
  } catch (error) {
    prompter.say(`✗ ${messageOf(error)}\n`)
    return undefined
  }
}

/** Asks which of the models to use. The first is preset. */
async function askModel(
  given: ModelSettings,
  models: string[],
  { prompter }: ConnectModelOptions,
): Promise<ModelSettings> {
  const [preset = ''] = models
  if (models.length > 1) prompter.say(`It has ${models.slice(0, 8).join(', ')}${models.length > 8 ? ', …' : ''}.`)
  return { ...given, OPENAI_MODEL: (await prompter.ask(`Model [${preset}]: `)) || preset }
}

function parts({ net, now }: ConnectModelOptions) {
  return { log: createLog('silent'), net, now }
}

/** Makes one small call. */
async function tryModel(env: Env, options: ConnectModelOptions) {
  const { model } = createModels({ config: configOf(env), ...parts(options) })
  return answerFinding(model, 'OPENAI_MODEL', options.now)
}
