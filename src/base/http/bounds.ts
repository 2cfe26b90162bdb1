const MAX_REDIRECTS = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** A response of whichever fetch. */
interface AnyResponse {
  status: number
  headers: { get(name: string): string | null }
  body: { cancel(): Promise<void> } | null
}

/** How one request is made, and which redirects of it are followed. */
export interface Hops<R extends AnyResponse> {
  send(url: URL): Promise<R>
  /**
   * Returns whether a redirect is followed; the redirect itself is the response where it is not. `next` is undefined where the location
   * is no address. @throws what ends the request
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

/**
 * Reads a body. @returns undefined where it has more than `maxBytes`, unpacked: the download ends there
 */
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

/** Lets go of a body that nobody will read, so that its connection is free again. */
export async function discard(response: AnyResponse): Promise<void> {
  await response.body?.cancel().catch(() => undefined)
}
