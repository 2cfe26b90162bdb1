/** Checks what the configured models can do, each ability by one small call over the bot's own HTTP. */
import { readReply } from '../../agent/ask-once.ts'
import type { Model } from '../../agent/contracts/model.ts'
import type { Config } from '../../config.ts'
import { isTimeUp, messageOf } from '../../base/errors.ts'
import { parseJson } from '../../base/parse-json.ts'
import type { Log } from '../../base/log.ts'
import type { Fetch } from '../../model/model-fetch.ts'
import { withChosenApi } from '../../model/choose-api.ts'
import { createModels } from '../../model/choose-model.ts'
import { probeNativeCalls } from '../../model/probe-native-calls.ts'
import { probeStructured } from '../../model/probe-structured.ts'
import { operatorSentence } from '../../model/failure-for-operator.ts'
import { checkBudgetPrices, loadPrices } from '../../model/prices.ts'
import { probeEndpoint } from '../../model/probe-endpoint.ts'
import { hasSystem } from '../../model/unsupported-parameters.ts'
import { windowFindings } from './window-findings.ts'
import { findingsAbout, type CheckServices, type Finding } from './finding.ts'

const { ok, note, fault } = findingsAbout('model')

/** The longest list that `probeEndpoint` reads. Whether a model comes after it is unknown. */
const LONGEST_LIST = 100
/** How long the first answer may take: a local model may have to be loaded for it. Milliseconds. */
const FIRST_MS = 35_000
/** How long the other checks may take, all of them at once. Milliseconds. */
const CALL_MS = 20_000

export async function modelFindings(config: Config, services: CheckServices): Promise<Finding[]> {
  const { log, net, now } = services
  if (!config.OPENAI_API_KEY && !config.OPENAI_BASE_URL) return [noAccess(config)]
  const wire = watchedWire(net.fetch ?? globalThis.fetch)
  const chosen = await withChosenApi(config, services)
  const models = createModels({ config: alone(chosen), log, net: { ...net, fetch: wire.fetch }, now })
  const [listed, answers, ...beside] = await Promise.all([
    listFindings(config, services),
    answerFinding(models.model, 'OPENAI_MODEL', now),
    ...others(config).map(([setting, name]) => answerFinding(models.byName(name) ?? models.model, setting, now)),
  ])
  const isReachable = answers.outcome !== 'fault'
  const rest = isReachable ? await abilities(models.model, config, wire) : []
  // After the others: on a server with one slot they would wait for each other.
  const window = isReachable ? await windowFindings(models.model, config, services) : []
  const parameters = isReachable ? [refusedFinding(config.OPENAI_MODEL, wire.refusedBy(config.OPENAI_MODEL))] : []
  // A front makes no model calls.
  const prices = config.ROLE === 'front' ? [] : priceFindings(config, log)
  return [...listed, ...apiFindings(config, chosen), answers, ...rest, ...window, ...parameters, ...beside, ...prices]
}

function noAccess({ ROLE }: Config): Finding {
  return ROLE === 'front'
    ? ok('access', 'Not needed: with ROLE=front, the workers call the model.')
    : fault('access', 'No model is set. Set OPENAI_API_KEY, or OPENAI_BASE_URL to an endpoint without keys.')
}

function apiFindings({ OPENAI_API: set }: Config, { OPENAI_API: chosen }: Config): Finding[] {
  if (set === 'chat') return []
  const name = chosen === 'responses' ? 'the Responses API' : 'chat completions'
  return [ok('api', set === 'auto' ? `OPENAI_API=auto uses ${name}.` : `OPENAI_API=${set}: the bot uses ${name}.`)]
}

/** Checks each model by itself, without a fallback, and even without a price. */
function alone({ PRICES_FILE: _1, RUN_MAX_USD: _2, BUDGET_TEAM_DAY_USD: _3, ...config }: Config): Config {
  return { ...config, OPENAI_FALLBACK_MODEL: undefined }
}

/** Returns the models besides the first, each once, with the setting that names it. */
function others(config: Config): [setting: string, name: string][] {
  const settings = ['OPENAI_CONDENSE_MODEL', 'OPENAI_FALLBACK_MODEL'] as const
  const named = settings.flatMap((setting): [string, string][] => {
    const name = config[setting]
    return name === undefined || name === config.OPENAI_MODEL ? [] : [[name, setting]]
  })
  return [...new Map(named)].map(([name, setting]) => [setting, name])
}

