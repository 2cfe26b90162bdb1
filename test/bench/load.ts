/**
 * `npm run bench -- load`: the whole path from Slack's event to the answer (three model calls, two tools), compared
 * with a bare Bolt app in the same run. The results are ratios, because machines are noisy. `--blocks` also measures
 * threads of alerts.
 */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import type { Redis } from 'ioredis'
import { freePort, start, type Measured } from './load/measured-process.ts'
import { startRedis } from './load/bench-redis.ts'
import { threadBlocks } from './load/thread-blocks.ts'
import { envFor, startModel, startSlack, type BenchSlack } from './load/servers.ts'
import { quantile } from './load/quantile.ts'
import { atMost } from './targets.ts'

interface Result {
  name: string
  perSecond: number
  p50: number
  p99: number
  ackP99: number
  cpuMs: number
  /** The same for as many questions again. Several workers need a longer warm-up; this is the cost after it. */
  againMs: number
  redisCommands?: number
  peakMb: number
}

interface Side {
  name: string
  /** The commands and environments of the processes. The first one gets the deliveries. */
  processes: { command: string[]; env: Record<string, string> }[]
  withRedis: boolean
}

/** The maximum ratio of CPU per question to the floor's. */
const TO_REACH: Record<string, number> = { 'thinkaloud, in memory': 1.3, 'thinkaloud, Redis and BullMQ': 1.5 }

/**
 * The maximum number of Redis commands for a question with two steps and its two events, including those inside
 * scripts, at fifty questions in progress.
 */
const MAX_REDIS_COMMANDS = 140

const BOT = ['node', 'dist/src/main.js']
const FLOOR = ['node', '--import', 'tsx', 'test/bench/load/floor.ts']

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      questions: { type: 'string', default: '500' },
      flight: { type: 'string', default: '50' },
      json: { type: 'boolean' },
      only: { type: 'string' },
      built: { type: 'boolean' },
      growth: { type: 'boolean' },
      blocks: { type: 'boolean' },
    },
  })
  const options = { questions: Number(values.questions), flight: Number(values.flight) }
  if (!values.built && spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' }).status !== 0)
    throw new Error('the build failed')
  const slack = await startSlack()
  const model = await startModel(20)
  const redis = await startRedis()
  const base = envFor(slack, model)
  if (values.blocks) await threadBlocks(BOT, base, { slack, questions: options.questions / 5 })
  const results: Result[] = []
  for (const side of sides(base, redis.url).filter((s) => !values.only || s.name.includes(values.only)))
    results.push(await measure(side, { slack, redis: redis.client, ...options }))
  print(results, values.json ?? false)
  if (values.growth) await growth({ ...base, REDIS_URL: redis.url, REDIS_PREFIX: 'growth' }, slack)
  slack.close()
  model.close()
  await redis.stop()
}

function sides(base: Record<string, string>, redisUrl: string): Side[] {
  const bot = (env: Record<string, string> = {}) => ({ command: BOT, env: { ...base, ...env } })
  const workers = (n: number) => [
    bot({ REDIS_URL: redisUrl, ROLE: 'front' }),
    ...Array.from({ length: n }, () => bot({ REDIS_URL: redisUrl, ROLE: 'worker', WORKER_CONCURRENCY: '50' })),
  ]
  return [
    {
      name: 'floor: bare Bolt',
      processes: [{ command: FLOOR, env: { ...base, REDIS_URL: redisUrl } }],
      withRedis: true,
    },
    { name: 'thinkaloud, in memory', processes: [bot({ WORKER_CONCURRENCY: '50' })], withRedis: false },
    {
      name: 'thinkaloud, Redis and BullMQ',
      processes: [bot({ REDIS_URL: redisUrl, WORKER_CONCURRENCY: '50' })],
      withRedis: true,
    },
    { name: 'front and 1 worker', processes: workers(1), withRedis: true },
    { name: 'front and 2 workers', processes: workers(2), withRedis: true },
    { name: 'front and 4 workers', processes: workers(4), withRedis: true },
    { name: 'floor again', processes: [{ command: FLOOR, env: { ...base, REDIS_URL: redisUrl } }], withRedis: true },
  ]
}

async function measure(
  side: Side,
  options: { slack: BenchSlack; redis: Redis; questions: number; flight: number },
): Promise<Result> {
  const { slack, redis, questions } = options
  const ports = await Promise.all(side.processes.map(() => freePort()))
  const running = await Promise.all(
    side.processes.map(({ command, env }, i) => start(command, { ...env, PORT: String(ports[i]) })),
  )
  const target = `http://127.0.0.1:${ports[0]}/slack/events`
  await flood(slack, target, { ...options, questions: Math.ceil(questions / 5) })
  const [cpu, commands, from] = [cpuOf(running), await commandsOf(redis), performance.now()]
  const times = await flood(slack, target, options)
  const seconds = (performance.now() - from) / 1000
  const result: Omit<Result, 'againMs'> = {
    name: side.name,
    perSecond: questions / seconds,
    p50: quantile(
      times.map((t) => t.ms),
      0.5,
    ),
    p99: quantile(
      times.map((t) => t.ms),
      0.99,
    ),
    ackP99: quantile(
      times.map((t) => t.ackMs),
      0.99,
    ),
    cpuMs: (cpuOf(running) - cpu) / questions,
    peakMb: Math.max(...running.map((p) => p.peakMb())),
    ...(side.withRedis ? { redisCommands: ((await commandsOf(redis)) - commands) / questions } : {}),
  }
  const warm = cpuOf(running)
  await flood(slack, target, options)
  const againMs = (cpuOf(running) - warm) / questions
  await Promise.all(running.map((p) => p.stop()))
  return { ...result, againMs }
}

