/**
 * `npm run bench -- agent`: one three-step question, Thinkaloud's agent beside a bare loop over the `openai` SDK. Each side
 * and the played model have processes of their own; rounds are interleaved; what counts are the ratios of medians.
 */
import { fork, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from '../../src/package-root.ts'
import { quantile } from '../../src/eval/eval-summary.ts'
import type { Told, Took } from './agent/side.ts'
import { promptTokens, type PromptTokens } from './agent/tokens.ts'

/** At most so many times the floor's CPU, and LangChain's tokens (issue 3). */
const TO_REACH = { whole: 1.3, streamed: 1.5, tokens: 1.1 }

interface Result {
  /** A question, once the process is warm, and in its first round. */
  cpuMs: number
  freshCpuMs: number
  perSecond: number
  peakMb: number
}

type Mode = 'whole' | 'streamed'
type Side = 'floor' | 'ours'

export async function run(args: string[]): Promise<void> {
  const options = parseOptions(args)
  if (!options.built) build()
  const model = await forked('model', [])
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
    options: { questions: text('200'), flight: text('50'), rounds: text('15'), ...flags },
  })
  const { json, built } = values
  return {
    questions: Number(values.questions),
    flight: Number(values.flight),
    rounds: Number(values.rounds),
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

/** A process of this bench, once it has said that it is there. */
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

/** Rounds until V8 has compiled what both sides run often; the first of them tells what a fresh process costs. */
const WARM_UP = 7

async function measure(
  sides: RunningSide[],
  { questions, flight, rounds }: { questions: number; flight: number; rounds: number },
) {
  const took = new Map<RunningSide, Took[]>(sides.map((side) => [side, []]))
  for (let round = 0; round < WARM_UP + rounds; round++) {
    for (const side of sides) {
      side.child.send({ questions, inFlight: flight } satisfies Told)
      took.get(side)?.push(((await once(side.child, 'message')) as [Took])[0])
    }
  }
  return sides.map((side) => ({ side: side.side, mode: side.mode, ...medians(took.get(side) ?? [], questions) }))
}

function medians(all: Took[], questions: number): Result {
  const took = all.slice(WARM_UP)
  const median = (part: (one: Took) => number) =>
    quantile(
      took.map(part).sort((a, b) => a - b),
      0.5,
    )
  return {
    cpuMs: median((one) => one.cpuMs),
    freshCpuMs: all[0]?.cpuMs ?? NaN,
    perSecond: questions / median((one) => one.seconds),
    peakMb: Math.max(...all.map((one) => one.peakMb)),
  }
}

type Results = Awaited<ReturnType<typeof measure>>

function ratiosOf(results: Results): Record<Mode, Result> {
  const of = (mode: Mode) => {
    const [floor, ours] = (['floor', 'ours'] as const).map((side) =>
      results.find((one) => one.side === side && one.mode === mode),
    )
    const ratio = (part: keyof Result) => (ours?.[part] ?? NaN) / (floor?.[part] ?? NaN)
    return {
      cpuMs: ratio('cpuMs'),
      freshCpuMs: ratio('freshCpuMs'),
      perSecond: ratio('perSecond'),
      peakMb: ratio('peakMb'),
    }
  }
  return { whole: of('whole'), streamed: of('streamed') }
}

/** Milliseconds that a fresh process takes to load the agent with its tools and model, beside the SDK alone. */
function importTimes(): { openai: number; agent: number } {
  const time = (module: string) => {
    const code = `const from = performance.now(); await import(${JSON.stringify(module)}); console.log(performance.now() - from)`
    const runs = Array.from({ length: 5 }, () =>
      spawnSync('node', ['--input-type=module', '-e', code], { cwd: ROOT, encoding: 'utf8' }),
    )
    return quantile(
      runs.map(({ stdout }) => Number(stdout)).sort((a, b) => a - b),
      0.5,
    )
  }
  return { openai: time('openai'), agent: time(join(DIST, 'src/create-agent.js')) }
}

interface Report {
  results: Results
  ratios: ReturnType<typeof ratiosOf>
  importMs: { openai: number; agent: number }
  tokens: PromptTokens
  questions: number
  rounds: number
}

function print({ results, ratios, importMs, tokens, questions, rounds }: Report): void {
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
  const held = (value: number, most: number) =>
    `${value.toFixed(2)} (at most ${most}: ${value <= most ? 'held' : 'NOT HELD'})`
  console.log(`CPU by the floor's, unstreamed: ${held(ratios.whole.cpuMs, TO_REACH.whole)}`)
  console.log(`CPU by the floor's, streamed: ${held(ratios.streamed.cpuMs, TO_REACH.streamed)}`)
  console.log(
    `Prompt tokens, three calls: ${tokens.ours}; LangChain's zero-shot prompt ${tokens.langchain}: ${held(tokens.ratio, TO_REACH.tokens)}`,
  )
  console.log(`By what LangChain itself was measured with (734): ${held(tokens.ratioToMeasured, TO_REACH.tokens)}`)
  console.log(`Import: ${importMs.agent.toFixed(0)} ms; the openai SDK alone ${importMs.openai.toFixed(0)} ms`)
}
