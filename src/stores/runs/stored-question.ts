/** Reads questions as they are stored. */
import { z } from 'zod'
import { tablesSchema } from '../history/tables-schema.ts'
import type { DoneCall, FileRef, Occurrence, Question } from './types.ts'

export const sourceSchema = z.object({ title: z.string(), url: z.string() })

const storedFile: z.ZodType<FileRef> = z.object({
  id: z.string(),
  name: z.string(),
  size: z.number().exactOptional(),
  mimetype: z.string().exactOptional(),
  mode: z.string().exactOptional(),
  access: z.string().exactOptional(),
})

export const doneCallSchema: z.ZodType<DoneCall> = z.object({
  outcome: z.enum(['begun', 'done', 'failed', 'unknown', 'not_run']),
  how: z.enum(['once', 'always', 'config', 'denied', 'expired', 'promised']),
  tool: z.string(),
  title: z.string().exactOptional(),
  what: z.string(),
  by: z.string().exactOptional(),
  earlier: z.literal(true).exactOptional(),
})

/** What the message of a question holds besides its words, see `QuestionParts`. */
export const partsSchema = z.object({
  files: z.array(storedFile).exactOptional(),
  attached: z
    .object({ text: z.string(), sources: z.array(sourceSchema), tables: tablesSchema.exactOptional() })
    .exactOptional(),
})

const common = z.object({
  id: z.string(),
  team: z.string(),
  channel: z.string(),
  thread: z.string(),
  conversation: z.string().optional(),
  user: z.string(),
  text: z.string(),
  ...partsSchema.shape,
  ts: z.string().optional(),
  surface: z.enum(['mention', 'thread', 'dm', 'ask', 'private', 'shortcut']),
  eventId: z.string().optional(),
  forAsker: z.literal(true).exactOptional(),
  responseUrl: z.string().optional(),
  at: z.number(),
  isLate: z.boolean().optional(),
  lookingAt: z.string().exactOptional(),
  firstAt: z.number().exactOptional(),
  userTeam: z.string().exactOptional(),
  app: z.string().exactOptional(),
  mayHaveFiles: z.literal(true).exactOptional(),
  isNoSchedule: z.literal(true).exactOptional(),
  doneBefore: z.array(doneCallSchema).exactOptional(),
  traceparent: z.string().optional(),
})

const occurrence: z.ZodType<Occurrence> = z.object({
  id: z.string(),
  kind: z.enum(['due', 'now', 'try']),
  at: z.number(),
  when: z.string(),
  lastRunAt: z.number().exactOptional(),
  again: z.number().exactOptional(),
  by: z.string().exactOptional(),
})

/** The fields of single kinds. Version 0.1.0 stored no kind. */
const stored = common.extend({
  kind: z.string().optional(),
  wasAddition: z.boolean().optional(),
  bot: z.string().optional(),
  about: z.string().optional(),
  shares: z.string().optional(),
  schedule: occurrence.optional(),
  prior: z.record(z.string(), z.string()).optional(),
})

/** A stored question of any kind. Its fields determine the kind, also for one that 0.1.0 stored. */
export const questionSchema: z.ZodType<Question> = stored.transform(
  ({ kind, wasAddition, bot, about, shares, schedule, prior, ...question }): Question => {
    if (schedule) return { kind: 'occurrence', ...question, schedule, ...(prior ? { prior } : {}) }
    if (shares !== undefined) return { kind: 'share', ...question, shares }
    if (about !== undefined) return { kind: 'about', ...question, about }
    if (bot !== undefined) return { kind: 'bot', ...question, bot }
    // A queue marks a message that no run has read.
    return { kind: wasAddition || kind === 'addition' ? 'addition' : 'asked', ...question }
  },
)
