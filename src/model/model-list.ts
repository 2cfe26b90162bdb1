/** The endpoint's list of models: their names, and how many tokens each takes at once, if it says so. */
import { z } from 'zod'
import type { Config } from '../config.ts'
import type { Network } from '../base/http/proxy.ts'
import { isRecord, parseJson } from '../base/parse-json.ts'
import { modelFetch } from './model-fetch.ts'
import { isWindow } from './window-refusals.ts'

export const OPENAI = 'https://api.openai.com/v1'

interface ListedModel {
  name: string
  /** Tokens. */
  window?: number
}

interface EndpointQuestion {
  net: Network
  signal: AbortSignal
  /** What is posted, with its content type. Absent for GET. */
  post?: { type: string; body: Uint8Array<ArrayBuffer> }
}

/** Asks for `models` below OPENAI_BASE_URL, or for another path of that host if `path` begins with a slash. */
export function askEndpoint(path: string, config: Config, { net, signal, post }: EndpointQuestion): Promise<Response> {
  const url = new URL(config.OPENAI_BASE_URL ?? OPENAI)
  url.pathname = path.startsWith('/') ? path : `${url.pathname.replace(/\/$/, '')}/${path}`
  const headers = new Headers(config.OPENAI_HEADERS)
  if (config.OPENAI_API_KEY !== undefined && !headers.has('authorization'))
    headers.set('authorization', `Bearer ${config.OPENAI_API_KEY}`)
  if (post) headers.set('content-type', post.type)
  const sent = post ? { method: 'POST', body: post.body } : {}
  return modelFetch(net.fetch ?? globalThis.fetch)(url, { ...sent, headers, signal })
}

const listSchema = z.object({ data: z.array(z.looseObject({ id: z.string().min(1).max(200) })) })
/** Ollama's own list of the models that it has loaded. */
const loadedSchema = z.object({ models: z.array(z.looseObject({ name: z.string().min(1).max(200) })) })

/** The models in a list's text. None if it is no list. */
export function modelsIn(text: string): ListedModel[] {
  const { data = [] } = listSchema.safeParse(parseJson(text)).data ?? {}
  return data.map(({ id, ...facts }) => listedModel(id, facts))
}

function listedModel(name: string, facts: Record<string, unknown>): ListedModel {
  const window = windowIn(facts)
  return { name, window }
}

/**
 * The names of a window in the lists of llama.cpp, vLLM, LiteLLM, OpenRouter, Groq, Mistral and LM Studio. What a model
 * could take (`n_ctx_train`; LM Studio's `max_context_length`) is not what its server gives.
 */
const NAMES = ['loaded_context_length', 'n_ctx', 'max_model_len', 'max_input_tokens', 'context_length', 'max_context']
const MORE_NAMES = ['context_window', 'context_size', 'max_context_length']
/** Objects within an entry that hold such names. */
const WITHIN = ['meta', 'model_info', 'top_provider', 'default_generation_settings', 'limits']

function windowIn(facts: Record<string, unknown>): number | undefined {
  const isLmStudio = 'loaded_context_length' in facts || 'state' in facts
  const named = (isLmStudio ? NAMES : [...NAMES, ...MORE_NAMES]).map((name) => facts[name])
  const within = WITHIN.map((name) => facts[name]).map((one) => (isRecord(one) ? windowIn(one) : undefined))
  const found = [...named, ...within].filter(isWindow)
  return found.length > 0 ? Math.min(...found) : undefined
}

/** How long a call waits for all of these lists, and how long the list is believed, in ms. */
const LIST_MS = 3_000
const KEPT_MS = 600_000
/** The same for a server that does not answer, or loads its models on demand. */
const FAILED_MS = 20_000

/** The windows of the endpoint's models as it lists them, read when they are first needed. */
export class ListedWindows {
  readonly #config: Config
  readonly #net: Network
  readonly #now: () => number
  #read: Promise<ListedModel[]> | undefined
  #until = 0

  constructor({ config, net, now }: { config: Config; net: Network; now: () => number }) {
    this.#config = config
    this.#net = net
    this.#now = now
  }

  /** Never rejects. Undefined if nothing is listed. */
  async of(model: string): Promise<number | undefined> {
    if (this.#config.OPENAI_BASE_URL === undefined) return undefined
    if (!this.#read || this.#now() >= this.#until) {
      this.#until = this.#now() + KEPT_MS
      this.#read = this.#listed()
    }
    const listed = await this.#read
    const only = listed.length === 1 ? listed[0] : undefined
    return (listed.find(({ name }) => name === model || name === `${model}:latest`) ?? only)?.window
  }

  /**
   * The list itself; LM Studio's own; what Ollama has loaded; the properties of a llama.cpp that lists nothing. Empty
   * if none tells a window.
   */
  async #listed(): Promise<ListedModel[]> {
    const signal = AbortSignal.timeout(LIST_MS)
    for (const path of ['models', '/api/v0/models']) {
      const listed = modelsIn(await this.#textOf(path, signal))
      if (listed.some(({ window }) => window !== undefined)) return listed
    }
    const loaded = loadedSchema.safeParse(parseJson(await this.#textOf('/api/ps', signal))).data?.models
    // Ollama loads a model when it is first called, so one that is not among them has no window yet.
    if (loaded) this.#askSoon()
    if (loaded) return [{ name: '' }, ...loaded.map(({ name, ...facts }) => listedModel(name, facts))]
    const properties = parseJson(await this.#textOf('/props', signal))
    const window = isRecord(properties) ? windowIn(properties) : undefined
    return window === undefined ? [] : [{ name: '', window }]
  }

  async #textOf(path: string, signal: AbortSignal): Promise<string> {
    try {
      const response = await askEndpoint(path, this.#config, { net: this.#net, signal })
      if (response.status >= 500 || response.status === 429) this.#askSoon()
      return response.ok ? await response.text() : ''
    } catch {
      this.#askSoon()
      return ''
    }
  }

  #askSoon(): void {
    this.#until = Math.min(this.#until, this.#now() + FAILED_MS)
  }
}
