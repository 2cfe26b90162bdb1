import type { WireUpstream } from './model-pieces.ts'

interface ForwardOptions {
  /** OPENAI_BASE_URL; default: OpenAI's. Its query is sent with each call, as Azure's older API needs it. */
  baseUrl?: string | undefined
  apiKey?: string | undefined
  /** Extra headers, for gateways. */
  headers?: Record<string, string> | undefined
  fetch: typeof globalThis.fetch
}

const OPENAI = 'https://api.openai.com/v1'
const MAX_HOPS = 3

/**
 * Forwards calls to the operator's endpoint. The key is added here, and redirects are followed only within the
 * endpoint's origin.
 */
export function forwardUpstream({ baseUrl = OPENAI, apiKey, headers, fetch }: ForwardOptions): WireUpstream {
  const sent = new Headers(headers)
  if (apiKey !== undefined && !sent.has('authorization')) sent.set('authorization', `Bearer ${apiKey}`)
  sent.set('content-type', 'application/json')
  return {
    async fetch(path, init) {
      let url = addressOf(baseUrl, path)
      for (let hop = 0; ; hop++) {
        const response = await fetch(url, { ...init, headers: sent, redirect: 'manual' })
        const location = response.headers.get('location')
        const next = location !== null && URL.canParse(location, url.href) ? new URL(location, url) : undefined
        const isOver = ![301, 302, 303, 307, 308].includes(response.status) || hop === MAX_HOPS
        if (isOver || next?.origin !== url.origin) return response
        await response.body?.cancel()
        url = next
      }
    },
  }
}

function addressOf(baseUrl: string, path: string): URL {
  const url = new URL(baseUrl)
  url.pathname = url.pathname.replace(/\/$/, '') + path
  return url
}
