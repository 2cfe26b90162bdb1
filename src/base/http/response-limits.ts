const MAX_REDIRECTS = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** A response of any fetch implementation. */
interface AnyResponse {
  status: number
  headers: { get(name: string): string | null }
  body: { cancel(): Promise<void> } | null
}

/** The request to make, and the rule for its redirects. */
interface Hops<R extends AnyResponse> {
  send(url: URL): Promise<R>
  /**
   * Returns whether to follow a redirect. If not, the redirect itself is the response. `next` is undefined if the
   * location is not a URL. @throws an error that ends the request
   */
  follows(next: URL | undefined, from: URL, response: R): boolean
}

/** Makes a request and follows its redirects by hand. @returns undefined after more than five of them */
export async function followRedirects<R extends AnyResponse>(
  address: URL,
  { send, follows }: Hops<R>,
): Promise<R | undefined> {
  let url = address
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const response = await send(url)
    const location = response.headers.get('location')
    if (!REDIRECTS.has(response.status) || location === null) return response
    const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined
    if (!follows(next, url, response) || !next) return response
    await discard(response)
    url = next
  }
  return undefined
}

/** Reads a body. @returns undefined if it has more than `maxBytes` when unpacked; the download ends there */
export async function readCapped(
  body: AsyncIterable<Uint8Array> | null | undefined,
  maxBytes: number,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
}

/** Cancels a body that nobody will read, which frees its connection. */
export async function discard(response: AnyResponse): Promise<void> {
  await response.body?.cancel().catch(() => undefined)
}
