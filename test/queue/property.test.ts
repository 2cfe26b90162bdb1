/**
 * Model-based: after any order of deliveries, redeliveries, lost acks, crashes, hand-overs and failures, each accepted
 * question's posts are made once, and each thread's posts are in the order in which its questions were stored.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { memoryQueue } from '../../src/queue/memory-queue.ts'
import { redisQueue } from '../../src/queue/redis-queue.ts'
import type { Handler, Queue } from '../../src/queue/types.ts'
import type { Question } from '../../src/stores/runs/types.ts'
import { dies } from '../harness/dead-worker.ts'
import { PlayedSlack } from '../harness/played-slack.ts'
import { redisProxy } from '../harness/redis-proxy.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import { eventually, keptLog, question } from '../harness/stores.ts'
import { propertyRuns } from '../harness/property-runs.ts'

/** The expected state: the questions of each thread, in the order in which they were stored. */
interface Model {
  threads: Map<string, string[]>
  asked: Question[]
}

/** Creates a worker. `die` cuts its connection to Redis. */
type WorkerFactory = () => Promise<{ queue: Queue; die?: () => Promise<void> }>

/** The actual state: a queue, the posts that people see, and the faults that can be injected. */
class World {
  readonly slack = new PlayedSlack()
  readonly #opened: Queue[] = []
  readonly #worker: WorkerFactory
  #current: Awaited<ReturnType<WorkerFactory>> | undefined
  readonly front: Queue
  /** Creates a front whose connection to Redis is cut within its next commands. */
  readonly lossyFront: ((n: number, when: 'before' | 'after') => Promise<Queue>) | undefined
  failNext = false

  constructor(options: { front: Queue; worker: WorkerFactory; lossyFront?: NonNullable<World['lossyFront']> }) {
    this.front = options.front
    this.#worker = options.worker
    this.lossyFront = options.lossyFront
    this.#opened.push(options.front)
  }

  handler: Handler = async (asked, run, signal) => {
    if (this.failNext) {
      this.failNext = false
      throw new Error('once')
    }
    await this.slack.handler()(asked, run, signal)
  }

  async start(): Promise<void> {
    this.#current = await this.#worker()
    this.#opened.push(this.#current.queue)
    await this.#current.queue.start(this.handler)
  }

  async replaceWorker(how: 'crash' | 'hand over'): Promise<void> {
    const old = this.#current
    if (how === 'crash') await old?.die?.()
    else await old?.queue.stop(0)
    await this.start()
  }

  adopt(queue: Queue): Queue {
    this.#opened.push(queue)
    return queue
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.map((queue) => queue.stop(0)))
  }
}

type Command = fc.AsyncCommand<Model, World>

function stored(model: Model, asked: Question): void {
  model.asked.push(asked)
  model.threads.set(asked.thread, [...(model.threads.get(asked.thread) ?? []), asked.ts ?? ''])
}

