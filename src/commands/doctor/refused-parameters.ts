/** Observes which parts of a request an endpoint refuses. */
import { parseJson } from '../../base/parse-json.ts'
import type { Fetch } from '../../model/model-fetch.ts'

/** The statuses by which an endpoint rejects the request itself. */
const REFUSALS = new Set([400, 422])

export interface WatchedWire {
  fetch: Fetch
  /** Returns the parameters that were in a refused request to this model, and in none that it accepted. */
  refusedBy(model: string): string[]
}

export function watchedWire(fetch: Fetch): WatchedWire {
  const models = new Map<string, { refused: Set<string>; taken: Set<string> }>()
  return {
    fetch: async (input, init) => {
      const body = typeof init?.body === 'string' ? parseJson(init.body) : undefined
      const response = await fetch(input, init)
      if (body === null || typeof body !== 'object' || !('model' in body)) return response
      const name = String(body.model)
      const known = models.get(name) ?? { refused: new Set(), taken: new Set() }
      models.set(name, known)
      const keys = Object.keys(body)
      if (response.ok) for (const key of keys) known.taken.add(key)
      if (REFUSALS.has(response.status)) for (const key of keys) known.refused.add(key)
      return response
    },
    refusedBy: (model) => {
      const { refused = new Set<string>(), taken = new Set<string>() } = models.get(model) ?? {}
      return [...refused].filter((key) => !taken.has(key))
    },
  }
}
