/**
 * The only module that uses the npm package `wikipedia`. It works around these problems of the package:
 * - It has no timeout, no size limit and a fixed host. Its axios gets an adapter that sends every request through our
 *   fetch to WIKIPEDIA_API_URL. An AsyncLocalStorage holds the fetch, since the package keeps its state in its module.
 * - It encodes with encodeURI, which leaves & # + ? alone (`AT&T` becomes `AT`), and takes a title such as `1984` for a
 *   page id. Titles are percent-encoded first, and the adapter removes the package's own layer of encoding.
 * - It drops data that we need (is this a disambiguation page?), throws on pages without revisions and wraps errors
 *   into text. We read the JSON that arrived instead of the package's result.
 * - It is CommonJS with a default export, which Node, vitest and tsx import in different shapes. `require` returns the
 *   same one everywhere.
 *
 * Its `summary`, other REST calls and `setLang` are not used: api.php is all that every MediaWiki has.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createRequire } from 'node:module'

/** The functions of the package that we call. Texts are `packed`; the return values are not used. */
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
interface WikiRequest {
  send(parameters: URLSearchParams): Promise<unknown>
  answer?: unknown
  fault?: unknown
}

const require = createRequire(import.meta.url)
const calls = new AsyncLocalStorage<WikiRequest>()
let loaded: WikipediaPackage | undefined

/** Loads the package and its axios at the first request: they cost as much as the rest of the agent. */
function load(): WikipediaPackage {
  const wikipedia: WikipediaPackage = require('wikipedia')
  const axios: Axios = createRequire(require.resolve('wikipedia'))('axios')
  const standardAdapter = axios.defaults.adapter
  // Other users of this copy of axios, such as a custom tool, keep the standard adapter.
  axios.defaults.adapter = (config: AxiosConfig) => {
    const call = calls.getStore()
    return call ? answerCall(call, config) : axios.getAdapter(standardAdapter)(config)
  }
  return wikipedia
}

async function answerCall(call: WikiRequest, config: AxiosConfig): Promise<unknown> {
  try {
    call.answer = await call.send(parametersOf(config.url ?? ''))
    return { data: call.answer, status: 200, statusText: 'OK', headers: {}, config }
  } catch (error) {
    call.fault = error
    throw error
  }
}

/** Returns the query of the package's address, without encodeURI's layer and browser-only parameters. */
function parametersOf(url: string): URLSearchParams {
  const parameters = new URLSearchParams(decodeURI(url.slice(url.indexOf('?') + 1)))
  parameters.delete('origin')
  parameters.set('utf8', '1') // half the size if the text is not Latin
  return parameters
}

/** Returns a text in the form that arrives unchanged: percent-encoded, and never looking like a number. */
export function encodedText(text: string): string {
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
  const call: WikiRequest = { send }
  const wikipedia = (loaded ??= load())
  await calls.run(call, () => question(wikipedia)).catch(() => undefined) // see above: we read the JSON ourselves
  if ('fault' in call) throw call.fault
  return call.answer
}
