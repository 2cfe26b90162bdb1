import { z } from 'zod'
import { messageTable, sourceSchema } from '../../agent/contracts/evidence.ts'
import type { ThreadKey } from '../../base/place.ts'
import { decisionBasis, writeOutcome } from '../audit/types.ts'

/**
 * A file of a message, as Slack describes it there. The URL of its bytes is looked up when they are loaded, and never
 * stored.
 */
const fileRef = z.object({
  /** Empty if Slack gave none. */
  id: z.string(),
  name: z.string(),
  size: z.number().optional(),
  mimetype: z.string().optional(),
  /** `hosted`, `snippet`, `external`, `tombstone`, `hidden_by_limit`, … */
  mode: z.string().optional(),
  /** `check_file_info`: the message says nothing more about the file. */
  access: z.string().optional(),
})
export type FileRef = z.infer<typeof fileRef>

/** What the message of a question shows besides its author's words: forwards, alerts, tables. It is others' text. */
const attachedSchema = z.object({
  text: z.string(),
  /** The forwarded messages that have an address. */
  sources: z.array(sourceSchema),
  /** The tables of the message, also those whose lines are cut in `text` or stand among the asker's words. */
  tables: z.array(messageTable).optional(),
})
export type Attached = z.infer<typeof attachedSchema>

/** What the message of a question holds besides its words. */
export const questionPartsSchema = z.object({ files: z.array(fileRef).optional(), attached: attachedSchema.optional() })
export type QuestionParts = z.infer<typeof questionPartsSchema>

/** A call of a run that writes, for people. */
export const doneCallSchema = z.object({
  outcome: writeOutcome,
  /** `promised`: no call, but a claim of the answer that only a card could make true. */
  how: z.enum([...decisionBasis.options, 'promised']),
  tool: z.string(),
  /** The tool's name for people, see `Action`. */
  title: z.string().optional(),
  /** The argument that names a thing, or ''. */
  what: z.string(),
  /** The id of the person who decided. */
  by: z.string().optional(),
  /** An earlier try of the question made it. */
  earlier: z.literal(true).optional(),
})
export type DoneCall = z.infer<typeof doneCallSchema>

/**
 * `due`: its time has come. `now`, `try`: somebody pressed a button. `at`: the scheduled time, in ms since the epoch.
 */
const occurrenceSchema = z.object({
  id: z.string(),
  kind: z.enum(['due', 'now', 'try']),
  at: z.number(),
  /** The times of the schedule in words, such as "every Monday at 9". */
  when: z.string(),
  /** The time of the run before, ms since the epoch. */
  lastRunAt: z.number().optional(),
  /** How often it had to wait for room under a limit. */
  again: z.number().optional(),
  /** The person who pressed the button, if not its creator. */
  by: z.string().optional(),
})
export type Occurrence = z.infer<typeof occurrenceSchema>

/** What identifies a question, also in the history. */
export const askedSchema = z.object({
  /** Opaque: what is read of it stands in the other fields. It is claimed, so that each question is answered once. */
  id: z.string(),
  /** The message's ts; absent for a slash command, and for "Ask again". */
  ts: z.string().optional(),
  /** The question before it was edited or repeated. Absent if it never was. */
  original: z.object({ id: z.string(), ts: z.string().optional() }).optional(),
})
export type Asked = z.infer<typeof askedSchema>

/** Adds what version 0.1.0 stored only in ids: `team:channel:ts`, and after it the ts of an edit or `again-…`. */
export function withOriginal<Stored extends Asked>(stored: Stored): Stored {
  const [team, channel, asked = '', ...later] = stored.id.split(':')
  const ts = stored.ts ?? (/^\d+\.\d+$/.test(asked) ? asked : undefined)
  if (stored.original || (later.length === 0 && ts === stored.ts)) return stored
  if (later.length === 0) return { ...stored, ts }
  return { ...stored, original: { id: `${team}:${channel}:${asked}`, ts } }
}

