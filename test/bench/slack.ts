/**
 * `npm run bench -- slack`: the number of Slack calls of each way to show the work (`STEPS`), and how soon people see
 * something, with a Slack that answers at once; and the time to an ack at 50 mentions per second. Loopback only.
 */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { STEPS } from '../../src/config.ts'
import type { WebApiCall } from '../../playground/slack/types.ts'
import { measureAcks, printAcks } from './ack.ts'
import { startRedis } from './load/bench-redis.ts'
import { quantile } from './load/quantile.ts'
import { startWatchedBot, type WatchedAnswer, type WatchedBot } from './slack/watched-bot.ts'
import { atMost } from './targets.ts'

/** The maximum number of calls per answer without statuses, by steps and by the seconds that a stream was open. */
const MAX_CALLS: Record<string, MaxCalls> = {
  replies: (steps) => 2 * steps + 3,
  card: (steps) => Math.floor(steps / 2) + 4,
  // One start, one stop, one append a second.
  stream: (_, seconds) => 2 + Math.ceil(seconds),
  hidden: () => 1,
} satisfies Record<(typeof STEPS)[number], MaxCalls>
type MaxCalls = (steps: number, seconds: number) => number

/**
 * The targets: the median ms from the mention to the first sign, and the calls between the model's last word and the
 * whole answer.
 */
const TO_REACH = { signP50: 150, callsAfter: 1 }

interface Options {
  steps: number[]
  each: number
  signs: number
  stepMs: number
  wordMs: number
  slackMs: number
}

interface Result {
  way: string
  runs: { steps: number; answers: WatchedAnswer[] }[]
  signs: number[]
}