/** @returns a fault if a budget in dollars has no prices; nothing if there is nothing to say */
function priceFindings(config: Config, log: Log): Finding[] {
  try {
    checkBudgetPrices(config, log)
    loadPrices(config.PRICES_FILE)
    return config.PRICES_FILE ? [ok('prices', `PRICES_FILE can be read: ${config.PRICES_FILE}.`)] : []
  } catch (error) {
    return [fault('prices', messageOf(error))]
  }
}

/** Checks whether the endpoint lists the configured models. Not every endpoint has a list. */
async function listFindings(config: Config, { log, net }: CheckServices): Promise<Finding[]> {
  const names = await probeEndpoint(config, { log, net, signal: AbortSignal.timeout(CALL_MS) })
  const set = [config.OPENAI_MODEL, config.OPENAI_CONDENSE_MODEL, config.OPENAI_FALLBACK_MODEL]
  const missing = [...new Set(set)].filter((name) => name !== undefined && !names.includes(name))
  if (names.length === 0 || names.length >= LONGEST_LIST || missing.length === 0) return []
  const some = names.slice(0, 8).join(', ')
  return [note('list', `The endpoint does not list ${missing.join(' or ')}. It lists ${some}, …`)]
}

const AS_REASONING =
  'It answered with reasoning and no text. The bot can read that, but only on a second try. Check the endpoint’s ' +
  'reasoning parser and chat template.'

/** Makes one small call. The finding is a fault if it fails, or if nothing comes back. */
export async function answerFinding(model: Model, setting: string, now: () => number): Promise<Finding> {
  const { name } = model
  const signal = AbortSignal.timeout(FIRST_MS)
  try {
    const from = now()
    const messages = [{ role: 'user' as const, content: 'Say the word ready, and nothing else.' }]
    const call = { messages, stop: ['Observation:'], signal, timeMs: FIRST_MS }
    const { text, reasoning } = await readReply(model, call)
    const ms = Math.round(now() - from)
    if (text.trim() === '' && reasoning.trim() !== '') return note(name, AS_REASONING)
    if (text.trim() === '') return fault(name, `Its answer was empty. Try another model (${setting}).`)
    return ok(name, `It answered in ${ms} ms.`)
  } catch (error) {
    return fault(name, sentenceOf(error, signal, FIRST_MS).replace('Check its name', `Check ${setting}`))
  }
}

/** Checks what else a model can do. A missing ability is a note, except tool calls with AGENT_DIALECT=native. */
async function abilities(model: Model, config: Config, wire: WatchedWire): Promise<Finding[]> {
  return Promise.all([
    nativeFinding(model, config),
    formFinding(model, config),
    visionFinding(model),
    streamFinding(model, config, wire),
  ])
}

function refusedFinding(model: string, refused: string[]): Finding {
  if (refused.length === 0) return ok('parameters', `${model} accepts all parameters.`)
  return ok('parameters', `${model} does not accept ${refused.join(', ')}. The bot works without them.`)
}

async function nativeFinding(model: Model, config: Config): Promise<Finding> {
  const found = await probeNativeCalls(model, CALL_MS)
  const set = config.AGENT_DIALECT
  if (found.usable) {
    const better =
      set === 'native' || set === 'auto' ? '' : ` AGENT_DIALECT=${set} does not use them; native or auto would.`
    return ok('tool calls', `Its native tool calls work.${better}`)
  }
  if (set === 'native') return fault('tool calls', `${found.why} AGENT_DIALECT=native needs them. Try text or auto.`)
  return note('tool calls', `${found.why} Only AGENT_DIALECT=native needs them.`)
}

async function formFinding(model: Model, { AGENT_DIALECT: set }: Config): Promise<Finding> {
  const found = await probeStructured(model, CALL_MS)
  if (found.isHeld) {
    const better =
      set === 'text' || set === 'json' ? ` AGENT_DIALECT=structured would use that, and suits small models.` : ''
    return ok('JSON schema', `Its endpoint enforces JSON schemas.${better}`)
  }
  const without =
    set === 'structured' ? ' AGENT_DIALECT=structured works without, but the model may break the form.' : ''
  return note('JSON schema', `${found.why}${without}`)
}

