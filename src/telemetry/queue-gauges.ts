import { Gauge, type Registry } from 'prom-client'
import type { QueueStats } from '../queue/types.ts'

/** How long a scrape waits for the store. The other metrics must not wait for one that does not answer. */
const PATIENCE_MS = 2_000

/**
 * Registers the depth and the age of the queue. All processes that share a Redis show the same. NaN if the store does
 * not answer.
 */
export function watchQueue(registry: Registry, stats: () => Promise<QueueStats>): void {
  const registers = [registry]
  const read = sharedRead(stats)
  new Gauge({
    name: 'thinkaloud_queue_questions',
    help: 'Questions that are waiting, and questions that are running',
    labelNames: ['state'],
    registers,
    async collect() {
      const { waiting, active } = await read()
      this.set({ state: 'waiting' }, waiting)
      this.set({ state: 'active' }, active)
    },
  })
  new Gauge({
    name: 'thinkaloud_queue_oldest_seconds',
    help: 'How long ago the oldest waiting question was asked',
    registers,
    async collect() {
      this.set((await read()).oldestMs / 1000)
    },
  })
}

/** The gauges of one scrape share one call to the store. */
function sharedRead(stats: () => Promise<QueueStats>): () => Promise<QueueStats> {
  let reading: Promise<QueueStats> | undefined
  return () => (reading ??= inTime(stats()).finally(() => (reading = undefined)))
}

const UNKNOWN: QueueStats = { waiting: NaN, active: NaN, oldestMs: NaN }

async function inTime(stats: Promise<QueueStats>): Promise<QueueStats> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<QueueStats>((resolve) => (timer = setTimeout(resolve, PATIENCE_MS, UNKNOWN)))
  return Promise.race([stats.catch(() => UNKNOWN), late]).finally(() => clearTimeout(timer))
}
