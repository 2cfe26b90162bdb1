/** `npm run feedback -- export [--out FILE]`: exports people's ratings as a question set for `npm run eval`. */
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { evaluationLine } from '../stores/archive/evaluation-set.ts'
import { redisArchive } from '../stores/archive/redis-archive.ts'
import type { RunArchive } from '../stores/archive/types.ts'
import { asksHelp } from './help.ts'
import { openCommandRedis } from './command-redis.ts'
import { loadConfig, readEnv, secretsOf, type Config } from '../config.ts'
import { ConfigError, messageOf } from '../base/errors.ts'
import { createLog } from '../base/log.ts'

const USAGE = `Usage: npm run feedback -- export [--out FILE]
  Exports rated answers as a question set, to stdout or to FILE. npm run eval -- FILE asks them again.
  gold is the answer that people liked, or said would have been right; rejected is an answer that they disliked.`

const DAY_MS = 86_400_000

/** @throws ConfigError for an unknown command */
function outOf(args: string[]): string | undefined {
  try {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { out: { type: 'string' } } })
    if (positionals.length === 1 && positionals[0] === 'export') return values.out
  } catch {
    // Reported below.
  }
  throw new ConfigError(USAGE)
}

async function exportRated(archive: RunArchive, out: string | undefined): Promise<void> {
  const lines: string[] = []
  let leftOut = 0
  for await (const record of archive.rated()) {
    const line = evaluationLine(record)
    if (line) lines.push(`${JSON.stringify(line)}\n`)
    else leftOut += 1
  }
  // The file contains people's questions: no other user of this machine may read it.
  if (out === undefined) process.stdout.write(lines.join(''))
  else await writeFile(out, lines.join(''), { mode: 0o600 })
  const without = leftOut === 0 ? '' : `, ${leftOut} left out (no answer, and nobody said what would be right)`
  console.error(`${lines.length} rated ${lines.length === 1 ? 'answer' : 'answers'}${without}`)
}

async function main(config: Config, args: string[]): Promise<void> {
  const out = outOf(args)
  if (!config.REDIS_URL)
    throw new ConfigError('REDIS_URL is missing. Without Redis, feedback is only in the bot’s memory.')
  const log = createLog(config.LOG_LEVEL, undefined, secretsOf(config))
  const redis = await openCommandRedis(config.REDIS_URL, log)
  try {
    const place = { redis, log, prefix: config.REDIS_PREFIX, ttlMs: config.HISTORY_TTL_DAYS * DAY_MS }
    await exportRated(redisArchive(place), out)
  } finally {
    redis.disconnect()
  }
}

try {
  const args = process.argv.slice(2)
  if (asksHelp(args)) console.log(USAGE)
  else await main(loadConfig(readEnv()), args)
} catch (error) {
  console.error(messageOf(error))
  process.exitCode = 1
}