/** A PNG of 32 by 32 red pixels. */
const RED_SQUARE = {
  name: 'red.png',
  mime: 'image/png',
  base64:
    'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAKklEQVR4nGO4IyJCU8QwasGoBaMWjFowasGoBaMWjFowasGoBaMW' +
    'DBULAJ3LED3QqzauAAAAAElFTkSuQmCC',
}

async function visionFinding(model: Model): Promise<Finding> {
  const signal = AbortSignal.timeout(CALL_MS)
  const question = 'What colour is this picture? Answer with one word.'
  const messages = [{ role: 'user' as const, content: question, images: [RED_SQUARE], unseen: '(There is a picture.)' }]
  try {
    const { text, isUnseen } = await readReply(model, { messages, signal, timeMs: CALL_MS })
    if (isUnseen) return note('pictures', 'It does not accept pictures. Answers will say that it could not see them.')
    if (/\bred\b/i.test(text)) return ok('pictures', 'It can see pictures.')
    return note('pictures', 'It accepts pictures, but did not recognise a red one.')
  } catch (error) {
    return note('pictures', sentenceOf(error, signal, CALL_MS))
  }
}

async function streamFinding(model: Model, { OPENAI_STREAM }: Config, wire: WatchedWire): Promise<Finding> {
  if (!OPENAI_STREAM)
    return note(
      'streaming',
      'OPENAI_STREAM=false: answers arrive whole, so invented observations cost time and tokens.',
    )
  const signal = AbortSignal.timeout(CALL_MS)
  let pieces = 0
  try {
    const messages = [
      { role: 'system' as const, content: 'You count.' },
      { role: 'user' as const, content: 'Count from 1 to 40, with commas.' },
    ]
    for await (const event of model.stream({ messages, signal, timeMs: CALL_MS }))
      if (event.type === 'text') pieces += 1
  } catch (error) {
    return note('streaming', sentenceOf(error, signal, CALL_MS))
  }
  if (wire.isWhole(model.name)) return note('streaming', WHOLE)
  if (pieces > 1) return ok('streaming', 'It streams its answers.')
  return note('streaming', 'Its streams arrive in one piece. A proxy may be buffering them.')
}

const WHOLE =
  'It answers with one JSON body although a stream was asked for. The bot can read it. Set OPENAI_STREAM=false for this endpoint.'

function sentenceOf(error: unknown, signal: AbortSignal, ms: number): string {
  if (!isTimeUp(signal)) return operatorSentence(error)
  return `It did not answer within ${ms / 1000} s. If it is still loading, try again; otherwise check OPENAI_BASE_URL.`
}

/** The statuses by which an endpoint rejects the request itself. */
const REFUSALS = new Set([400, 422])

interface WatchedWire {
  fetch: Fetch
  /** Returns the parameters that were in a refused request to this model, and in none that it accepted. */
  refusedBy(model: string): string[]
  /** Returns whether this model answered a request for a stream with one JSON text. */
  isWhole(model: string): boolean
}

/** Observes which parameters of a request an endpoint refuses. */
function watchedWire(fetch: Fetch): WatchedWire {
  const models = new Map<string, { refused: Set<string>; taken: Set<string> }>()
  const whole = new Set<string>()
  return {
    fetch: async (input, init) => {
      const body = typeof init?.body === 'string' ? parseJson(init.body) : undefined
      const response = await fetch(input, init)
      if (body === null || typeof body !== 'object' || !('model' in body)) return response
      const name = String(body.model)
      const known = models.get(name) ?? { refused: new Set(), taken: new Set() }
      models.set(name, known)
      const keys = [...Object.keys(body), ...(hasSystem(body) ? ['the system role'] : [])]
      const isJson = response.headers.get('content-type')?.includes('json') === true
      if (response.ok && isJson && 'stream' in body && body.stream === true) whole.add(name)
      if (response.ok) for (const key of keys) known.taken.add(key)
      if (REFUSALS.has(response.status)) for (const key of keys) known.refused.add(key)
      return response
    },
    isWhole: (model) => whole.has(model),
    refusedBy: (model) => {
      const { refused = new Set<string>(), taken = new Set<string>() } = models.get(model) ?? {}
      return [...refused].filter((key) => !taken.has(key))
    },
  }
}
