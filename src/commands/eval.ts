/** `npm run eval`: scores question sets, recorded episodes, or the parser alone. See `--help`. */
import { loadConfig } from '../config.ts'
import { evalQuestions } from './eval/run-set.ts'
import { evalReplay } from './eval/eval-replay.ts'
import { mainCommand, type CommandIo } from './command.ts'
import { evalWork } from './eval/work/eval-work.ts'
import { HELP, parseOptions, type EvalOptions } from './eval/options.ts'
import { readCases, scoreCases, scoreTable } from './eval/score-parser.ts'

async function run(io: CommandIo): Promise<number> {
  try {
    io.print(await evaluate(io))
    return 0
  } catch (error) {
    // The progress bar may still be on the current line.
    io.complain('')
    throw error
  }
}

/** Ctrl-C ends the evaluation and keeps the answers so far. A second one kills the process. */
async function evaluate(io: CommandIo): Promise<string> {
  const config = loadConfig(io.readEnv())
  const now = () => new Date()
  const defaults = { dialect: config.AGENT_DIALECT, model: config.OPENAI_MODEL, now: now() }
  const options = parseOptions(io.args, defaults)
  if (options.kind === 'read') return evalReader(options, now)
  if (options.kind === 'replay') return evalReplay(options, now)
  const interrupted = new AbortController()
  const stop = () =>
    interrupted.abort(new Error(`Stopped. To continue, run the same command with --out ${options.out}.`))
  process.once('SIGINT', stop)
  try {
    const deps = { config, signal: interrupted.signal, progress: io.stderr, now }
    return await (options.kind === 'work' ? evalWork(options, deps) : evalQuestions(options, deps))
  } finally {
    process.off('SIGINT', stop)
  }
}

/** Runs the parser alone. Cases with an expected result are also scored. */
async function evalReader(
  { file, out, dialect }: Extract<EvalOptions, { kind: 'read' }>,
  now: () => Date,
): Promise<string> {
  const from = now().getTime()
  const count = await readCases(file, out, dialect)
  const summary = `${count} completions read in ${((now().getTime() - from) / 1000).toFixed(1)} s, written to ${out}`
  const scores = dialect === undefined ? await scoreCases(file) : []
  const right = scores.reduce((sum, score) => sum + score.right, 0)
  const total = scores.reduce((sum, score) => sum + score.total, 0)
  return total === 0 ? summary : `${scoreTable(scores)}\n\n${summary}\n${right} of ${total} right`
}

export default await mainCommand(import.meta, HELP, run)
