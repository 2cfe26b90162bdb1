/** `npm run feedback -- export [--out FILE]`: exports people's ratings as a question set for `npm run eval`. */
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { evaluationLine } from '../stores/archive/evaluation-set.ts'
import { boundsOf } from '../question/stores/store-bounds.ts'
import { createArchive } from '../stores/archive/run-archive.ts'
import { redisKv } from '../stores/kv/redis-kv.ts'
import type { RunArchive } from '../stores/archive/types.ts'
import { countText, mainCommand, type CommandIo } from './command.ts'
import { withCommandRedis } from './command-redis.ts'
import { ConfigError } from '../base/errors.ts'

const USAGE = `Usage: npm run feedback -- export [--out FILE]
  Exports rated answers as a question set, to stdout or to FILE. npm run eval -- FILE asks them again.
  gold is the answer that people liked, or said would have been right; rejected is an answer that they disliked.`

/** @throws ConfigError for an unknown command */
function outFile(args: string[]): string | undefined {
  try {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { out: { type: 'string' } } })
    if (positionals.length === 1 && positionals[0] === 'export') return values.out
  } catch {
    // Reported below.
  }
  throw new ConfigError(USAGE)
}

async function exportRated(archive: RunArchive, out: string | undefined, io: CommandIo): Promise<void> {
  const lines: string[] = []
  let leftOut = 0
  for await (const record of archive.rated()) {
    const line = evaluationLine(record)
    if (line) lines.push(JSON.stringify(line))
    else leftOut += 1
  }
  // The file contains people's questions: no other user of this machine may read it.
  if (out !== undefined) await writeFile(out, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 })
  else for (const line of lines) io.print(line)
  const note = leftOut === 0 ? '' : `, ${leftOut} left out (no answer, and nobody said what would be right)`
  io.complain(`${countText(lines.length, 'rated answer')}${note}`)
}

async function run(io: CommandIo): Promise<number> {
  const out = outFile(io.args)
  const without = 'Without Redis, feedback is only in the bot’s memory.'
  return withCommandRedis(io, without, async ({ config, log, ...place }) => {
    const { ttlMs } = boundsOf(config)
    const archive = createArchive(redisKv(place), { log, prefix: place.prefix, ttlMs, now: Date.now })
    await exportRated(archive, out, io)
    return 0
  })
}

export default await mainCommand(import.meta, USAGE, run)
