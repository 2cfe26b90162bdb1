import { readFile } from 'node:fs/promises'
import type { z } from 'zod'
import { ConfigError, messageOf } from '../../base/errors.ts'

/** The expected form of each line of a file; `what` completes "line 3 is not …". */
export interface LineForm<Line> {
  schema: z.ZodType<Line>
  what: string
}

/**
 * Reads a JSONL file whose lines have unique ids.
 * @throws ConfigError for an unreadable or empty file, a malformed line, or a duplicate id.
 */
export async function readJsonLines<Line extends { id: string }>(file: string, form: LineForm<Line>): Promise<Line[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new ConfigError(`${file} cannot be read: ${messageOf(error)}.`)
  })
  const seen = new Set<string>()
  const lines = text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return []
    const value = parseLine(line, `${file}:${i + 1}`, form)
    if (seen.has(value.id)) throw new ConfigError(`${file}:${i + 1} repeats the id "${value.id}".`)
    seen.add(value.id)
    return [value]
  })
  if (lines.length === 0) throw new ConfigError(`${file} is empty.`)
  return lines
}

function parseLine<Line>(line: string, place: string, { schema, what }: LineForm<Line>): Line {
  try {
    return schema.parse(JSON.parse(line))
  } catch {
    throw new ConfigError(`${place} is not ${what}.`)
  }
}
