/** The steps and events of a run. Steps are stored, so their types come from their schemas. */
import { z } from 'zod'
import { keptReasoning, type Usage } from './model.ts'
import { madeFile, personsAnswer, toolQuestion, type ToolMemory } from './tool.ts'
import { seriesSchema, sourceSchema, type Source } from './evidence.ts'

/** A tool call: the tool's name as the model wrote it, and the input (text, or fields if the dialect writes JSON). */
const actionSchema = z.object({
  tool: z.string(),
  /** The tool's name for people, if it does not follow from the name (agent/tool-title.ts). */
  title: z.string().optional(),
  input: z.unknown(),
  /** The id of a native tool call. Other dialects have none. */
  callId: z.string().optional(),
})
export type Action = z.infer<typeof actionSchema>

/** The output of a tool, or the loop's reply to a mistake. `ok` is false for a failure of any kind. */
const observationSchema = z.object({
  text: z.string(),
  ok: z.boolean(),
  sources: z.array(sourceSchema).optional(),
  series: seriesSchema.optional(),
  file: madeFile.optional(),
  /** A repeatable tool has nothing more to return, see `ToolOutput`. */
  exhausted: z.literal(true).optional(),
  /** The text is deleted when the run is over, see `ToolOutput`. */
  passing: z.literal(true).optional(),
  /** Only the asker may see it, see `ToolOutput`. */
  forAsker: z.literal(true).optional(),
  /** The text is the operator's instructions, see `ToolOutput`. */
  instructions: z.literal(true).optional(),
  /** The loop wrote it, not a tool: it is not a finding. */
  hint: z.literal(true).optional(),
  /** The service behind the tool could not be reached, or was too slow. */
  down: z.literal(true).optional(),
  /** It is unknown whether the call took effect, because its process or its time ended first. */
  unknown: z.literal(true).optional(),
  /** A note from the loop, for the model and for people. */
  note: z.string().optional(),
})
export type Observation = z.infer<typeof observationSchema>

/** The approval or answer that a step waits for, with everything that a process without the tool needs to show it. */
const awaitedDecision = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('approval'),
    /** The arguments that will be sent. */
    input: z.unknown(),
    server: z.string().optional(),
    /** See `Tool`. */
    ruleName: z.string().optional(),
    version: z.string().optional(),
    /** See `Tool`. */
    title: z.string().optional(),
    /** See `Tool`. */
    asAsker: z.literal(true).optional(),
    /** The tool's description of itself. */
    says: z.string(),
    /** The call may have taken effect before: see `PendingCall`. */
    isRepeat: z.literal(true).optional(),
  }),
  toolQuestion.extend({ kind: z.literal('question'), version: z.string().optional() }),
])
export type AwaitedDecision = z.infer<typeof awaitedDecision>

/**
 * `round` counts a step's waits from 1, and is absent for the first. `from` is when the first of several began, `until`
 * when the run continued after the last (both as `since`). The archive does not store a question's `for`, because it
 * contains what a person was asked.
 */
const waitingSchema = z.object({
  since: z.number(),
  round: z.number().optional(),
  from: z.number().optional(),
  until: z.number().optional(),
  for: awaitedDecision.optional(),
})
export type Waiting = z.infer<typeof waitingSchema>

/** A thought and its tool call. Without an observation, the tool is running or waits for a person. */
const toolStep = z.object({
  kind: z.literal('tool'),
  /** Counts the model's completions from 1. Calls of one completion share a turn. */
  turn: z.number(),
  /** The model's text before its action. */
  thought: z.string(),
  /** The model's own reasoning, if its endpoint sends it. Only for people: no prompt contains it. */
  reasoning: z.string().optional(),
  /**
   * On the first step of a turn: the reasoning that the endpoint wants back with the turn's calls. It is not archived.
   */
  kept: keptReasoning.optional(),
  action: actionSchema,
  observation: observationSchema.optional(),
  /** How many more calls the model asked for, which were dropped. Only on the last step of a turn. */
  dropped: z.number().optional(),
  /** How long the tool took, in ms. Absent if it was not saved. */
  ms: z.number().optional(),
  /** The wait for a person, current or past. */
  waiting: waitingSchema.optional(),
  /** People's answers to the tool's questions, in order. */
  answers: z.array(personsAnswer).optional(),
  /**
   * The time at which the call of a tool with `effects: 'write'` was about to be made (ms since the epoch). Saved
   * before the call.
   */
  begun: z.number().optional(),
})
export type ToolStep = z.infer<typeof toolStep>

