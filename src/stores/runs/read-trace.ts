/** Reads a trace from a file or from the archive. Nothing in it is trusted to have the right form. */
import { z } from 'zod'
import type { RunTrace } from './run-trace.ts'

const amount = z.number().nonnegative()
const time = z.number().min(0).max(8.64e15)
const usage = z.looseObject({
  model: z.string(),
  inputTokens: amount,
  outputTokens: amount,
  cachedTokens: amount.optional(),
  reasoningTokens: amount.optional(),
  costUsd: amount.optional(),
})
const toolCalls = z.array(z.looseObject({ id: z.string(), name: z.string(), arguments: z.string() })).optional()
const message = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string(),
  images: z.array(z.looseObject({ name: z.string(), mime: z.string() })).optional(),
  toolCalls,
})
const step = z.int().positive()
const action = z.looseObject({ step, tool: z.string(), input: z.unknown() })
const reading = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('actions'), thought: z.string(), actions: z.array(action) }),
  z.looseObject({ kind: z.literal('finish'), answer: z.string() }),
  z.looseObject({ kind: z.literal('unreadable'), step, thought: z.string(), hint: z.string() }),
])
const times = { at: time, ms: amount.optional(), error: z.string().optional() }
const modelCall = z.looseObject({
  kind: z.literal('model'),
  ...times,
  for: z.enum(['condense', 'step', 'tool']),
  turn: z.number().optional(),
  step: step.optional(),
  model: z.string(),
  request: z.looseObject({
    messages: z.array(message),
    stop: z.array(z.string()).optional(),
    tools: z.array(z.looseObject({ name: z.string() })).optional(),
  }),
  firstMs: amount.optional(),
  output: z.looseObject({ text: z.string(), reasoning: z.string().optional(), toolCalls }),
  read: reading.optional(),
  retries: amount.optional(),
  usage: z.array(usage),
})
const source = z.looseObject({ title: z.string(), url: z.string() })
const toolCall = z.looseObject({
  kind: z.literal('tool'),
  ...times,
  step,
  tool: z.string(),
  input: z.unknown(),
  output: z.union([z.string(), z.looseObject({ text: z.string(), sources: z.array(source).optional() })]).optional(),
  ok: z.boolean(),
  shown: z.string().optional(),
})

const trace = z.looseObject({
  version: z.literal(1),
  id: z.string(),
  team: z.string(),
  channel: z.string(),
  thread: z.string(),
  user: z.string(),
  question: z.string(),
  standalone: z.string().optional(),
  model: z.string(),
  dialect: z.string(),
  startedAt: time,
  endedAt: time.optional(),
  attempts: amount,
  calls: z.array(z.discriminatedUnion('kind', [modelCall, toolCall])).max(10_000),
  waits: z.array(z.looseObject({ step, from: time, until: time.optional(), for: z.string() })).optional(),
  added: z.array(z.looseObject({ step, at: time, user: z.string(), text: z.string() })).optional(),
  posts: z.record(z.string(), z.string()).optional(),
  end: z.enum(['answered', 'gave_up', 'stopped', 'failed']).optional(),
  stopped: z.string().optional(),
  answer: z.string().optional(),
  cut: z.string().optional(),
})

/** Returns the trace, or the path of the wrong field, such as `calls.2.kind`. Never throws. */
export function asRunTrace(value: unknown): { trace: RunTrace; wrong?: never } | { trace?: never; wrong: string } {
  const read = trace.safeParse(value)
  if (read.success) return { trace: read.data as unknown as RunTrace }
  const path = read.error.issues[0]?.path.join('.')
  return { wrong: path || 'the whole of it' }
}
