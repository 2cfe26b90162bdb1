/** Asks the configured models what they can do, each thing by one small call over the wire that the bot uses. */
import { crc32, deflateSync } from 'node:zlib'
import type { Model, ModelRequest, Picture } from '../agent/types.ts'
import type { Config } from '../config.ts'
import { ModelError, messageOf } from '../errors.ts'
import type { Log } from '../log.ts'
import { createModels } from '../model/index.ts'
import { askOnce, probeNativeCalls } from '../model/native-probe.ts'
import { checkBudgetPrices } from '../model/prices.ts'
import { probeEndpoint } from '../model/probe-endpoint.ts'
import { parseJson } from '../parse-json.ts'
import type { Network } from '../proxy.ts'
import { findingsOf, type Finding } from './finding.ts'

const { ok, note, fault } = findingsOf('model')

/** How long one thing may take, in ms. */
const CALL_MS = 30_000

export async function modelFindings(config: Config, { log, net }: { log: Log; net: Network }): Promise<Finding[]> {
  if (!config.OPENAI_API_KEY && !config.OPENAI_BASE_URL)
    return [fault('access', 'No model is set: set OPENAI_API_KEY, or OPENAI_BASE_URL to an endpoint that needs none.')]
  const prices = priceFindings(config, log)
  if (prices.some(({ outcome }) => outcome === 'fault')) return prices
  const wire = watchedWire(net.fetch ?? globalThis.fetch)
  const models = createModels({ config, log, net: { ...net, fetch: wire.fetch } })
  const listed = await listFindings(config, { log, net })
  const { OPENAI_MODEL: main, OPENAI_CONDENSE_MODEL: condenser, OPENAI_FALLBACK_MODEL: second } = config
  const others = [...new Set([condenser, second])].filter((name) => name !== undefined && name !== main)
  const answers = await answerFinding(models.model)
  const rest = answers.outcome === 'fault' ? [] : await abilities(models.model, config)
  const refused = answers.outcome === 'fault' ? [] : [wire.finding(main)]
  const beside = await Promise.all(others.map((name) => answerFinding(models.named(name ?? '') ?? models.model)))
  return [...listed, answers, ...rest, ...refused, ...beside, ...prices]
}

/** @returns a fault where a budget in dollars has no prices, nothing where there is nothing to say */
function priceFindings(config: Config, log: Log): Finding[] {
  try {
    checkBudgetPrices(config, log)
    return config.PRICES_FILE ? [ok('prices', `PRICES_FILE can be read: ${config.PRICES_FILE}.`)] : []
  } catch (error) {
    return [fault('prices', messageOf(error))]
  }
}

/** Whether the endpoint lists the models that are set. Not every endpoint has a list. */
async function listFindings(config: Config, parts: { log: Log; net: Network }): Promise<Finding[]> {
  const names = await probeEndpoint(config, { ...parts, signal: AbortSignal.timeout(CALL_MS) })
  const set = [config.OPENAI_MODEL, config.OPENAI_CONDENSE_MODEL, config.OPENAI_FALLBACK_MODEL]
  const missing = [...new Set(set)].filter((name) => name !== undefined && !names.includes(name))
  if (names.length === 0 || missing.length === 0) return []
  const some = names.slice(0, 8).join(', ')
  return [note('list', `The endpoint’s list of models has no ${missing.join(' and no ')}: it begins with ${some}.`)]
}

async function answerFinding(model: Model): Promise<Finding> {
  const name = model.name
  try {
    const from = performance.now()
    const { text } = await ask(model, [{ role: 'user', content: 'Say the word ready, and nothing else.' }])
    const ms = Math.round(performance.now() - from)
    if (text.trim() === '') return fault(name, 'It answers with nothing. Try another model.')
    return ok(name, `It answers, in ${ms} ms.`)
  } catch (error) {
    return fault(name, sentenceOf(error))
  }
}

/** What a model that answers can do besides. None of it is needed: each is a note at most. */
async function abilities(model: Model, config: Config): Promise<Finding[]> {
  const calls = probeNativeCalls(model, CALL_MS)
  return [await nativeFinding(calls, config), await visionFinding(model), await streamFinding(model, config)]
}

