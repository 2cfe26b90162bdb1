import { z } from 'zod'
import { messageTable, sourceSchema } from '../../agent/contracts/evidence.ts'
import type { ForgottenPerson, Forgetting, Moving, ThreadKey } from '../../base/place.ts'
import { askedSchema } from '../runs/question.ts'

/**
 * The messages of a thread, in the form of thread-context.ts, and the key (`personIn`) of each one's author; '' for a
 * line without an author.
 */
export const threadContext = z.object({
  text: z.string(),
  by: z.array(z.string()),
  /** Files came with the question or with these messages, and are kept (files/store/types.ts). */
  hasFiles: z.literal(true).optional(),
  /** The alerts, forwards and tables among them, by their permalinks. */
  sources: z.array(sourceSchema).optional(),
  /** The tables among them, each with a name. Their lines in `text` may be cut. */
  tables: z.array(messageTable).optional(),
})
export type ThreadContext = z.infer<typeof threadContext>

/**
 * One question with its standalone form, its answer, who asked and when (milliseconds since the epoch). Appending the
 * same id twice keeps one turn.
 */
export const storedTurn = askedSchema.extend({
  question: z.string(),
  /** The thread's messages between the turn before and this question. */
  said: z.string().optional(),
  /** The author of each message; see `ThreadContext`. */
  saidBy: z.array(z.string()).optional(),
  /** See `ThreadContext`. */
  hasFiles: z.literal(true).optional(),
  tables: z.array(messageTable).optional(),
  standalone: z.string(),
  answer: z.string(),
  /** What the answer's tools found. */
  sources: z.array(sourceSchema).optional(),
  /** The answer may rest on what only its asker may see: no trace of a later run has its text. */
  forAsker: z.literal(true).optional(),
  user: z.string(),
  /** The asker's workspace, if it is another one than the thread's. */
  userTeam: z.string().optional(),
  at: z.number(),
})
export type Turn = z.infer<typeof storedTurn>

/** Turns kept for each thread; the oldest are dropped first. */
export const MAX_TURNS = 20

/** The turns of each thread: at most `MAX_TURNS`, kept for HISTORY_TTL_DAYS after the last one. */
export interface History extends Forgetting, Moving {
  /** Oldest first; an empty list for an unknown thread. */
  load(thread: ThreadKey): Promise<Turn[]>
  /** Idempotent by `turn.id`, because a resumed run may append its turn again. */
  append(thread: ThreadKey, turn: Turn): Promise<void>
  /** Forgets one turn, by its question's id. */
  remove(thread: ThreadKey, id: string): Promise<void>
  forget(thread: ThreadKey): Promise<void>
  /** Deletes a person's turns, and their messages between other people's turns. */
  forgetUser(person: ForgottenPerson): Promise<void>
}

/** A thread's earlier questions with their answers, and people's messages since then (`said`). */
export interface Conversation {
  turns: Turn[]
  said: string
}
