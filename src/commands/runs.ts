/**
 * `npm run runs -- list | show ID | retry ID`: the operator's commands for dead-lettered questions. `npm run runs --
 * trace ID` prints the exchanges of a run, `npm run runs -- audit` the writes of tools, and `npm run runs -- usage` the
 * use.
 */
import { boundsOf } from '../question/stores/store-bounds.ts'
import { createArchive } from '../stores/archive/run-archive.ts'
import { auditLine } from '../stores/audit/audit-words.ts'
import { auditedTeams, createAuditLog } from '../stores/audit/audit-log.ts'
import { MAX_ENTRIES } from '../stores/audit/types.ts'
import { countText, mainCommand, type CommandIo } from './command.ts'
import { withCommandRedis } from './command-redis.ts'
import { stringifyExact } from '../base/parse-json.ts'
import { retryDeadLettered, type RetryPlace } from '../queue/retry-dead-lettered.ts'
import { sealerFrom, type Sealer } from '../base/encryption.ts'
import { redisKv } from '../stores/kv/redis-kv.ts'
import { createUseStore, teamsWithUse } from '../stores/use/use-store.ts'
import { readUse, type Amounts, type UseSummary } from '../stores/use/use-counts.ts'
import { findRuns, listRuns, shownRun, summaryOf } from '../stores/runs/list-runs.ts'

const USAGE = `Usage: npm run runs -- COMMAND
  list          lists questions that are waiting, running or dead-lettered (given up); --all: those answered in the last day too
  show ID       shows everything about one, including question and answer
  retry ID      retries a dead-lettered one
  trace ID      prints what a run exchanged with models and tools, as JSON, if RUN_TRACES was true; npm run trace FILE opens it
  audit [N]     lists the last N writes of tools (default 20), newest first: time, outcome, tool, who asked, who approved,
                and the start of the arguments' SHA-256; --json prints them whole, one JSON object per line
  usage [TEAM]  questions, tokens and dollars of the last 7 and 30 days, by channel, person and tool, and how questions
                ended; --json prints {days7, days30}`

/** How many writes are listed by default. */
const WRITES_LISTED = 20

/** `ttlMs`: how long runs are kept. */
interface RunsCommand extends RetryPlace {
  ttlMs: number
  sealer: Sealer | undefined
  io: CommandIo
}

/** @returns the exit code */
async function runs(place: RunsCommand, [command, argument, ...more]: string[]): Promise<number> {
  if (command === 'trace' && argument) return trace(place, argument)
  if (command === 'list') return list(place, argument === '--all')
  if (command === 'show' && argument) return show(place, argument)
  if (command === 'retry' && argument) return retry(place, argument)
  if (command === 'usage') {
    const [team, ...others] = [argument, ...more].filter((one) => one !== undefined && one !== '--json')
    const asJson = [argument, ...more].includes('--json')
    if (others.length === 0) return usage(place, team, asJson)
  }
  const options = command === 'audit' ? auditOptions([argument, ...more]) : undefined
  if (options) return audit(place, options)
  place.io.complain(USAGE)
  return 1
}

/** Returns undefined for anything but a number, `--json`, or both. */
function auditOptions(args: (string | undefined)[]): { n: number; asJson: boolean } | undefined {
  const [given = String(WRITES_LISTED), ...others] = args.filter((arg) => arg !== undefined && arg !== '--json')
  const n = /^\d{1,6}$/.test(given) ? Number(given) : 0
  return n > 0 && others.length === 0 ? { n: Math.min(n, MAX_ENTRIES), asJson: args.includes('--json') } : undefined
}

async function audit(
  { now, io, ...place }: RunsCommand,
  { n, asJson }: { n: number; asJson: boolean },
): Promise<number> {
  const kv = redisKv(place)
  const log = createAuditLog(kv, { now })
  const lists = await Promise.all((await auditedTeams(kv)).map((team) => log.list({ team }, n)))
  const newest = lists
    .flat()
    .sort((one, other) => other.at - one.at)
    .slice(0, n)
  for (const entry of newest) io.print(asJson ? JSON.stringify(entry) : auditLine(entry))
  if (!asJson) io.print(countText(newest.length, 'write'))
  return 0
}

