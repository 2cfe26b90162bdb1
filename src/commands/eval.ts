/** `npm run eval`: scores question sets, recorded episodes, or the parser alone. See `--help`. */
import { loadConfig, readEnv } from '../config.ts'
import { messageOf } from '../base/errors.ts'
import { evalQuestions } from './eval/eval-questions.ts'
import { evalReplay } from './eval/eval-replay.ts'
import { asksHelp } from './command.ts'
import { HELP, parseOptions, type Options } from './eval/options.ts'
import { readCases, scoreCases, scoreTable } from './eval/score-parser.ts'

async function main(): Promise<void> {
  const args = process.argv.slice(2)
  if (asksHelp(args)) return console.log(HELP)
  const config = loadConfig(readEnv())
  const defaults = { dialect: config.AGENT_DIALECT, model: config.OPENAI_MODEL, now: new Date() }
  const options = parseOptions(args, defaults)
  if (options.kind === 'read') console.log(await evalReader(options))
  else if (options.kind === 'replay') console.log(await evalReplay(options, () => new Date()))
  else console.log(await evalQuestions(options, { config, signal: interrupted(options.out), progress: process.stderr }))
}

/** Runs the parser alone. Cases with an expected result are also scored. */
async function evalReader({ file, out, dialect }: Extract<Options, { kind: 'read' }>): Promise<string> {
  const from = performance.now()
  const count = await readCases(file, out, dialect)
  const took = `${count} completions read in ${((performance.now() - from) / 1000).toFixed(1)} s, written to ${out}`
  const scores = dialect === undefined ? await scoreCases(file) : []
  const right = scores.reduce((sum, score) => sum + score.right, 0)
  const total = scores.reduce((sum, score) => sum + score.total, 0)
  return total === 0 ? took : `${scoreTable(scores)}\n\n${took}\n${right} of ${total} right`
}

/** Ctrl-C ends the evaluation and keeps the answers so far. A second one kills the process. */
function interrupted(out: string): AbortSignal {
  const controller = new AbortController()
  process.once('SIGINT', () =>
    controller.abort(new Error(`Stopped. To continue, run the same command with --out ${out}.`)),
  )
  return controller.signal
}

main()
  .catch((error: unknown) => {
    console.error(`\n${messageOf(error)}`)
    process.exitCode = 1
  })
  // A tool that ignored its signal may still be running: flushes the output without waiting for the tool.
  .finally(() => process.stdout.write('', () => process.exit()))
