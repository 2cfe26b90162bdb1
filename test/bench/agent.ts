/**
 * `npm run bench -- agent`: a three-step question, in Thinkaloud's agent and in a bare loop over the `openai` SDK. Each
 * side and the simulated model have their own processes. Rounds are interleaved, and the results are ratios.
 */
import { fork, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from '../../src/base/package-root.ts'
import { quantile } from '../../src/commands/eval/eval-summary.ts'
import type { RoundRequest, RoundResult } from './agent/side.ts'
import { promptTokens, type PromptTokens } from './agent/tokens.ts'
import { atLeast, atMost } from './targets.ts'

/**
 * The targets: at most these ratios of CPU to the floor's and of tokens to LangChain's; at least this ratio of
 * questions per second; at most these tokens in the three prompts, and ms to import the agent and the whole bot.
 */
const TO_REACH = { whole: 0.8, streamed: 0.6, perSecond: 1, tokens: 1.1, promptTokens: 766, agentMs: 110, botMs: 450 }

interface Result {
  /** Per question, when the process is warm and in its first round. */
  cpuMs: number
  freshCpuMs: number
  perSecond: number
  peakMb: number
}

interface Measured extends Result {
  /** The seconds of each round, in order. */
  seconds: number[]
}

type Mode = 'whole' | 'streamed'
type Side = 'floor' | 'ours'

export async function run(args: string[]): Promise<void> {
  const options = parseOptions(args)
  if (!options.built) build()
  const model = await forked('model', [String(options.pace)])
  const sides = await startSides(model.said)
  const results = await measure(sides, options)
  for (const { child } of [model, ...sides]) child.disconnect()
  const report = {
    ...options,
    results,
    ratios: ratiosOf(results),
    importMs: importTimes(),
    tokens: await promptTokens(),
  }
  if (options.json) console.log(JSON.stringify(report, null, 2))
  else print(report)
}

function parseOptions(args: string[]) {
  const text = (value: string) => ({ type: 'string', default: value }) as const
  const flags = { json: { type: 'boolean', default: false }, built: { type: 'boolean', default: false } } as const
  const { values } = parseArgs({
    args,
    options: { questions: text('200'), flight: text('50'), rounds: text('15'), pace: text('0'), ...flags },
  })
  const { json, built } = values
  return {
    questions: Number(values.questions),
    flight: Number(values.flight),
    rounds: Number(values.rounds),
    /** Milliseconds between two tokens of a stream. */
    pace: Number(values.pace),
    json,
    built,
  }
}

function build(): void {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' })
  if (status !== 0) throw new Error('the build failed')
}

const DIST = join(ROOT, 'dist')

interface Running {
  child: ChildProcess
  said: string
}

/** Starts a process of this bench. Resolves when it reports that it is ready. */
async function forked(name: string, args: string[]): Promise<Running> {
  const child = fork(join(ROOT, `test/bench/agent/${name}-process.ts`), args, {
    execArgv: ['--import', 'tsx'],
    env: { PATH: process.env.PATH },
  })
  const [said] = (await once(child, 'message')) as [string]
  return { child, said }
}

type RunningSide = Running & { side: Side; mode: Mode }

async function startSides(url: string): Promise<RunningSide[]> {
  const all = (['whole', 'streamed'] as const).flatMap((mode) =>
    (['floor', 'ours'] as const).map((side) => ({ side, mode })),
  )
  return Promise.all(all.map(async ({ side, mode }) => ({ side, mode, ...(await forked(side, [url, DIST, mode])) })))
}

/** Rounds until V8 has compiled the code of both sides. The first one shows the cost of a fresh process. */
const WARM_UP = 7

async function measure(
  sides: RunningSide[],
  { questions, flight, rounds }: { questions: number; flight: number; rounds: number },
) {
  const took = new Map<RunningSide, RoundResult[]>(sides.map((side) => [side, []]))
  for (let round = 0; round < WARM_UP + rounds; round++) {
    for (const side of sides) {
      side.child.send({ questions, inFlight: flight } satisfies RoundRequest)
      took.get(side)?.push(((await once(side.child, 'message')) as [RoundResult])[0])
    }
  }
  return sides.map((side) => ({ side: side.side, mode: side.mode, ...medians(took.get(side) ?? [], questions) }))
}

function medians(all: RoundResult[], questions: number): Measured {
  const took = all.slice(WARM_UP)
  const median = (part: (one: RoundResult) => number) => medianOf(took.map(part))
  return {
    seconds: took.map(({ seconds }) => seconds),
    cpuMs: median((one) => one.cpuMs),
    freshCpuMs: all[0]?.cpuMs ?? NaN,
    perSecond: questions / median((one) => one.seconds),
    peakMb: Math.max(...all.map((one) => one.peakMb)),
  }
}

function medianOf(numbers: number[]): number {
  return quantile(
    numbers.toSorted((a, b) => a - b),
    0.5,
  )
}

type Results = Awaited<ReturnType<typeof measure>>

/**
 * Ratios of medians. For questions per second it is the median of the rounds' ratios, because other load on the machine
 * affects both sides of a round alike.
 */
function ratiosOf(results: Results): Record<Mode, Result> {
  const of = (mode: Mode) => {
    const [floor, ours] = (['floor', 'ours'] as const).map((side) =>
      results.find((one) => one.side === side && one.mode === mode),
    )
    const ratio = (part: keyof Result) => (ours?.[part] ?? NaN) / (floor?.[part] ?? NaN)
    return {
      cpuMs: ratio('cpuMs'),
      freshCpuMs: ratio('freshCpuMs'),
      perSecond: medianOf((floor?.seconds ?? []).map((seconds, round) => seconds / (ours?.seconds[round] ?? NaN))),
      peakMb: ratio('peakMb'),
    }
  }
  return { whole: of('whole'), streamed: of('streamed') }
}

interface ImportTimes {
  openai: number
  agent: number
  bot: number
}

const IMPORTS = 9

/**
 * The ms that a fresh process takes to load the agent with its tools and model, and the bot, compared with the SDK
 * alone. The minimum of several runs, because other load only adds.
 */
function importTimes(): ImportTimes {
  const time = (module: string) => {
    const code = `const from = performance.now(); await import(${JSON.stringify(module)}); console.log(performance.now() - from)`
    const runs = Array.from({ length: IMPORTS }, () => {
      const { status, stdout, stderr } = spawnSync('node', ['--input-type=module', '-e', code], {
        cwd: ROOT,
        encoding: 'utf8',
      })
      if (status !== 0) throw new Error(`${module} cannot be imported: ${stderr}`)
      return Number(stdout)
    })
    return Math.min(...runs)
  }
  const built = (name: string) => time(join(DIST, `src/${name}.js`))
  return { openai: time('openai'), agent: built('question/agent/create-agent'), bot: built('bot') }
}

interface Report {
  results: Results
  ratios: ReturnType<typeof ratiosOf>
  importMs: ImportTimes
  tokens: PromptTokens
  questions: number
  rounds: number
}

function print({ results, ratios, importMs, tokens, questions, rounds }: Report): void {
  // The floor uses Node's undici. That of Node 20 does not check a used connection before it writes (CVE-2026-6733).
  console.log(
    `Node ${process.versions.node}; the floor's transport is its undici ${process.versions.undici}, ours the package's.`,
  )
  console.log(`Three calls a question, medians of ${rounds} rounds of ${questions} questions:`)
  const rows = results.map(({ side, mode, cpuMs, freshCpuMs, perSecond, peakMb }) => [
    `${side === 'floor' ? 'openai SDK, bare loop' : 'thinkaloud'}, ${mode}`,
    {
      'CPU ms': cpuMs.toFixed(2),
      'CPU ms, first round': freshCpuMs.toFixed(2),
      'questions/s': perSecond.toFixed(0),
      'peak MiB': peakMb.toFixed(0),
    },
  ])
  console.table(Object.fromEntries(rows))
  for (const [mode, { cpuMs, perSecond }] of Object.entries(ratios) as [Mode, Result][]) {
    console.log(`CPU by the floor's, ${mode}: ${atMost(cpuMs, TO_REACH[mode])}`)
    console.log(`Questions a second by the floor's, ${mode}: ${atLeast(perSecond, TO_REACH.perSecond)}`)
  }
  console.log(`Prompt tokens, three calls: ${atMost(tokens.ours, TO_REACH.promptTokens)}`)
  console.log(
    `By LangChain's zero-shot prompt with the same steps (${tokens.langchain}): ${atMost(tokens.ratio, TO_REACH.tokens)}`,
  )
  console.log(`By what LangChain itself was measured with (734): ${atMost(tokens.ratioToMeasured, TO_REACH.tokens)}`)
  console.log(`Import of the agent, ms: ${atMost(importMs.agent, TO_REACH.agentMs)}`)
  console.log(`Import of the bot, ms: ${atMost(importMs.bot, TO_REACH.botMs)}`)
  console.log(`Import of the openai SDK alone, ms: ${importMs.openai.toFixed(0)}`)
}