/**
 * A completion that the dialect could not read. `text` is its beginning. The observation tells the model the expected
 * form.
 */
const unreadableStep = z.object({
  kind: z.literal('unreadable'),
  turn: z.number(),
  thought: z.string(),
  /** See ToolStep. */
  reasoning: z.string().optional(),
  text: z.string(),
  /** It is an answer with figures that no source has. The model was asked for another one. */
  isAnswer: z.literal(true).optional(),
  observation: observationSchema,
})
export type UnreadableStep = z.infer<typeof unreadableStep>

/** A message that the person `user` added during the run; `turn` is that of the step before. */
const messageStep = z.object({
  kind: z.literal('message'),
  turn: z.number(),
  /** A message with a known id is not added again. */
  id: z.string(),
  text: z.string(),
  user: z.string(),
})
export type MessageStep = z.infer<typeof messageStep>

const stepSchema = z.union([toolStep, unreadableStep, messageStep])
export type Step = z.infer<typeof stepSchema>

/** Reads a stored step. Undefined for anything else: it counts as not saved. */
export function parseStep(value: unknown): Step | undefined {
  return stepSchema.safeParse(value).data
}

/** Why a run ended before the model answered by itself. */
export const stopReason = z.enum(['steps', 'time', 'tokens', 'cost', 'loop', 'unreadable', 'stopped'])
export type StopReason = z.infer<typeof stopReason>

/**
 * The events of a run, in order. `n` is the step's number, from 1. Each event about a step carries the whole step, so
 * that the events alone rebuild the run (`applyEvent`). The data of an event never changes later. An unreadable step
 * has a thought and an observation. A tool step has an action between them.
 */
export type AgentEvent =
  | { type: 'thought'; n: number; step: ToolStep | UnreadableStep }
  | { type: 'action'; n: number; step: ToolStep }
  /** `ms`: how long the tool took. `memory`: the tools' whole memory, if it has changed. */
  | { type: 'observation'; n: number; step: ObservedStep; ms: number; memory?: ToolMemory }
  /** A person added something. The model's next completion takes it into account. */
  | { type: 'message'; n: number; step: MessageStep }
  /** A tool waits for a person's approval or answer. */
  | { type: 'waiting'; n: number; step: ToolStep }
  /** A tool with effects is about to be called. The reader saves this before it asks for the next event. */
  | { type: 'begun'; n: number; step: ToolStep }
  /**
   * More text of the answer, in order, while the model writes it. Only sent if a reader streams the answer. It is not
   * saved, and the complete answer follows in any case.
   */
  | { type: 'answer_delta'; text: string }
  /** The deltas since the last answer or withdrawal are not the answer. */
  | { type: 'answer_withdrawn' }
  /** `unseen` (also of `gave_up`): the model could not see the question's pictures. */
  | { type: 'answer'; text: string; sources: Source[]; stopped?: StopReason; unseen?: true }
  | { type: 'gave_up'; reason: StopReason; text: string; unseen?: true }
  /** The usage of one model call, by the loop or a tool. `ms`: how long it took; 0 for a tool's call. */
  | { type: 'usage'; usage: Usage; ms: number }

/** A tool step whose call has ended. */
export interface ObservedToolStep extends ToolStep {
  observation: Observation
}

type ObservedStep = ObservedToolStep | UnreadableStep
