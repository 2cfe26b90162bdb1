import { z } from 'zod'
import { readJsonLines } from './lines.ts'

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
  return (await readJsonLines(file, { schema: question, what: 'a question ({id, question, gold or rejected})' })).slice(
    0,
    limit,
  )
}
