import type { CommandIo } from '../command.ts'
import type { RedisClient } from '../../base/redis/redis.ts'
import { redisUse, teamsWithUse } from '../../stores/use/redis-use.ts'
import { readUse, type Amounts, type UseSummary } from '../../stores/use/use-counts.ts'

/** How many channels, people and tools the table shows of each. */
const MAX_ROWS = 20

interface UsagePlace {
  redis: RedisClient
  prefix: string
  io: CommandIo
  /** Milliseconds since the epoch. */
  now: () => number
}

/** Prints how much the bot was used in the last 7 and 30 days, by all teams or by one. @returns the exit code */
export async function usage(
  { redis, prefix, io, now }: UsagePlace,
  { team, asJson }: { team: string | undefined; asJson: boolean },
): Promise<number> {
  const teams = team === undefined ? await teamsWithUse(redis, prefix) : [team]
  const use = await readUse(redisUse({ redis, prefix }), teams, now())
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