/** The id that all versions of an edited or repeated question share. */
export function originalId({ id, original }: Asked): string {
  return original?.id ?? id
}

/** The ts of the message that asked, also if the question was repeated by a button. Undefined if no message asked. */
export function askedAt({ ts, original }: Asked): string | undefined {
  return ts ?? original?.ts
}

/** The common part of the kinds. */
const base = askedSchema.extend({
  team: z.string(),
  channel: z.string(),
  /** `thread_ts ?? ts`. A slash command has its id here until its root message is posted. */
  thread: z.string(),
  /**
   * The thread whose conversation the question continues, if it is another one. The queue sets it in direct messages.
   */
  conversation: z.string().optional(),
  user: z.string(),
  text: z.string(),
  ...questionPartsSchema.shape,
  /** How it came in. `private`: by `/ask private:`, for the asker alone. `shortcut`: about a message. */
  surface: z.enum(['mention', 'thread', 'dm', 'ask', 'private', 'shortcut']),
  /** Slack's event id, which is claimed too. */
  eventId: z.string().optional(),
  /** The app of SLACK_APPS that accepted it, by name. Only that app answers it. */
  app: z.string().optional(),
  /** Set for an archived run if only the asker may see more of it than the question. */
  forAsker: z.literal(true).optional(),
  /** The URL to which an ephemeral reply to `/ask` can be sent. */
  responseUrl: z.string().optional(),
  /** Milliseconds since the epoch, when it came in. */
  at: z.number(),
  /** Slack could not deliver it at the first try, so replies to it may have arrived earlier. */
  isLate: z.boolean().optional(),
  /** The channel that the asker was looking at, if Slack reports it for an agent's direct message. */
  lookingAt: z.string().optional(),
  /** The time at which a repeated question was first asked, in ms. Later turns are not part of its conversation. */
  firstAt: z.number().optional(),
  /** The asker's workspace, if Slack names another one than ours. */
  userTeam: z.string().optional(),
  /** It came as an `app_mention` without `files`, which Slack may omit there, so the message is looked up. */
  mayHaveFiles: z.literal(true).optional(),
  /** Asked by the button "Ask again" (slack/listeners/ask-again.ts). */
  isRepeat: z.literal(true).optional(),
  /** It begins with a time, but its asker wants the answer now. */
  isNoSchedule: z.literal(true).optional(),
  /** What earlier tries of this question have changed. */
  doneBefore: z.array(doneCallSchema).optional(),
  /** A W3C `traceparent` header's value, if traces are on. */
  traceparent: z.string().optional(),
})
export type QuestionBase = z.infer<typeof base>

/** The fields of single kinds. */
const ownFields = z.object({
  /** The id of the bot that asks. */
  bot: z.string(),
  /** The ts of the message that it is about, in its thread. */
  about: z.string(),
  /** The id of the private answer's question. */
  shares: z.string(),
  schedule: occurrenceSchema,
  /** Fields of a stored run (stored-run.ts), which a quiet run saved before its thread was opened. */
  prior: z.record(z.string(), z.string()),
})
type OwnFields = z.infer<typeof ownFields>

/**
 * What is to be answered, of one kind: the kinds have a common part, and their own fields. Plain JSON, because it is
 * stored before Slack gets its ack. Each kind has a handler in slack/answering/handle-question.ts.
 */
export type Question = PersonsQuestion | UnreadAddition | BotQuestion | AboutMessage | ShareRequest | OccurrenceQuestion

/** Asked by a person, in a message or by a command. */
interface PersonsQuestion extends QuestionBase {
  kind: 'asked'
}

/** Sent to a running question, which ended before reading it. */
interface UnreadAddition extends QuestionBase {
  kind: 'addition'
}

/** Asked by another bot. */
interface BotQuestion extends QuestionBase, Pick<OwnFields, 'bot'> {
  kind: 'bot'
}

