import type { Bot } from '../../src/bot.ts'
import type { Env } from '../../src/config.ts'
import { secondBot, startBot, type TestBot, type TestBotOptions, type Thread } from './bot.ts'
import type { Ends } from './ends.ts'
import { act } from './played-model.ts'

/** The way the bot runs: in memory, or as a front and a worker on a Redis, each in its own bot. */
export interface Way {
  redisUrl?: string
}

let count = 0

/** Starts a bot that people reach, with its worker if that is another process. */
export async function steeredBot(
  t: Ends,
  { redisUrl }: Way,
  options: TestBotOptions = {},
): Promise<TestBot & { worker?: Bot; prefix: string; startWorker: (env?: Env) => Promise<Bot> }> {
  const prefix = `steer${count++}`
  if (!redisUrl)
    return { ...(await startBot(t, options)), prefix, startWorker: () => Promise.reject(new Error('none')) }
  const shared: Env = { ...options.env, REDIS_URL: redisUrl, REDIS_PREFIX: prefix, SHUTDOWN_MS: '300' }
  const bot = await startBot(t, { ...options, env: { ...shared, ROLE: 'front' } })
  const startWorker = (env: Env = {}) => secondBot(t, bot, { ...shared, ROLE: 'worker', ...env })
  return { ...bot, prefix, startWorker, worker: await startWorker() }
}

/** Waits until the bot works on the question, at its second thought, which does not end by itself. */
export async function atSecondThought(bot: TestBot, key: string, ask: () => Promise<Thread>): Promise<Thread> {
  bot.model.on(key, act('I look.', 'calculator', '1+1'), { hang: true })
  const thread = await ask()
  const turns = () => bot.model.about(key).filter(({ kind }) => kind === 'turn')
  await bot.slack.until(() => thread.steps().length === 1 && turns().length === 2, 'the first step')
  return thread
}
