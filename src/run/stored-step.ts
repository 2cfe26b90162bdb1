import { z } from 'zod'
import type { MessageStep, Step, ToolStep, UnreadableStep } from '../agent/types.ts'

const observation = z.object({
  text: z.string(),
  ok: z.boolean(),
  sources: z.array(z.object({ title: z.string(), url: z.string() })).exactOptional(),
  series: z
    .object({ title: z.string(), points: z.array(z.object({ label: z.string(), value: z.number() })) })
    .exactOptional(),
  exhausted: z.literal(true).exactOptional(),
  hint: z.literal(true).exactOptional(),
  down: z.literal(true).exactOptional(),
  note: z.string().exactOptional(),
})

const toolStep: z.ZodType<ToolStep> = z.object({
  kind: z.literal('tool'),
  turn: z.number(),
  thought: z.string(),
  action: z.object({ tool: z.string(), input: z.unknown(), callId: z.string().exactOptional() }),
  observation: observation.exactOptional(),
  dropped: z.number().exactOptional(),
  ms: z.number().exactOptional(),
  waiting: z.object({ since: z.number() }).exactOptional(),
})

const unreadableStep: z.ZodType<UnreadableStep> = z.object({
  kind: z.literal('unreadable'),
  turn: z.number(),
  thought: z.string(),
  text: z.string(),
  observation,
})

const messageStep: z.ZodType<MessageStep> = z.object({
  kind: z.literal('message'),
  turn: z.number(),
  id: z.string(),
  text: z.string(),
  user: z.string(),
})

const storedStep = z.preprocess(withKind, z.union([toolStep, unreadableStep, messageStep]))

/** A step as it was stored. Undefined for anything else: it counts as not saved. */
export function parseStep(value: unknown): Step | undefined {
  return storedStep.safeParse(value).data
}

/** The version before (up to November 2026) stored steps without a kind: one without an action was an unreadable one. */
function withKind(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || 'kind' in value) return value
  if ('action' in value) return { ...value, kind: 'tool' }
  return { ...value, kind: 'unreadable', text: 'unreadable' in value ? value.unreadable : '' }
}