export async function run(args: string[]): Promise<void> {
  const text = (value: string) => ({ type: 'string', default: value }) as const
  const { values } = parseArgs({
    args,
    options: {
      ways: text(STEPS.join(',')),
      steps: text('1,5,10'),
      /** Questions of each length, and the number of those that measure the first sign of life. */
      each: text('5'),
      signs: text('100'),
      'step-ms': text('1000'),
      'word-ms': text('50'),
      'slack-ms': text('0'),
      'ack-seconds': text('10'),
      built: { type: 'boolean' },
    },
  })
  if (!values.built && spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' }).status !== 0)
    throw new Error('the build failed')
  const options = {
    steps: values.steps.split(',').map(Number),
    each: Number(values.each),
    signs: Number(values.signs),
    stepMs: Number(values['step-ms']),
    wordMs: Number(values['word-ms']),
    slackMs: Number(values['slack-ms']),
  }
  const results: Result[] = []
  const ways = values.ways.split(',')
  const seconds = Number(values['ack-seconds'])
  for (const [n, way] of ways.entries()) {
    console.error(`${n + 1} of ${ways.length} displays: ${way}. ${secondsFor(options)}`)
    results.push(await measure(way, options))
  }
  if (seconds > 0) console.error(`Acks: 50 mentions a second for ${seconds} s.`)
  const { acks } = seconds > 0 ? await measureAcks({ rate: 50, seconds }) : { acks: [] }
  print(results, options)
  if (acks.length > 0) printAcks(acks)
}

/** Says what a display's measurement consists of, and the time that the model's pace alone takes. */
function secondsFor({ steps, each, signs, stepMs }: Options): string {
  const paceS = Math.ceil((Math.max(...steps) * stepMs) / 1000)
  return `${signs} first signs, then ${steps.length * each} runs at once; the longest takes more than ${paceS} s.`
}

/**
 * Measures first one by one, with a model that answers at once; then runs of all lengths in parallel, at a model's
 * pace.
 */
async function measure(way: string, { steps, each, signs, stepMs, wordMs, slackMs }: Options): Promise<Result> {
  const redis = await startRedis()
  const bot = await startWatchedBot(way, redis.url)
  // One-time compilation is not measured.
  await oneByOne(bot, 30)
  const signMs = (await oneByOne(bot, signs)).map((answer) => answer.signMs)
  bot.slowSlack(slackMs)
  const runs = await Promise.all(
    steps.map(async (n) => {
      const asked = Array.from({ length: each }, () => bot.ask({ steps: n, stepMs, wordMs }))
      return { steps: n, answers: await Promise.all(asked) }
    }),
  )
  await bot.settle()
  await bot.stop()
  await redis.stop()
  return { way, runs, signs: signMs }
}

async function oneByOne(bot: WatchedBot, count: number): Promise<WatchedAnswer[]> {
  const answers: WatchedAnswer[] = []
  while (answers.length < count) answers.push(await bot.ask({ steps: 1, stepMs: 0, wordMs: 0 }))
  return answers
}

function print(results: Result[], { stepMs, wordMs, slackMs }: Options): void {
  console.log(
    `The model takes ${stepMs} ms a step and ${wordMs} ms a word of its answer, Slack ${slackMs} ms a call and what it takes here.`,
  )
  const runs = results.flatMap(({ way, runs }) =>
    runs.map((one) => ({ way, name: `${way}, ${one.steps} step${one.steps === 1 ? '' : 's'}`, ...one })),
  )
  console.table(Object.fromEntries(runs.map(({ name, answers }) => [name, callsRow(answers)])))
  console.table(Object.fromEntries(results.map((result) => [result.way, timesRow(result)])))
  for (const { way, name, steps, answers } of runs)
    printCalls(name, dearest(answers).calls(), MAX_CALLS[way]?.bind(undefined, steps))
  for (const { way, signs, runs } of results) {
    console.log(`First sign of life, ${way}, p50 ms: ${atMost(quantile(signs, 0.5), TO_REACH.signP50)}`)
    const most = Math.max(...runs.flatMap(({ answers }) => answers).map(({ callsAfter }) => callsAfter))
    console.log(`Calls from the model's last word to the whole answer, ${way}: ${atMost(most, TO_REACH.callsAfter)}`)
  }
}

/** Returns the answer with the most calls. The runs of a display differ little. */
function dearest(answers: WatchedAnswer[]): WatchedAnswer {
  return answers.reduce((most, one) => (one.calls().length > most.calls().length ? one : most))
}

function callsRow(answers: WatchedAnswer[]): Record<string, string | number> {
  const answer = dearest(answers)
  const counts = new Map<string, number>()
  for (const { method } of answer.calls()) counts.set(method, (counts.get(method) ?? 0) + 1)
  return {
    'Slack calls': answer.calls().length,
    'of them': [...counts].map(([method, count]) => `${method} ${count}`).join(', '),
    'status calls': answer.statusCalls().length,
  }
}

function timesRow({ signs, runs }: Result): Record<string, string | number> {
  const answers = runs.flatMap((one) => one.answers)
  const [firsts, lasts] = [answers.map(({ firstWordMs }) => firstWordMs), answers.map(({ lastWordMs }) => lastWordMs)]
  return {
    'first sign p50 ms': quantile(signs, 0.5).toFixed(0),
    'p99 ms': quantile(signs, 0.99).toFixed(0),
    'answer’s first word p50 ms': quantile(firsts, 0.5).toFixed(0),
    'its p99 ms': quantile(firsts, 0.99).toFixed(0),
    'last word p50 ms': quantile(lasts, 0.5).toFixed(0),
    'calls for that': Math.max(...answers.map(({ callsAfter }) => callsAfter)),
  }
}

function printCalls(name: string, calls: WebApiCall[], most?: (seconds: number) => number): void {
  const streamed = calls.filter(({ method }) => method.endsWith('Stream'))
  const seconds = streamed.length > 0 ? (streamed.at(-1)!.at - streamed[0]!.at) / 1000 : 0
  if (most) console.log(`Slack calls, ${name}: ${atMost(calls.length, most(seconds))}`)
  for (const method of ['chat.startStream', 'chat.stopStream'])
    if (streamed.length > 0)
      console.log(`${method}, ${name}: ${atMost(calls.filter((call) => call.method === method).length, 1)}`)
}
