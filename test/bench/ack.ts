/**
 * `npm run bench -- ack`: the time to an ack while mentions arrive at a steady rate, each in its own thread, at one
 * front with Redis and its append-only file; and whether the front's memory stays flat. Target: p99 under 100 ms at 50
 * mentions per second.
 */
import { spawnSync } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort, start, type Measured as MeasuredProcess } from './load/measured-process.ts'
import { quantile } from './load/quantile.ts'
import { startRedis } from './load/bench-redis.ts'
import { envFor, startModel, startSlack } from './load/servers.ts'
import { atMost } from './targets.ts'

const BOT = ['node', 'dist/src/main.js']

/** Milliseconds at 50 mentions a second. */
const MAX_ACK_P99 = 100

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rate: { type: 'string', default: '50' },
      seconds: { type: 'string', default: '20' },
      built: { type: 'boolean' },
    },
  })
  if (!values.built && spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' }).status !== 0)
    throw new Error('the build failed')
  const rate = Number(values.rate)
  const seconds = Math.max(4, Number(values.seconds))
  const { acks, memory } = await measureAcks({ rate, seconds })
  console.table({
    [`${rate} mentions a second for ${seconds} s`]: {
      mentions: acks.length,
      'ack p50 ms': quantile(acks, 0.5).toFixed(1),
      'p99 ms': quantile(acks, 0.99).toFixed(1),
      'most ms': Math.max(...acks).toFixed(1),
      'front MiB, first quarter': mean(memory.slice(0, memory.length / 4)),
      'last quarter': mean(memory.slice((memory.length * 3) / 4)),
    },
  })
  if (rate === 50) printAcks(acks)
}

/** Prints the result with the target. */
export function printAcks(acks: number[]): void {
  console.log(`Acks, p50 ms: ${quantile(acks, 0.5).toFixed(1)}`)
  console.log(`Acks, p99 ms: ${atMost(quantile(acks, 0.99), MAX_ACK_P99)}`)
}

/**
 * Sends mentions at a steady rate to one front with a worker. Returns the ms to each ack, and the front's MiB per
 * second.
 */
export async function measureAcks({ rate, seconds }: { rate: number; seconds: number }): Promise<Measured> {
  const [slack, model, redis] = [await startSlack(), await startModel(20), await startRedis()]
  const port = await freePort()
  const env = { ...envFor(slack, model), REDIS_URL: redis.url }
  const front = await start(BOT, { ...env, ROLE: 'front', PORT: String(port) })
  const worker = await start(BOT, { ...env, ROLE: 'worker', WORKER_CONCURRENCY: '50', PORT: String(await freePort()) })
  const ask = () => slack.ask(`http://127.0.0.1:${port}/slack/events`)
  // One-time compilation is not measured.
  await steadily({ ask, front, rate, seconds: 3 })
  const measured = await steadily({ ask, front, rate, seconds })
  await Promise.all([front.stop(), worker.stop()])
  slack.close()
  model.close()
  await redis.stop()
  return measured
}

interface Measured {
  acks: number[]
  memory: number[]
}

interface Load {
  ask(): Promise<{ ackMs: number }>
  front: MeasuredProcess
  rate: number
  seconds: number
}

/** Asks at fixed times, whether or not earlier questions are acked. Waits for all answers. */
async function steadily({ ask, front, rate, seconds }: Load): Promise<Measured> {
  const asked: Promise<{ ackMs: number }>[] = []
  const memory: number[] = []
  const from = performance.now()
  for (let n = 0; n < rate * seconds; n++) {
    await wait(Math.max(0, from + (n * 1000) / rate - performance.now()))
    asked.push(ask())
    if (n % rate === 0) memory.push(front.nowMb())
  }
  return { acks: (await Promise.all(asked)).map(({ ackMs }) => ackMs), memory }
}

function mean(values: number[]): string {
  return (values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)).toFixed(0)
}
