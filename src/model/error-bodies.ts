type Fetch = typeof globalThis.fetch

/**
 * Refusals come in many forms: `{"detail": …}` (FastAPI), `{"message": …}` (older vLLM, Mistral), `[{"error": …}]` (Gemini).
 * The SDK reads `{"error": …}` alone and drops the rest, so the others are put into that form before it sees them.
 */
export function withOpenAiErrors(fetch: Fetch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (response.ok || !response.headers.get('content-type')?.includes('json')) return response
    const { status, headers } = response
    return new Response(inOpenAiForm(await response.text()), { status, headers })
  }
}

function inOpenAiForm(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text)
    const body: unknown = Array.isArray(parsed) ? parsed[0] : parsed
    if (typeof body !== 'object' || body === null) return text
    if ('error' in body) return JSON.stringify(body)
    return JSON.stringify({ error: 'message' in body ? body : { ...body, message: JSON.stringify(body) } })
  } catch {
    return text
  }
}