async function list(place: RunsCommand, isAll: boolean): Promise<number> {
  let count = 0
  for await (const run of listRuns(place)) {
    if ((run.state === 'done' || run.state === 'added') && !isAll) continue
    place.io.print(summaryOf(run))
    count += 1
  }
  place.io.print(countText(count, 'run'))
  return 0
}

async function show(place: RunsCommand, id: string): Promise<number> {
  const found = await findRuns(place, id)
  for (const run of found) place.io.print(stringifyExact(shownRun(run), 2))
  return found.length > 0 ? 0 : unknown(place, id)
}

async function trace(place: RunsCommand, id: string): Promise<number> {
  const found = await createArchive(redisKv(place), place).loadTrace(id)
  if (found) place.io.print(JSON.stringify(found, null, 2))
  else place.io.complain(`There is no trace of ${id}. Traces need RUN_TRACES=true and are kept for HISTORY_TTL_DAYS.`)
  return found ? 0 : 1
}

async function retry(place: RunsCommand, id: string): Promise<number> {
  if (await retryDeadLettered(place, id)) {
    place.io.print(`${id} will be tried again.`)
    return 0
  }
  const [run] = await findRuns(place, id)
  if (!run) return unknown(place, id)
  place.io.complain(`${id} is not dead-lettered but ${run.state}, so there is nothing to retry.`)
  return 1
}

function unknown({ io }: RunsCommand, id: string): number {
  io.complain(`There is no run ${id}. To list them: npm run runs -- list`)
  return 1
}

/** How many channels, people and tools the table shows of each. */
const MAX_ROWS = 20

/** Prints how much the bot was used in the last 7 and 30 days, by all teams or by one. @returns the exit code */
async function usage({ now, io, ...place }: RunsCommand, team: string | undefined, asJson: boolean): Promise<number> {
  const kv = redisKv(place)
  const teams = team === undefined ? await teamsWithUse(kv) : [team]
  const use = await readUse(createUseStore(kv), teams, now())
  if (asJson) io.print(JSON.stringify(use, null, 2))
  else io.print([...tableOf('Last 7 days', use.days7), '', ...tableOf('Last 30 days', use.days30)].join('\n'))
  return 0
}

function tableOf(title: string, use: UseSummary): string[] {
  const ends = Object.entries(use.ends).map(([end, n]) => `${n} ${end.replace('_', ' ')}`)
  const rows = (name: string, by: Record<string, Amounts>) => [
    ['', '', '', ''],
    [name, 'questions', 'tokens', 'dollars'],
    ...Object.entries(by)
      .slice(0, MAX_ROWS)
      .map(([id, amounts]) => [id, ...cellsOf(amounts)]),
  ]
  const [questions, tokens, dollars] = cellsOf(use)
  return [
    `${title}: ${questions} questions, ${tokens} tokens, $${dollars}`,
    ends.join(', '),
    ...aligned([...rows('channel', use.byChannel), ...rows('person', use.byPerson), ...rows('tool', use.byTool)]),
  ]
}

function cellsOf({ questions, inputTokens, outputTokens, costUsd }: Amounts): [string, string, string] {
  return [String(questions), (inputTokens + outputTokens).toLocaleString('en-US'), costUsd.toFixed(4)]
}

/** The first column is left-aligned, the others are numbers. */
function aligned(rows: string[][]): string[] {
  const widths = [0, 1, 2, 3].map((i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}

async function run(io: CommandIo): Promise<number> {
  const without = 'Without Redis, runs are only in the bot’s memory.'
  return withCommandRedis(io, without, ({ config, ...place }) => {
    const { ttlMs } = boundsOf(config)
    return runs({ ...place, knownTtlMs: ttlMs, ttlMs, sealer: sealerFrom(config), io, now: Date.now }, io.args)
  })
}

export default await mainCommand(import.meta, USAGE, run)
