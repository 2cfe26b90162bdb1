import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { ConfigError, messageOf } from '../../base/errors.ts'
import { parseJson } from '../../base/parse-json.ts'

const plain = z.union([z.string(), z.number(), z.boolean()]).transform(String)

const answers = z.union([plain.transform((one) => [one]), z.array(plain)])

/**
 * A line of a question set: `{id, question, gold}`. `gold` may be a list of right answers. If none is known, `rejected`
 * lists wrong answers (people's feedback, `npm run feedback`).
 */
const question = z
  .object({ id: plain, question: z.string().min(1), gold: answers.default([]), rejected: answers.optional() })
  .refine(({ gold, rejected = [] }) => gold.length + rejected.length > 0)

export type EvalQuestion = z.infer<typeof question>

/** Reads up to `limit` questions of a set. @throws ConfigError naming the line that is not a question */
export async function loadQuestions(file: string, limit = Infinity): Promise<EvalQuestion[]> {
  const form = { schema: question, what: 'a question ({id, question, gold or rejected})' }
  return (await readJsonLines(file, form)).slice(0, limit)
}

/** The expected form of each line of a file; `what` completes "line 3 is not …". */
interface LineForm<Line> {
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
  const { success, data } = schema.safeParse(parseJson(line))
  if (!success) throw new ConfigError(`${place} is not ${what}.`)
  return data
}
