import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { ROOT } from '../../../src/base/package-root.ts'
import { until } from '../../../playground/base/until.ts'
import type { Ends } from '../ends.ts'
import { freePort } from '../redis.ts'

/** Starts npm's server-everything, of the protocol before 2026-07-28, over HTTP. @returns its address */
export async function startEverything(t: Ends, way: 'streamableHttp' | 'sse'): Promise<string> {
  const port = await freePort()
  const file = join(ROOT, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js')
  const child = spawn(process.execPath, [file, way], { env: { PATH: process.env.PATH, PORT: String(port) } })
  let written = ''
  child.stderr.on('data', (data) => (written += String(data)))
  child.stdout.resume()
  t.onTestFinished(async () => {
    child.kill('SIGKILL')
    await once(child, 'close')
  })
  await until(() => /on port \d+/.exec(written) ?? undefined, 'the server listens', 60_000)
  return `http://127.0.0.1:${port}/${way === 'sse' ? 'sse' : 'mcp'}`
}
