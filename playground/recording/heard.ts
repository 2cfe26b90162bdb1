/** What a recorder has collected. */
import type { JournalEntry } from '../journal/journal.ts'
import type { Json } from '../slack/types.ts'
import type { RecordedFile, RecordedTool } from './conversation-file.ts'
import type { Places } from './place-names.ts'

/** An act of a person, and the bot's progress at that time. */
export interface SaidAct {
  act: string
  body: Json
  user: string
  at: number
  files: RecordedFile[]
  /**
   * The model calls and tool calls so far. `placed` is the number of messages, `views` the number of views that were
   * opened.
   */
  reached: { models: JournalEntry[]; tools: HeardTool[]; placed: number; views: number }
  during: { models: JournalEntry[]; tools: HeardTool[] }
  /** The threads in which the bot worked. */
  atWork: { channel: string; ts: string }[]
}

/** A model call as in the journal, with the whole prompt. */
export interface HeardCall {
  entry: JournalEntry
  body: Json
}

/** A tool call. `isOver` becomes true when its result is there. */
export interface HeardTool extends RecordedTool {
  isOver: boolean
  at: number
}

export interface Heard {
  places: Places
  acts: SaidAct[]
  models: HeardCall[]
  tools: HeardTool[]
  /** The declarations of tools, by name. */
  offered: Map<string, Json>
}
