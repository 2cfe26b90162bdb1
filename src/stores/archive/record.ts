import { z } from 'zod'
import type { Step } from '../../agent/contracts/run-events.ts'
import { parseJson } from '../../base/parse-json.ts'
import { doneCallSchema, questionSchema } from '../runs/stored-question.ts'
import { parseStep } from '../runs/stored-step.ts'
import type { Feedback, RunRecord } from './types.ts'

const usage = z.object({
  model: z.string(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedTokens: z.number().optional(),
  reasoningTokens: z.number().optional(),
  estimated: z.boolean(),
  costUsd: z.number().optional(),
  leftOut: z.array(z.string()).optional(),
  sentTokens: z.number().optional(),
})

const answer = z.object({
  text: z.string(),
  sources: z.array(z.object({ title: z.string(), url: z.string() })),
  stopped: z.enum(['steps', 'time', 'tokens', 'cost', 'loop', 'unreadable', 'stopped']).optional(),
  gaveUp: z.literal(true).optional(),
  unseen: z.literal(true).optional(),
  done: z.array(doneCallSchema).optional(),
  used: z.number().optional(),
  figures: z.array(z.object({ text: z.string(), in: z.array(z.string()) })).optional(),
})

const record = z.object({
  question: questionSchema,
  standalone: z.string().optional(),
  remembered: z.array(z.string()).optional(),
  steps: z.array(z.unknown()).transform((steps) => steps.map(parseStep).filter((step): step is Step => Boolean(step))),
  usage: z.array(usage),
  answer: answer.optional(),
  posts: z.record(z.string(), z.string()),
  model: z.string(),
  dialect: z.string(),
  startedAt: z.number(),
  endedAt: z.number(),
  end: z.enum(['answered', 'gave_up', 'stopped', 'failed']),
})

const feedback: z.ZodType<Omit<Feedback, 'by'>> = z.object({
  rating: z.enum(['up', 'down']),
  comment: z.string().optional(),
  expected: z.string().optional(),
  at: z.number(),
})

/**
 * Parses a stored record and its feedback by person. A step that cannot be read is left out.
 * @returns undefined for anything but a record
 */
export function parseRecord(text: string, rated: Record<string, string>): RunRecord | undefined {
  const stored = record.safeParse(parseJson(text)).data
  if (!stored) return undefined
  const ratings = Object.entries(rated).flatMap(([by, one]) => {
    const parsed = feedback.safeParse(parseJson(one)).data
    return parsed ? [{ by, ...parsed }] : []
  })
  return { ...stored, feedback: ratings.sort((one, other) => one.at - other.at) }
}
