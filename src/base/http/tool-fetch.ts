/** The response to a tool's fetch: the body as text, already capped in size. */
export interface Fetched {
  status: number
  headers: Record<string, string>
  body: string
}

/**
 * The only way a tool reaches the network: a GET. A 4xx is an answer like any other.
 * @throws ToolError with a sentence when the host is refused, slow or broken.
 */
export type ToolFetch = (
  url: string | URL,
  options?: { headers?: Record<string, string>; signal?: AbortSignal },
) => Promise<Fetched>
