/**
 * `npm run bench -- schedules`: ten thousand schedules in Redis that are all due at the same time, compared with ten
 * thousand of BullMQ's own job schedulers: their memory, the cost of a quiet minute, and their lateness. Takes about
 * two minutes. Target: at most three times BullMQ's memory and lateness, and a quiet minute of at most 0.2 s of CPU.
 */
import { Queue as BullQueue, Worker } from 'bullmq'
import { connectRedis } from '../../src/base/redis/redis.ts'
import { startScheduler } from '../../src/question/scheduler.ts'
import { redisQueue } from '../../src/queue/redis-queue.ts'
import { redisKv } from '../../src/stores/kv/redis-kv.ts'
import { occurrenceIn } from '../../src/stores/runs/types.ts'
import { Schedules } from '../../src/stores/schedules/schedule-store.ts'
import { activated, beginsAt, type Schedule } from '../../src/stores/schedules/types.ts'
import { startRedis } from './load/bench-redis.ts'
import { atMost } from './targets.ts'

const COUNT = 10_000
const CONCURRENCY = 20
/** The time from the first schedule until all are due, and the time for which their cost is measured before. In ms. */
const LEAD_MS = 45_000
const QUIET_MS = 10_000
const MAX_MEMORY_RATIO = 3
const MAX_LATE_RATIO = 3
const MAX_QUIET_CPU_MS = 200

const log = { info() {}, warn() {}, error() {}, debug() {} }

export async function run(): Promise<void> {
  const theirs = await measure('BullMQ’s job schedulers', startTheirs)
  const ours = await measure('ours', startOurs)
  console.table(
    [theirs, ours].map(({ name, kib, quietCpuMs, quietCalls, late }) => ({
      [`${COUNT.toLocaleString('en')} schedules`]: name,
      'Redis KiB each': kib.toFixed(2),
      'CPU ms a quiet minute': quietCpuMs.toFixed(0),
      'Redis calls a quiet minute': quietCalls.toFixed(0),
      'late p50 s': (at(late, 0.5) / 1000).toFixed(2),
      'late p99 s': (at(late, 0.99) / 1000).toFixed(2),
      begun: late.length,
    })),
  )
  console.log(`memory, ours to BullMQ's: ${atMost(ours.kib / theirs.kib, MAX_MEMORY_RATIO)}`)
  console.log(`lateness p99, ours to BullMQ's: ${atMost(at(ours.late, 0.99) / at(theirs.late, 0.99), MAX_LATE_RATIO)}`)
  console.log(`CPU ms of a quiet minute: ${atMost(ours.quietCpuMs, MAX_QUIET_CPU_MS)}`)
}

const at = (sorted: number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)))

interface Started {
  /** Stores all schedules, due at the given time. */
  add(due: number): Promise<void>
  /** Starts to run them. `begun` gets the lateness of each one, in ms. */
  work(begun: (lateMs: number) => void): Promise<void>
  stop(): Promise<unknown>
}

async function measure(name: string, start: (url: string) => Started) {
  const redis = await startRedis()
  const side = start(redis.url)
  const figure = async (field: string) =>
    Number(new RegExp(`${field}:(\\d+)`).exec(await redis.client.info())?.[1] ?? NaN)
  const before = await figure('used_memory')
  const due = Date.now() + LEAD_MS
  await side.add(due)
  const kib = ((await figure('used_memory')) - before) / 1024 / COUNT
  const late: number[] = []
  await side.work((ms) => void late.push(ms))
  await sleep(due - QUIET_MS - 2_000 - Date.now())
  const [calls, cpu] = [await figure('total_commands_processed'), process.cpuUsage()]
  await sleep(QUIET_MS)
  const { user, system } = process.cpuUsage(cpu)
  const quietCalls = ((await figure('total_commands_processed')) - calls) * (60_000 / QUIET_MS)
  const quietCpuMs = ((user + system) / 1000) * (60_000 / QUIET_MS)
  if (Date.now() > due) throw new Error(`${name} took too long to store: this machine is too busy.`)
  // All of ours start within a minute.
  for (const end = due + 120_000; late.length < COUNT && Date.now() < end;) await sleep(100)
  await side.stop()
  await redis.stop()
  return { name, kib, quietCpuMs, quietCalls, late: late.sort((a, b) => a - b) }
}

function startTheirs(url: string): Started {
  const connection = { url, maxRetriesPerRequest: null }
  const queue = new BullQueue('bench', { connection })
  let due = 0
  let worker: Worker | undefined
  return {
    async add(time) {
      due = Math.ceil(time / 1000) * 1000
      const when = new Date(due)
      const pattern = `${when.getUTCSeconds()} ${when.getUTCMinutes()} ${when.getUTCHours()} * * *`
      for (let n = 0; n < COUNT; n += 50)
        await Promise.all(
          Array.from({ length: 50 }, (_, i) =>
            queue.upsertJobScheduler(`s${n + i}`, { pattern, tz: 'UTC' }, { data: { question: QUESTION } }),
          ),
        )
    },
    async work(begun) {
      worker = new Worker('bench', async () => begun(Date.now() - due), { connection, concurrency: CONCURRENCY })
      await worker.waitUntilReady()
    },
    stop: () => Promise.all([worker?.close(), queue.close()]),
  }
}

const QUESTION = 'what happened in #ops since the last run, and who works on it?'

function startOurs(url: string): Started {
  const redis = connectRedis({ url }, { purpose: 'work', log })
  const schedules = new Schedules(redisKv({ redis, prefix: 'bench' }), { now: Date.now, log })
  const queue = redisQueue({ now: Date.now, redis: { url }, log, prefix: 'bench', concurrency: CONCURRENCY })
  let scheduler: ReturnType<typeof startScheduler> | undefined
  return {
    async add(due) {
      for (let n = 0; n < COUNT; n += 50)
        await Promise.all(Array.from({ length: 50 }, (_, i) => schedules.add(scheduleOf(n + i, due))))
    },
    async work(begun) {
      await queue.start(async (question) => {
        const id = question.thread.split('-')[2] ?? ''
        begun(Date.now() - beginsAt({ id, when: everyHour(0) }, occurrenceIn(question)?.at ?? 0))
      })
      scheduler = startScheduler({ schedules, queue, log: log as never, now: () => new Date(), everyMs: 1_000 })
    },
    async stop() {
      await scheduler?.stop()
      await queue.stop(5_000)
      redis.disconnect()
    },
  }
}

const HOUR_MS = 3_600_000
const everyHour = (start: number) => ({ kind: 'every', minutes: 60, start, zone: 'Europe/Berlin' }) as const

function scheduleOf(n: number, due: number): Schedule {
  const made = due - HOUR_MS
  const draft: Schedule = {
    ...{
      id: `id${n}`,
      team: 'T0BENCH0001',
      channel: `C0BENCH${n % 100}`,
      user: `U0BENCH${n % 2_000}`,
      createdAt: made,
    },
    ...{ text: `every hour ${QUESTION}`, question: QUESTION, when: everyHour(made), gapMs: HOUR_MS, state: 'draft' },
    ...{ place: { isPrivate: false, isShared: false, isMember: true }, failures: 0, runs: [], spent: {} },
  }
  return activated(draft, made)
}