/** Asked about a message, by a shortcut or a reaction. */
export interface AboutMessage extends QuestionBase, Pick<OwnFields, 'about'> {
  kind: 'about'
}

/** Not a question, but a request to post a private answer for everybody. */
export interface ShareRequest extends QuestionBase, Pick<OwnFields, 'shares'> {
  kind: 'share'
}

/** A question of a schedule at one of its times. */
export interface OccurrenceQuestion
  extends QuestionBase, Pick<OwnFields, 'schedule'>, Partial<Pick<OwnFields, 'prior'>> {
  kind: 'occurrence'
}

/** A stored question. Its fields determine the kind, also for one that 0.1.0 stored, which knew no kinds. */
export const questionSchema = z
  .object({
    ...base.shape,
    ...ownFields.partial().shape,
    kind: z.string().optional(),
    /** A queue marks a message that no run has read. */
    wasAddition: z.boolean().optional(),
  })
  .transform(({ kind, wasAddition, bot, about, shares, schedule, prior, ...stored }): Question => {
    const isRepeat = !stored.original && stored.id.includes(':again-')
    const question = { ...withOriginal(stored), ...(isRepeat ? { isRepeat } : {}) }
    if (schedule) return { kind: 'occurrence', ...question, schedule, ...(prior ? { prior } : {}) }
    if (shares !== undefined) return { kind: 'share', ...question, shares }
    if (about !== undefined) return { kind: 'about', ...question, about }
    if (bot !== undefined) return { kind: 'bot', ...question, bot }
    return { kind: wasAddition || kind === 'addition' ? 'addition' : 'asked', ...question }
  })

/** The common part of a question. */
export function baseOf(question: Question): QuestionBase {
  return base.parse(question)
}

/** The question without the work that was done before its thread was opened. */
export function withoutPrior(question: Question): Question {
  if (question.kind !== 'occurrence') return question
  const others = { ...question }
  delete others.prior
  return others
}

/** The occurrence that a question is, if it is one. */
export function occurrenceIn(question: Question): Occurrence | undefined {
  return question.kind === 'occurrence' ? question.schedule : undefined
}

/**
 * Returns whether the thread may contain messages before the question that are in no turn: true for a reply in a
 * channel's thread. In a direct message every message is a question, so the history is complete.
 */
export function hasThreadBefore(question: Question): boolean {
  const ts = askedAt(question)
  return ts !== undefined && ts !== question.thread && question.surface !== 'dm'
}

/**
 * The place where a question was asked. If the question continues another conversation, `conversation` replaces the
 * thread.
 */
interface QuestionPlace {
  team: string
  channel: string
  thread: string
  conversation?: string | undefined
}

/**
 * The key of the question's conversation: of its history, and of the line in which its questions are answered in order.
 */
export function conversationOf(question: QuestionPlace): ThreadKey {
  return `${question.team}:${question.channel}:${question.conversation ?? question.thread}`
}

/** Returns whether it was asked in a direct message, where messages within an hour are one conversation. */
export function isDirect({ surface, channel }: Pick<Question, 'surface' | 'channel'>): boolean {
  return surface === 'dm' || ((surface === 'ask' || surface === 'shortcut') && channel.startsWith('D'))
}

/** Returns whether only the asker may see the result. */
export function isPrivate({ surface, forAsker }: Pick<Question, 'surface' | 'forAsker'>): boolean {
  return surface === 'private' || forAsker === true
}

/** Returns whether nobody is waiting for its answer. People's questions are answered first. */
export function isBackground(question: Question): boolean {
  return occurrenceIn(question)?.kind === 'due'
}

/**
 * Returns whether it is a command whose root message is not posted yet. There is no thread then, and only the asker can
 * get a message.
 */
export function isUnrooted(question: Pick<Question, 'thread'>): boolean {
  return question.thread.startsWith('ask-')
}
