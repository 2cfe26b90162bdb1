/**
 * `npm run bench -- teams`: the distributed app with 1, 100 and 1,000 installations on Redis: its start-up time, its
 * memory, and the cost of a question compared with one installation. Target: a question costs at most 1.1 times as
 * much.
 */
import { spawnSync } from 'node:child_process'
import { connectRedis } from '../../src/base/redis/redis.ts'
import { sealerOf } from '../../src/base/encryption.ts'
import { redisKv } from '../../src/stores/kv/redis-kv.ts'
import { createInstallations } from '../../src/stores/installations/installation-store.ts'
import { until } from '../../playground/base/until.ts'
import { distributed } from '../harness/many-bot.ts'
import { APP, botUserOf, manySlacks, type Home, type ManySlacks } from '../harness/many-slacks.ts'
import { startRedis } from './load/bench-redis.ts'
import { freePort, start } from './load/measured-process.ts'
import { startModel } from './load/servers.ts'
import { atMost } from './targets.ts'

const COUNTS = [1, 100, 1000]
const QUESTIONS = 400
const AT_ONCE = 20
const MAX_RATIO = 1.1

export async function run(args: string[]): Promise<void> {
  if (!args.includes('--built') && spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' }).status !== 0)
    throw new Error('the build failed')
  const rows: Measured[] = []
  for (const count of COUNTS) rows.push(await measure(count))
  console.table(
    rows.map(({ count, startMs, idleMb, afterMb, cpuMs }) => ({
      installations: count,
      'start ms': startMs.toFixed(0),
      'MiB at the start': idleMb,
      'MiB after the questions': afterMb,
      'CPU ms a question': cpuMs.toFixed(2),
    })),
  )
  const [one, , many] = rows
  if (one && many) console.log(`CPU a question, 1,000 to 1: ${atMost(many.cpuMs / one.cpuMs, MAX_RATIO)}`)
}

interface Measured {
  count: number
  startMs: number
  idleMb: number
  afterMb: number
  cpuMs: number
}

async function measure(count: number): Promise<Measured> {
  const ends: (() => unknown)[] = []
  const t = { onTestFinished: (end: () => unknown) => void ends.push(end) }
  const [slack, model, redis] = [await manySlacks(t), await startModel(5), await startRedis()]
  const homes = Array.from({ length: count }, (_, n) => ({ id: `T0BENCH${String(n).padStart(4, '0')}` }))
  const port = await freePort()
  const env: Record<string, string> = {
    ...(distributed(slack) as Record<string, string>),
    OPENAI_BASE_URL: model.url,
    REDIS_URL: redis.url,
    PORT: String(port),
  }
  await install(homes, { slack, url: redis.url, secret: env.SECRETS_KEY ?? '' })
  slack.setTarget(`http://127.0.0.1:${port}`)
  const from = performance.now()
  const bot = await start(['node', 'dist/src/main.js'], { ...env, LOG_LEVEL: 'warn', NODE_ENV: 'production' } as Record<
    string,
    string
  >)
  const startMs = performance.now() - from
  const idleMb = bot.nowMb()
  // Asks once in each workspace, so that one-time work is not measured.
  await ask(homes, { slack, questions: Math.max(100, count) })
  const cpuBefore = bot.cpuMs()
  await ask(homes, { slack, questions: QUESTIONS })
  const cpuMs = (bot.cpuMs() - cpuBefore) / QUESTIONS
  const afterMb = bot.nowMb()
  await bot.stop()
  model.close()
  await redis.stop()
  for (const end of ends) await end()
  return { count, startMs, idleMb, afterMb, cpuMs }
}

/** Stores the installations as the install page does. */
async function install(homes: Home[], { slack, url, secret }: { slack: ManySlacks; url: string; secret: string }) {
  const redis = connectRedis({ url }, { purpose: 'work', log: { info() {}, warn() {}, error() {} } })
  const records = createInstallations(redisKv({ redis, prefix: 'thinkaloud' }), sealerOf(secret))
  for (const home of homes)
    await records.save({
      ...{ id: home.id, name: `Team ${home.id}`, isOrgWide: false, appId: APP, token: slack.tokenOf(home) },
      ...{
        botUser: botUserOf(home.id),
        botId: `B0BOT${home.id.slice(1)}`,
        url: `https://${home.id.toLowerCase()}.slack.com/`,
      },
      ...{ scopes: ['chat:write'], installer: 'U0INSTALLER', installedAt: Date.now() },
    })
  redis.disconnect()
}

let asked = 0

/** Asks questions, several at once, in one workspace after another, and waits for their answers. */
async function ask(homes: Home[], { slack, questions }: { slack: ManySlacks; questions: number }): Promise<void> {
  for (let n = 0; n < questions; n += AT_ONCE) {
    const channels = Array.from(
      { length: Math.min(AT_ONCE, questions - n) },
      () => `C0B${String(++asked).padStart(7, '0')}`,
    )
    slack.calls.length = 0
    const deliveries = channels.map((channel, i) =>
      slack.mention(homes[(n + i) % homes.length]!, '29^0.23, and half of it?', { channel }),
    )
    await Promise.all(deliveries)
    const isAnswered = () => {
      const answers = slack.posts().filter(({ text }) => text.includes('BENCH-ANSWER'))
      return channels.every((channel) => answers.some((post) => post.channel === channel))
    }
    await until(isAnswered, 'the answers')
  }
}
