/**
 * `npm run trace FILE`: shows a saved trace on its own page, like the playground. FILE is the page's export, or the
 * output of `npm run runs -- trace ID`.
 */
import { readFile } from 'node:fs/promises'
import { readEnv } from '../src/config.ts'
import { ConfigError, messageOf } from '../src/base/errors.ts'
import { parseJson } from '../src/base/parse-json.ts'
import { asRunTrace, type RunTrace } from '../src/stores/runs/run-trace.ts'
import { asksHelp } from '../src/commands/command.ts'
import { openBrowser } from '../src/commands/slack/open-browser.ts'
import { endOnSignal } from './base/end-on-signal.ts'
import { startTracePage } from './page-server/trace-server.ts'

const USAGE = `Usage: npm run trace FILE            opens a saved trace: the page’s export, or the output of npm run runs -- trace ID
       npm run trace -- test FILE [NAME]    makes it a test, test/conversations/NAME.json`

/** Reads a trace from a file. Skips the lines that npm prints before a script's output. @throws ConfigError */
async function readTraceFile(path: string): Promise<RunTrace> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new ConfigError(`${path} cannot be read: ${messageOf(error)}.`)
  })
  const json = parseJson(text) ?? parseJson(text.slice(text.search(/^\{/m)))
  if (json === undefined)
    throw new ConfigError(`${path} is not JSON. It should be a trace that npm run runs -- trace ID printed.`)
  const { trace, wrong } = asRunTrace(json)
  if (!trace) throw new ConfigError(`${path} is not a trace of a run: ${wrong} is wrong.`)
  return trace
}

async function main(args: string[]): Promise<void> {
  if (asksHelp(args)) return console.log(USAGE)
  const [first, second, name] = args
  if (first === 'test' && second && args.length <= 3) return makeTest(second, name)
  if (!first || args.length > 1) throw new ConfigError(USAGE)
  return show(first)
}

async function makeTest(file: string, name?: string): Promise<void> {
  const { saveTraceTest } = await import('./bot/trace-test.ts')
  for (const line of await saveTraceTest(await readTraceFile(file), { name })) console.log(line)
}

async function show(file: string): Promise<void> {
  const page = await startTracePage(await readTraceFile(file))
  console.log(`The run is shown at ${page.url}\nCtrl+C ends it.`)
  if (process.stdout.isTTY) void openBrowser(page.url, readEnv())
  endOnSignal(page.close)
}

if (process.argv[1] === import.meta.filename) {
  main(process.argv.slice(2)).catch((error: unknown) => {
    console.error(messageOf(error))
    process.exit(1)
  })
}
