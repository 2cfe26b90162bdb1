import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A short address on this machine that leads to a long one. */
export interface ShortLink {
  url: string
  close(): void
}

/**
 * Redirects an address of this machine to `target`. An address of thousands of characters is broken over many lines of
 * a terminal, which then cannot open it.
 */
export async function shortLink(target: string): Promise<ShortLink> {
  const server = createServer((_, response) => response.writeHead(302, { location: target, connection: 'close' }).end())
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
