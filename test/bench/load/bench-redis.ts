import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort, start } from './measured-process.ts'

/** Starts a Redis for the bench, with an append-only file as in production. */
export async function startRedis(): Promise<{ url: string; client: Redis; stop(): Promise<void> }> {
  const port = await freePort()
  const dir = mkdtempSync(join(tmpdir(), 'bench-redis-'))
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--appendonly', 'yes', '--save', '']
  const server = await start(['sh', '-c', `exec redis-server ${args.join(' ')}`], {})
  const client = new Redis(port, '127.0.0.1')
  const stop = async () => {
    client.disconnect()
    await server.stop()
  }
  return { url: `redis://127.0.0.1:${port}`, client, stop }
}
