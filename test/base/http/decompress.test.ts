import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createNetwork } from '../../../src/base/http/proxy.ts'
import { startWebServer } from '../../harness/web-server.ts'

const TEXT = 'An answer, packed. '.repeat(1000)

/** Returns the body that is read if a server answers with these bytes in this encoding. */
async function read(bytes: Buffer, encoding: string): Promise<Response> {
  const server = await startWebServer((_, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(bytes),
  )
  const { fetch } = await createNetwork({})
  return fetch!(server.url)
}

test.each([
  ['gzip', gzipSync(TEXT)],
  ['X-GZIP', gzipSync(TEXT)],
  ['deflate', deflateSync(TEXT)],
  ['br', brotliCompressSync(TEXT)],
  ['gzip, br', brotliCompressSync(gzipSync(TEXT))],
  ['identity', Buffer.from(TEXT)],
])('%s is unpacked', async (encoding, bytes) => {
  expect(await (await read(bytes, encoding)).text()).toBe(TEXT)
})

test.each(['zstd', 'gzip, zstd', 'gzip, gzip, gzip, gzip'])('%s is left as it came', async (encoding) => {
  expect(await (await read(Buffer.from('as it came'), encoding)).text()).toBe('as it came')
})

test('a wrong content-encoding fails', async () => {
  await expect((await read(Buffer.from('not packed at all'), 'gzip')).text()).rejects.toThrow()
})

test('at most 64 MiB are decompressed for a body that is read whole', async () => {
  const response = await read(gzipSync(Buffer.alloc(80 * 2 ** 20)), 'gzip')
  await expect(response.text()).rejects.toThrow('The answer is larger than 64 MiB.')
})

test('a stream is decompressed as it arrives', async () => {
  const packer = createGzip()
  const server = await startWebServer((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' })
    packer.pipe(response)
    packer.write('one')
    packer.flush()
  })
  const { fetch } = await createNetwork({})
  const read: string[] = []
  for await (const bytes of (await fetch!(server.url)).body ?? []) {
    read.push(Buffer.from(bytes).toString())
    if (read.length === 1) packer.end('two')
  }
  expect(read).toEqual(['one', 'two'])
})
