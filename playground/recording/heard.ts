/** The events that a recorder has collected. */
import type { JournalEntry } from '../journal/journal.ts'
import type { Json } from '../slack/types.ts'
import type { RecordedFile, RecordedTool } from './conversation-file.ts'
import type { Places } from './place-names.ts'

/** An action of a person, and the bot's progress at that time. */
export interface SaidAct {
  act: string
  body: Json
  user: string
  at: number
  files: RecordedFile[]
  /** `placed`: how many messages stood there; `views`: how many had been opened. */
  reached: { models: JournalEntry[]; tools: HeardTool[]; placed: number; views: number }
  during: { models: JournalEntry[]; tools: HeardTool[] }
  /** The threads in which the bot said that it works. */
  atWork: { channel: string; ts: string }[]
}

/** A model call as the journal has it, with the prompt whole. */
export interface HeardCall {
  entry: JournalEntry
  body: Json
}

/** A tool's use; `isOver` once its result is there. */
export interface HeardTool extends RecordedTool {
  isOver: boolean
  at: number
}

/** Everything so far. */
export interface Heard {
  places: Places
  acts: SaidAct[]
  models: HeardCall[]
  tools: HeardTool[]
  /** By their names. */
  offered: Map<string, Json>
}
