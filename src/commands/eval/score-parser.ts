/**
 * Runs and scores the parser alone, over case files (JSONL, one completion per line with its expected result). A case
 * has the form `{id, dialect, tools, completion, expected?, tier?}`.
 */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { readBracket } from '../../agent/dialects/bracket.ts'
import { readConversational } from '../../agent/dialects/conversational.ts'
import { readJson } from '../../agent/dialects/json.ts'
import { readNative } from '../../agent/dialects/native.ts'
import { readSelfAsk } from '../../agent/dialects/self-ask.ts'
import { readStructured } from '../../agent/dialects/structured.ts'
import { readText } from '../../agent/dialects/text.ts'
import type { ParsedTurn } from '../../agent/contracts/dialect.ts'
import { roundedNumbers, withoutMarkedNumbers } from '../../base/parse-json.ts'
import { ConfigError, messageOf } from '../../base/errors.ts'

const expectation = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('action'), tool: z.string(), input: z.unknown() }),
  z.object({ kind: z.literal('finish'), answer: z.string() }),
  z.object({ kind: z.literal('unparsable') }),
])

const readCase = z.object({
  id: z.string(),
  dialect: z.string(),
  tools: z.array(z.string()).default([]),
  completion: z.string(),
  tier: z.string().default('?'),
  expected: expectation.optional(),
  /** Other right results, and the other dialects in which the completion is tried. */
  alsoAccept: z.array(expectation).default([]),
  also: z.array(z.string()).default([]),
  /** The right results in a dialect where they differ. */
  inDialect: z
    .record(z.string(), z.object({ expected: expectation.optional(), or: z.array(expectation).default([]) }))
    .default({}),
})

/** The actual or expected result of parsing a completion. */
export type ParseResult = z.infer<typeof expectation>
type ReadCase = z.infer<typeof readCase>

/** How many cases of a dialect and tier were parsed correctly; `misses` are the ids of the others. */
export interface Score {
  dialect: string
  tier: string
  right: number
  total: number
  misses: string[]
}

const READERS: Record<string, (completion: string, tools: string[]) => ParsedTurn> = {
  text: readText,
  json: readJson,
  docstore: readBracket,
  bracket: readBracket,
  'self-ask': readSelfAsk,
  conversational: readConversational,
  native: (text, tools) => readNative({ text }, tools),
  structured: readStructured,
}

/**
 * Parses a completion in a dialect and returns it in the form of `expected`.
 * @throws ConfigError for an unknown dialect
 */
export function readCompletion(dialect: string, completion: string, tools: string[]): ParseResult {
  const read = READERS[dialect]
  if (!read) throw new ConfigError(`There is no dialect "${dialect}". Choose from ${Object.keys(READERS).join(', ')}.`)
  const reading = read(completion, tools)
  if (reading.kind === 'finish') return { kind: 'finish', answer: withoutMarkedNumbers(reading.answer) }
  const action = reading.kind === 'actions' ? reading.actions[0] : undefined
  return action ? { kind: 'action', tool: action.tool, input: roundedNumbers(action.input) } : { kind: 'unparsable' }
}

/**
 * Parses every case of `inFile` and streams `{id, got}` lines to `outFile`. Resolves to the number of cases.
 * `dialectOverride` replaces the dialect of every case.
 * @throws ConfigError naming the line that is not a case.
 */
export async function readCases(inFile: string, outFile: string, dialectOverride?: string): Promise<number> {
  const out = createWriteStream(outFile)
  const written = finished(out)
  let count = 0
  try {
    for (const each of await casesOf(inFile)) {
      const got = readCompletion(dialectOverride ?? each.dialect, each.completion, each.tools)
      if (!out.write(`${JSON.stringify({ id: each.id, got })}\n`)) await once(out, 'drain')
      count++
    }
  } finally {
    out.end()
    await written
  }
  return count
}

/**
 * Parses every case of a file and compares the results with the expected ones, by dialect and tier. Texts are trimmed
 * first.
 */
export async function scoreCases(file: string): Promise<Score[]> {
  const scores = new Map<string, Score>()
  for (const one of await casesOf(file)) {
    if (!one.expected) continue
    for (const dialect of [one.dialect, ...one.also]) {
      const { id, tier, tools, completion } = one
      const key = `${dialect} ${tier}`
      const score = scores.get(key) ?? { dialect, tier, right: 0, total: 0, misses: [] }
      scores.set(key, score)
      score.total++
      const got = readCompletion(dialect, completion, tools)
      if (rightResults(one, dialect).some((right) => same(got, right))) score.right++
      else score.misses.push(id)
    }
  }
  return [...scores.values()]
}

function rightResults({ expected, alsoAccept, inDialect }: ReadCase, dialect: string): ParseResult[] {
  const own = inDialect[dialect]
  const right = own?.expected ?? expected
  return [...(right ? [right] : []), ...(own?.or ?? []), ...alsoAccept]
}

/** Returns the scores as a Markdown table. */
export function scoreTable(scores: Score[]): string {
  const rows = scores.map(({ dialect, tier, right, total }) => {
    return `| ${dialect} | ${tier} | ${right} of ${total} | ${((100 * right) / total).toFixed(2)} % |`
  })
  return ['| dialect | tier | right | |', '|---|---|---|---|', ...rows].join('\n')
}

function same(got: ParseResult, expected: ParseResult): boolean {
  return isDeepStrictEqual(comparable(got), comparable(expected))
}

/** Trims all texts. The JSON round trip removes differences that JSON cannot express. */
function comparable(got: ParseResult): unknown {
  const trimmed = (_key: string, value: unknown) => (typeof value === 'string' ? value.trim() : value)
  return JSON.parse(JSON.stringify(got, trimmed))
}

async function casesOf(file: string): Promise<ReadCase[]> {
  const lines = (await readFile(file, 'utf8')).split('\n')
  return lines.flatMap((line, i) => (line.trim() === '' ? [] : [parseCase(line, `${file}:${i + 1}`)]))
}

function parseCase(line: string, place: string): ReadCase {
  try {
    return readCase.parse(JSON.parse(line))
  } catch (error) {
    throw new ConfigError(`${place} is no case: ${messageOf(error)}`)
  }
}
