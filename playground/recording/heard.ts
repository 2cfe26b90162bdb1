/** The calls and acts that a recorder has collected. */
import type { JournalEntry } from '../journal/journal.ts'
import type { Json } from '../slack/types.ts'
import type { RecordedFile, RecordedTool } from './conversation-file.ts'
import type { Places } from './place-names.ts'

/** An act of a person, and the bot's progress at that time. */
export interface ObservedAct {
  act: string
  body: Json
  user: string
  at: number
  files: RecordedFile[]
  /** The calls that had ended. `placed`: how many messages stood there; `views`: how many had been opened. */
  reached: { models: JournalEntry[]; tools: ObservedTool[]; placed: number; views: number }
  /** The calls of models that were under way. */
  during: JournalEntry[]
  /** The threads in which the bot worked. */
  atWork: { channel: string; ts: string }[]
}

/** A model call as in the journal, with the whole prompt. */
export interface ObservedCall {
  entry: JournalEntry
  body: Json
}

/** A tool call that has ended. `at`: when it began. */
export interface ObservedTool extends RecordedTool {
  at: number
}

export interface ObservedEvents {
  places: Places
  acts: ObservedAct[]
  models: ObservedCall[]
  /** In the order of their ends. */
  tools: ObservedTool[]
  /** The declarations of tools, by name. */
  offered: Map<string, Json>
}
