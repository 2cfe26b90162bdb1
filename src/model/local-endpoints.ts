/** Finds models that already run on this machine. */
import { modelsIn } from './model-list.ts'

/** How long a server has to list its models. Milliseconds. */
const LOOK_MS = 500
const MAX_MODELS = 100
/** The servers that usually use these ports. */
const SERVERS: Record<string, string> = { 11434: 'Ollama', 1234: 'LM Studio', 8080: 'llama.cpp', 8000: 'vLLM' }

/** A model server on this machine, with at least one model. */
interface LocalEndpoint {
  /** The server that usually uses the port. */
  server: string
  /** For OPENAI_BASE_URL. */
  baseUrl: string
  models: string[]
}

/**
 * Asks each port of this machine for its list of models, all at once. Whatever answers otherwise is left out. Never
 * rejects.
 */
export async function localEndpoints(ports: readonly string[]): Promise<LocalEndpoint[]> {
  const found = await Promise.all(ports.map((port) => endpointAt(port)))
  return found.filter((one) => one !== undefined)
}

async function endpointAt(port: string): Promise<LocalEndpoint | undefined> {
  const baseUrl = `http://127.0.0.1:${port}/v1`
  try {
    const response = await fetch(`${baseUrl}/models`, { signal: AbortSignal.timeout(LOOK_MS), redirect: 'error' })
    const models = response.ok ? modelsIn(await response.text()).map(({ name }) => name) : []
    if (models.length === 0) return undefined
    return { server: SERVERS[port] ?? 'A model server', baseUrl, models: models.slice(0, MAX_MODELS) }
  } catch {
    return undefined
  }
}
