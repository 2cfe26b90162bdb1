/**
 * The one place that knows the npm package `wikipedia`. It asks; how its questions travel and how the answers are read is
 * mended here, because the package
 * - has no time-out, no size limit and a fixed host: its axios gets an adapter that sends every question through our fetch
 *   to WIKIPEDIA_API_URL. Which fetch, an AsyncLocalStorage knows, since the package keeps its state in its module;
 * - encodes with encodeURI, which leaves & # + ? alone (`AT&T` becomes `AT`), and takes a title such as `1984` for a page
 *   id: titles go in percent-encoded, and the adapter takes off the layer that the package puts around them;
 * - drops what we need (is this a disambiguation page?), throws on pages without revisions and wraps errors into text: the
 *   answer is read from the JSON that came, not from what the package makes of it;
 * - is CommonJS with a default export, which Node, vitest and tsx import in different shapes: `require` gives the same one
 *   everywhere. Its `summary` and other REST calls and `setLang` are not used: api.php is all that every MediaWiki has.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createRequire } from 'node:module'

/** The package's functions in use. Texts are `packed`; what they return is not used. */
interface WikipediaPackage {
  page(title: string): Promise<unknown>
  content(title: string): Promise<unknown>
  links(title: string, options: { limit: number }): Promise<unknown>
  search(query: string, options: { limit: number; suggestion: boolean }): Promise<unknown>
}

interface AxiosConfig {
  url?: string
}

type Adapter = (config: AxiosConfig) => Promise<unknown>

interface Axios {
  defaults: { adapter: unknown }
  getAdapter(adapters: unknown): Adapter
}

/** A request under way: where it goes, and its result. */
interface Call {
  send(parameters: URLSearchParams): Promise<unknown>
  answer?: unknown
  fault?: unknown
}

const require = createRequire(import.meta.url)
const calls = new AsyncLocalStorage<Call>()
let loaded: WikipediaPackage | undefined

/** Loads the package and its axios at the first request: they cost as much as the rest of the agent. */
function load(): WikipediaPackage {
  const wikipedia: WikipediaPackage = require('wikipedia')
  const axios: Axios = createRequire(require.resolve('wikipedia'))('axios')
  const standardAdapter = axios.defaults.adapter
  // Whoever else uses this copy of axios, a custom tool say, keeps its own way out.
  axios.defaults.adapter = (config: AxiosConfig) => {
    const call = calls.getStore()
    return call ? answerCall(call, config) : axios.getAdapter(standardAdapter)(config)
  }
  return wikipedia
}

async function answerCall(call: Call, config: AxiosConfig): Promise<unknown> {
  try {
    call.answer = await call.send(parametersOf(config.url ?? ''))
    return { data: call.answer, status: 200, statusText: 'OK', headers: {}, config }
  } catch (error) {
    call.fault = error
    throw error
  }
}

/** The query of the package's address, without the layer of encodeURI and without what is for browsers only. */
function parametersOf(url: string): URLSearchParams {
  const parameters = new URLSearchParams(decodeURI(url.slice(url.indexOf('?') + 1)))
  parameters.delete('origin')
  parameters.set('utf8', '1') // half the size where the text is not Latin
  return parameters
}

/** Returns a text in the form that arrives unchanged: percent-encoded, and never looking like a number. */
export function packed(text: string): string {
  const encoded = encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD'))
  if (!Number.isNaN(Number(encoded))) return `%${encoded.charCodeAt(0).toString(16)}${encoded.slice(1)}`
  return encoded
}

/**
 * Makes one request through the package.
 * @returns the JSON, or undefined if the package asked nothing
 * @throws whatever `send` threw
 */
export async function ask(
  question: (wiki: WikipediaPackage) => Promise<unknown>,
  send: (parameters: URLSearchParams) => Promise<unknown>,
): Promise<unknown> {
  const call: Call = { send }
  const wikipedia = (loaded ??= load())
  await calls.run(call, () => question(wikipedia)).catch(() => undefined) // see above: the JSON is read by ourselves
  if ('fault' in call) throw call.fault
  return call.answer
}