async function nativeFinding(calls: ReturnType<typeof probeNativeCalls>, config: Config): Promise<Finding> {
  const found = await calls
  const set = config.AGENT_DIALECT
  if (found.usable) {
    const better = set === 'native' || set === 'auto' ? '' : ` AGENT_DIALECT is ${set}; native or auto would use them.`
    return ok('tool calls', `Its own tool calls come back usable.${better}`)
  }
  if (set === 'native') return fault('tool calls', `${found.why} AGENT_DIALECT=native needs them: try text or auto.`)
  return note('tool calls', `${found.why} The dialects that read text do without.`)
}

/** A square of one colour. */
const SIDE = 32
const RED = [220, 20, 20]

async function visionFinding(model: Model): Promise<Finding> {
  let isUnseen = false
  let text = ''
  try {
    const question = 'What colour is this picture? Answer with one word.'
    const images = [redSquare()]
    const signal = AbortSignal.timeout(CALL_MS)
    const messages = [{ role: 'user' as const, content: question, images, unseen: '(There is a picture.)' }]
    for await (const event of model.stream({ messages, signal, timeMs: CALL_MS })) {
      if (event.type === 'restart') [isUnseen, text] = [false, '']
      if (event.type === 'unseen') isUnseen = true
      if (event.type === 'text') text += event.text
    }
  } catch (error) {
    return note('pictures', sentenceOf(error))
  }
  if (isUnseen) return note('pictures', 'It takes no pictures: answers about pictures say that it could not see them.')
  if (/\bred\b/i.test(text)) return ok('pictures', 'It sees pictures.')
  return note('pictures', 'It takes pictures, but did not see that a red one is red.')
}

async function streamFinding(model: Model, { OPENAI_STREAM }: Config): Promise<Finding> {
  if (!OPENAI_STREAM)
    return note(
      'streaming',
      'OPENAI_STREAM=false: answers come whole, and nothing that a model invents is cut off early.',
    )
  let pieces = 0
  try {
    const messages = [{ role: 'user' as const, content: 'Count from 1 to 40, with commas.' }]
    for await (const event of model.stream({ messages, signal: AbortSignal.timeout(CALL_MS), timeMs: CALL_MS }))
      if (event.type === 'text') pieces += 1
  } catch (error) {
    return note('streaming', sentenceOf(error))
  }
  if (pieces > 1) return ok('streaming', 'Its answers come piece by piece.')
  return note('streaming', 'Its streams come in one piece: something on the way may be holding them back.')
}

function ask(model: Model, messages: ModelRequest['messages']) {
  return askOnce(model, { messages, stop: ['Observation:'], signal: AbortSignal.timeout(CALL_MS), timeMs: CALL_MS })
}

function sentenceOf(error: unknown): string {
  if (error instanceof ModelError) return error.hint
  if (error instanceof Error && error.name === 'TimeoutError') return `It did not answer within ${CALL_MS / 1000} s.`
  return messageOf(error)
}

/** Reads along what is sent: a parameter that the first request had and the last that went well has not was refused. */
function watchedWire(fetch: typeof globalThis.fetch) {
  const sent = new Set<string>()
  const taken = new Set<string>()
  const watched: typeof globalThis.fetch = async (input, init) => {
    const body = typeof init?.body === 'string' ? parseJson(init.body) : undefined
    const keys = body !== null && typeof body === 'object' ? Object.keys(body) : []
    for (const key of keys) sent.add(key)
    const response = await fetch(input, init)
    if (response.ok) for (const key of keys) taken.add(key)
    return response
  }
  const finding = (model: string): Finding => {
    const refused = [...sent].filter((key) => !taken.has(key))
    return refused.length === 0
      ? ok('parameters', `${model} takes all that is sent to it.`)
      : ok('parameters', `${model} refuses ${refused.join(', ')}: the bot does without.`)
  }
  return { fetch: watched, finding }
}

/** A PNG of one colour (https://www.w3.org/TR/png-3/): rows of RGB, each after a filter byte. */
function redSquare(): Picture {
  const row = Buffer.from([0, ...Array.from({ length: SIDE }, () => RED).flat()])
  const header = Buffer.alloc(13)
  header.writeUInt32BE(SIDE, 0)
  header.writeUInt32BE(SIDE, 4)
  header.set([8, 2], 8)
  const rows = deflateSync(Buffer.concat(Array.from({ length: SIDE }, () => row)))
  const chunks = [pngChunk('IHDR', header), pngChunk('IDAT', rows), pngChunk('IEND', Buffer.alloc(0))]
  const bytes = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks])
  return { name: 'red.png', mime: 'image/png', base64: bytes.toString('base64') }
}

function pngChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}
