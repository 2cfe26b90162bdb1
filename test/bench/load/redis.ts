import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort, start } from './process.ts'

/** A Redis of the bench's own, with its append-only file as in production. */
export async function startRedis(): Promise<{ url: string; client: Redis; stop(): Promise<void> }> {
  const port = await freePort()
  const dir = mkdtempSync(join(tmpdir(), 'bench-redis-'))
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--appendonly', 'yes', '--save', '']
  const server = await start(['sh', '-c', `exec redis-server ${args.join(' ')}`], {})
  return { url: `redis://127.0.0.1:${port}`, client: new Redis(port, '127.0.0.1'), stop: async () => server.stop() }
}
