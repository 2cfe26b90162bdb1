/** The response to a tool's fetch: the body as text, limited in size. */
export interface Fetched {
  status: number
  headers: Record<string, string>
  body: string
}

/**
 * A tool's only access to the network: a GET. A 4xx is a normal response.
 * @throws ToolError with a sentence if the host is refused, slow or broken
 */
export type ToolFetch = (
  url: string | URL,
  options?: { headers?: Record<string, string>; signal?: AbortSignal },
) => Promise<Fetched>
