/**
 * The trace of a run: its exchanges with models and tools. RUN_TRACES keeps it with the run; the playground draws it,
 * `npm run runs -- trace ID` prints it, and `npm run trace FILE` opens it.
 */
import { z } from 'zod'
import { sourceSchema } from '../../agent/contracts/evidence.ts'
import { usageSchema } from '../../agent/contracts/model.ts'
import type { StopReason } from '../../agent/contracts/run-events.ts'

const amount = z.number().nonnegative()
/** Milliseconds since the epoch. */
const time = z.number().min(0).max(8.64e15)
/** A step's number, from 1. */
const step = z.int().positive()
const toolCalls = z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })).optional()
const anyFields = z.record(z.string(), z.unknown())
const usage = usageSchema.extend({
  inputTokens: amount,
  outputTokens: amount,
  cachedTokens: amount.optional(),
  reasoningTokens: amount.optional(),
  costUsd: amount.optional(),
})
/** A name of a closed list. Another version may write one that this version does not know. */
const openEnum = <Name extends string>() => z.custom<Name>((value) => typeof value === 'string')

/** A message as it was sent, without encrypted reasoning. */
const message = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string(),
  unseen: z.string().optional(),
  images: z.array(z.object({ name: z.string(), mime: z.string() })).optional(),
  toolCalls,
  toolCallId: z.string().optional(),
})
export type TracedMessage = z.infer<typeof message>

/** The dialect's reading of an output. `step` is the number of the resulting step. */
const reading = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('actions'),
    thought: z.string(),
    actions: z.array(z.object({ step, tool: z.string(), input: z.unknown() })),
    dropped: z.number().optional(),
  }),
  z.object({ kind: z.literal('finish'), answer: z.string() }),
  z.object({ kind: z.literal('unreadable'), step, thought: z.string(), hint: z.string() }),
])
export type TracedReading = z.infer<typeof reading>

const callTimes = {
  at: time,
  /** How long the call took. Absent while it is under way, and if its process ended before it did. */
  ms: amount.optional(),
  error: z.string().optional(),
}

const modelCall = z.object({
  kind: z.literal('model'),
  ...callTimes,
  /** `condense`: the standalone question; `step`: the loop's; `tool`: a tool asked (`llm_math`). */
  for: z.enum(['condense', 'step', 'tool']),
  /** The turn that it opened, from 1 (`Step.turn`); absent for `condense`. */
  turn: z.number().optional(),
  /** The step whose tool asked, for `tool`. */
  step: step.optional(),
  model: z.string(),
  request: z.object({
    messages: z.array(message),
    stop: z.array(z.string()).optional(),
    tools: z.array(z.object({ name: z.string(), description: z.string(), parameters: anyFields })).optional(),
    toolChoice: openEnum<'none' | 'required'>().optional(),
    schema: anyFields.optional(),
  }),
  /** Milliseconds until the first piece. */
  firstMs: amount.optional(),
  /** The complete output as the model wrote it. */
  output: z.object({ text: z.string(), reasoning: z.string().optional(), toolCalls }),
  /** How the output was read. Absent for calls that are no step, and for failed ones. */
  read: reading.optional(),
  /** How often the call was retried. */
  retries: amount.optional(),
  usage: z.array(usage),
  /** The caller had read enough, and cancelled the call. */
  isCut: z.literal(true).optional(),
})
export type TracedModelCall = z.infer<typeof modelCall>

const toolCall = z.object({
  kind: z.literal('tool'),
  ...callTimes,
  step,
  tool: z.string(),
  /** The input as the tool got it, or as the model wrote it if no tool was called. */
  input: z.unknown(),
  /** The tool's output, before the loop cut and fenced it. Absent if the tool failed or asks a person. */
  output: z.union([z.string(), z.object({ text: z.string(), sources: z.array(sourceSchema).optional() })]).optional(),
  ok: z.boolean(),
  /** The observation that the model was shown, without its fence, and the loop's addition to it. */
  shown: z.string().optional(),
  note: z.string().optional(),
  /** No tool was called: the loop answered itself, as for a tool that does not exist. */
  notCalled: z.literal(true).optional(),
  /** The workspace does not let us keep the output, so it is in no stored trace. */
  passing: z.literal(true).optional(),
})
export type TracedToolCall = z.infer<typeof toolCall>

const tracedCall = z.discriminatedUnion('kind', [modelCall, toolCall])
export type TracedCall = z.infer<typeof tracedCall>

/**
 * A run's trace, as plain JSON. Pictures are reduced to name and type, and data that workspaces do not let us keep is
 * left out.
 */
const runTrace = z.object({
  version: z.literal(1),
  /** The question's id, and its place: `thread` is the root's ts. */
  id: z.string(),
  team: z.string(),
  channel: z.string(),
  thread: z.string(),
  user: z.string(),
  /** The question as it was asked, and the standalone form of a follow-up. */
  question: z.string(),
  standalone: z.string().optional(),
  model: z.string(),
  dialect: z.string(),
  startedAt: time,
  endedAt: time.optional(),
  /** The number of processes that have worked on it. */
  attempts: amount,
  /** The calls in the order in which they began. */
  calls: z.array(tracedCall).max(10_000),
  /** The times for which the run waited for a person; `until` is absent while it waits. */
  waits: z
    .array(z.object({ step, from: time, until: time.optional(), for: openEnum<'approval' | 'question'>() }))
    .optional(),
  /** The messages that people added during the run, each before the step with its number. */
  added: z.array(z.object({ step, at: time, user: z.string(), text: z.string() })).optional(),
  /** Post key (`step-1`, `answer-1`, …) to the post's Slack ts. */
  posts: z.record(z.string(), z.string()).optional(),
  end: z.enum(['answered', 'gave_up', 'stopped', 'failed']).optional(),
  /** The budget, or the person, that ended the run. */
  stopped: openEnum<StopReason>().optional(),
  answer: z.string().optional(),
  /** A sentence on what was left out because the run was larger than a trace may be. */
  cut: z.string().optional(),
})
export type RunTrace = z.infer<typeof runTrace>

/**
 * Checks a trace from a file or from the archive: nothing in it is trusted to have the right form. Returns it, or the
 * path of the wrong field, such as `calls.2.kind`. Never throws.
 */
export function asRunTrace(value: unknown): { trace: RunTrace; wrong?: never } | { trace?: never; wrong: string } {
  const read = runTrace.safeParse(value)
  // As it came, with fields that other versions write.
  if (read.success) return { trace: value as RunTrace }
  return { wrong: read.error.issues[0]?.path.join('.') || 'the whole of it' }
}