class Ask implements Command {
  readonly #thread: number
  readonly #deliveries: number
  constructor(thread: number, deliveries: number) {
    this.#thread = thread
    this.#deliveries = deliveries
  }
  check = () => true
  async run(model: Model, world: World) {
    const asked = question(`q${model.asked.length}`, { thread: `${this.#thread}.0` })
    const deliveries = Array.from({ length: this.#deliveries }, () => world.front.accept(asked))
    const results = await Promise.all(deliveries)
    expect(results.filter((result) => result === 'accepted')).toHaveLength(1)
    stored(model, asked)
  }
  toString = () => `ask in ${this.#thread}, delivered ${this.#deliveries} times`
}

class Redeliver implements Command {
  readonly #which: number
  constructor(which: number) {
    this.#which = which
  }
  check = ({ asked }: Readonly<Model>) => asked.length > 0
  async run(model: Model, world: World) {
    const asked = model.asked[this.#which % model.asked.length]
    if (asked) expect(await world.front.accept(asked)).toBe('duplicate')
  }
  toString = () => `redeliver ${this.#which}`
}

class AskThroughDyingFront implements Command {
  readonly #thread: number
  readonly #at: number
  readonly #when: 'before' | 'after'
  constructor(thread: number, at: number, when: 'before' | 'after') {
    this.#thread = thread
    this.#at = at
    this.#when = when
  }
  check = () => true
  async run(model: Model, world: World) {
    const asked = question(`q${model.asked.length}`, { thread: `${this.#thread}.0` })
    const dying = await world.lossyFront?.(this.#at, this.#when)
    const acked = await dying?.accept(asked).catch(() => undefined)
    if (acked !== 'accepted') await world.front.accept(asked)
    stored(model, asked)
  }
  toString = () => `ask in ${this.#thread} through a front that dies ${this.#when} command ${this.#at}`
}

class ReplaceWorker implements Command {
  readonly #how: 'crash' | 'hand over'
  constructor(how: 'crash' | 'hand over') {
    this.#how = how
  }
  check = () => true
  run = (_: Model, world: World) => world.replaceWorker(this.#how)
  toString = () => this.#how
}

class FailOnce implements Command {
  check = () => true
  async run(_: Model, world: World) {
    world.failNext = true
  }
  toString = () => 'fail once'
}

class Pause implements Command {
  check = () => true
  run = () => new Promise<void>((resolve) => setTimeout(resolve, 10))
  toString = () => 'pause'
}

const thread = fc.integer({ min: 0, max: 2 })
const gentle = [
  fc.tuple(thread, fc.integer({ min: 1, max: 3 })).map(([at, deliveries]) => new Ask(at, deliveries)),
  fc.nat(20).map((which) => new Redeliver(which)),
  fc.constant(new FailOnce()),
  fc.constant(new Pause()),
]
const rough = [
  fc
    .tuple(thread, fc.integer({ min: 1, max: 3 }), fc.constantFrom('before' as const, 'after' as const))
    .map((args) => new AskThroughDyingFront(...args)),
  fc.constantFrom('crash' as const, 'hand over' as const).map((how) => new ReplaceWorker(how)),
]

async function holds(world: World, commands: Iterable<Command>): Promise<void> {
  const model: Model = { threads: new Map(), asked: [] }
  try {
    await world.start()
    await fc.asyncModelRun(() => ({ model, real: world }), commands)
    await eventually(() => expect(world.slack.posts.length).toBeGreaterThanOrEqual(model.asked.length * 3))
    for (const names of model.threads.values()) {
      const posts = world.slack.posts.filter((post) => names.includes(post.split(':')[0] ?? ''))
      expect(posts).toEqual(PlayedSlack.postsOf(...names))
    }
    expect(world.slack.posts).toHaveLength(model.asked.length * 3)
  } finally {
    await world.close()
  }
}

describe('the embedded queue', () => {
  test('posts everything once and in order, after any deliveries and failures', async () => {
    const property = fc.asyncProperty(fc.commands(gentle, { maxCommands: 40 }), async (commands) => {
      const queue = memoryQueue({ now: Date.now, log: keptLog(), backoffMs: 1, maxFailures: 100, graceMs: 10 })
      await holds(new World({ front: queue, worker: async () => ({ queue }) }), commands)
    })
    await fc.assert(property, { numRuns: propertyRuns({ test: 20, chaos: 60 }) })
  })
})

describeWithRedis('the queue in Redis', () => {
  const server = suiteRedis()
  let count = 0

  const open = (prefix: string, role: 'front' | 'worker', url = server.url) => {
    const times = { lockMs: 60_000, stalledMs: 150, sweepMs: 300, backoffMs: 1, graceMs: 50, acceptMs: 200 }
    const patience = { maxFailures: 100, maxLosses: 100 }
    return redisQueue({ now: Date.now, redis: { url }, prefix, role, log: keptLog(), ...times, ...patience })
  }
  const ready = async (queue: Queue) => {
    await eventually(async () => expect(await queue.ready()).toBe(true))
    return queue
  }

  async function makeWorld(): Promise<World> {
    const prefix = `p${count++}`
    const world: World = new World({
      front: await ready(
        redisQueue({
          now: Date.now,
          redis: { url: server.url },
          prefix,
          role: 'front',
          acceptMs: 60_000,
          log: keptLog(),
        }),
      ),
      async worker() {
        const proxy = await redisProxy(server.port)
        return { queue: open(prefix, 'worker', proxy.url), die: () => dies(proxy, { url: server.url, prefix }) }
      },
      async lossyFront(n, when) {
        const proxy = await redisProxy(server.port)
        const front = world.adopt(await ready(open(prefix, 'front', proxy.url)))
        proxy.cutAt(n, when)
        return front
      },
    })
    return world
  }

  test('posts everything once and in order, after any crashes', async () => {
    const property = fc.asyncProperty(fc.commands([...gentle, ...rough], { maxCommands: 25 }), async (commands) =>
      holds(await makeWorld(), commands),
    )
    await fc.assert(property, { numRuns: propertyRuns({ test: 4, chaos: 8 }), endOnFailure: true })
  }, 300_000)
})