/** Keeps `flight` questions in progress, each in its own thread. */
async function flood(slack: BenchSlack, target: string, { questions, flight }: { questions: number; flight: number }) {
  const times: { ms: number; ackMs: number }[] = []
  let left = questions
  const lane = async () => {
    while (left-- > 0) times.push(await slack.ask(target))
  }
  await Promise.all(Array.from({ length: flight }, lane))
  return times
}

/**
 * Measures the cost of a question as threads grow from 100 to 10,000, and as the histories of ten threads grow from 1
 * to 200 turns. Ten are asked at a time. Asked one by one, a question costs twice as much at any size, because the
 * process wakes up for each answer. The last row shows that.
 */
async function growth(env: Record<string, string>, slack: BenchSlack): Promise<void> {
  const port = await freePort()
  const bot = await start(BOT, { ...env, PORT: String(port), WORKER_CONCURRENCY: '50' })
  const target = `http://127.0.0.1:${port}/slack/events`
  const rows: Record<string, object> = {}
  const note = async (name: string, work: () => Promise<number>) => {
    const cpu = bot.cpuMs()
    const asked = await work()
    rows[name] = { 'CPU ms/question': ((bot.cpuMs() - cpu) / asked).toFixed(2), 'peak MiB': bot.peakMb() }
  }
  let threads = 0
  for (const upTo of [100, 1000, 10_000]) {
    await flood(slack, target, { questions: upTo - threads - 50, flight: 50 })
    threads = upTo
    await note(`${upTo} threads`, async () => (await flood(slack, target, { questions: 50, flight: 10 })).length)
  }
  const roots = await Promise.all(Array.from({ length: 10 }, async () => (await slack.ask(target)).thread))
  let turns = 1
  for (const upTo of [20, 100, 200]) {
    const more = upTo - turns
    const follow = async (thread: string) => {
      for (let i = 0; i < more; i++) await slack.ask(target, thread)
    }
    await note(`turns ${turns} to ${upTo} of ten threads`, async () => {
      await Promise.all(roots.map(follow))
      return more * roots.length
    })
    turns = upTo
  }
  await note(
    'first questions one by one',
    async () => (await flood(slack, target, { questions: 50, flight: 1 })).length,
  )
  console.table(rows)
  await bot.stop()
}

function cpuOf(processes: Measured[]): number {
  return processes.reduce((sum, p) => sum + p.cpuMs(), 0)
}

async function commandsOf(redis: Redis): Promise<number> {
  return Number(/total_commands_processed:(\d+)/.exec(await redis.info('stats'))?.[1] ?? 0)
}

function print(results: Result[], asJson: boolean): void {
  const floors = results.filter((r) => r.name.startsWith('floor')).map((r) => r.cpuMs)
  const floor = floors.reduce((sum, ms) => sum + ms, 0) / Math.max(1, floors.length)
  if (asJson) return console.log(JSON.stringify(results.map((r) => ({ ...r, cpuRatio: r.cpuMs / floor }))))
  console.table(
    Object.fromEntries(
      results.map((r) => [
        r.name,
        {
          'questions/s': r.perSecond.toFixed(0),
          'p50 ms': r.p50.toFixed(0),
          'p99 ms': r.p99.toFixed(0),
          'ack p99 ms': r.ackP99.toFixed(0),
          'CPU ms/question': r.cpuMs.toFixed(2),
          'and again': r.againMs.toFixed(2),
          'x floor': (r.cpuMs / floor).toFixed(2),
          'Redis commands': r.redisCommands?.toFixed(1) ?? '-',
          'peak MiB': r.peakMb,
        },
      ]),
    ),
  )
  if (results.some(({ name }) => /\d workers/.test(name)))
    console.log(
      'With several workers, BullMQ wakes one more a question, which looks for a job in vain: 7 to 8 commands.',
    )
  for (const { name, cpuMs, redisCommands } of results) {
    const most = TO_REACH[name]
    if (most !== undefined && floors.length > 0)
      console.log(`CPU by the floor's, ${name}: ${atMost(cpuMs / floor, most)}`)
    if (most !== undefined && redisCommands !== undefined)
      console.log(`Redis commands, ${name}: ${atMost(redisCommands, MAX_REDIS_COMMANDS)}`)
  }
}
