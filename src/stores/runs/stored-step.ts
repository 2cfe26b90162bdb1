import { z } from 'zod'
import { CHART_KINDS } from '../../agent/contracts/tool.ts'
import type { AwaitedDecision, MessageStep, Step, ToolStep, UnreadableStep } from '../../agent/contracts/run-events.ts'
import type { PersonsAnswer } from '../../agent/contracts/tool.ts'

/** The actions that answer a tool's question, and a form's fields. */
export const answerAction = z.enum(['accept', 'decline', 'cancel'])
export const fields = z.record(z.string(), z.unknown())

const observation = z.object({
  text: z.string(),
  ok: z.boolean(),
  sources: z.array(z.object({ title: z.string(), url: z.string() })).exactOptional(),
  series: z
    .object({
      title: z.string(),
      points: z.array(z.object({ label: z.string(), value: z.number() })),
      kind: z.enum(CHART_KINDS).exactOptional(),
      name: z.string().exactOptional(),
      more: z.array(z.object({ name: z.string(), values: z.array(z.number()) })).exactOptional(),
      axes: z.object({ x: z.string().exactOptional(), y: z.string().exactOptional() }).exactOptional(),
    })
    .exactOptional(),
  file: z.object({ name: z.string(), text: z.string() }).exactOptional(),
  exhausted: z.literal(true).exactOptional(),
  passing: z.literal(true).exactOptional(),
  forAsker: z.literal(true).exactOptional(),
  instructions: z.literal(true).exactOptional(),
  hint: z.literal(true).exactOptional(),
  down: z.literal(true).exactOptional(),
  unknown: z.literal(true).exactOptional(),
  note: z.string().exactOptional(),
})

const awaited: z.ZodType<AwaitedDecision> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('approval'),
    input: z.unknown(),
    server: z.string().exactOptional(),
    ruleName: z.string().exactOptional(),
    version: z.string().exactOptional(),
    title: z.string().exactOptional(),
    asAsker: z.literal(true).exactOptional(),
    says: z.string(),
    isRepeat: z.literal(true).exactOptional(),
  }),
  z.object({
    kind: z.literal('question'),
    version: z.string().exactOptional(),
    server: z.string(),
    message: z.string(),
    schema: fields.exactOptional(),
    url: z.string().exactOptional(),
    login: z.literal(true).exactOptional(),
    forAsker: z.literal(true).exactOptional(),
    remakes: z.literal(true).exactOptional(),
    state: z.unknown(),
  }),
])

const answer: z.ZodType<PersonsAnswer> = z.object({
  state: z.unknown(),
  action: answerAction,
  content: fields.exactOptional(),
})

const toolStep: z.ZodType<ToolStep> = z.object({
  kind: z.literal('tool'),
  turn: z.number(),
  thought: z.string(),
  reasoning: z.string().exactOptional(),
  kept: z
    .object({
      model: z.string(),
      fields: fields.exactOptional(),
      items: z.array(fields).exactOptional(),
    })
    .exactOptional(),
  action: z.object({
    tool: z.string(),
    title: z.string().exactOptional(),
    input: z.unknown(),
    callId: z.string().exactOptional(),
  }),
  observation: observation.exactOptional(),
  dropped: z.number().exactOptional(),
  ms: z.number().exactOptional(),
  waiting: z
    .object({
      since: z.number(),
      round: z.number().exactOptional(),
      from: z.number().exactOptional(),
      until: z.number().exactOptional(),
      for: awaited.exactOptional(),
    })
    .exactOptional(),
  answers: z.array(answer).exactOptional(),
  begun: z.number().exactOptional(),
})

const unreadableStep: z.ZodType<UnreadableStep> = z.object({
  kind: z.literal('unreadable'),
  turn: z.number(),
  thought: z.string(),
  reasoning: z.string().exactOptional(),
  text: z.string(),
  isAnswer: z.literal(true).exactOptional(),
  observation,
})

const messageStep: z.ZodType<MessageStep> = z.object({
  kind: z.literal('message'),
  turn: z.number(),
  id: z.string(),
  text: z.string(),
  user: z.string(),
})

const storedStep = z.union([toolStep, unreadableStep, messageStep])

/** A step as it was stored. Undefined for anything else: it counts as not saved. */
export function parseStep(value: unknown): Step | undefined {
  return storedStep.safeParse(value).data
}
