import type { Usage } from '../../agent/contracts/model.ts'
import type { Step, StopReason } from '../../agent/contracts/run-events.ts'
import type { MessageTable, PersonsAnswer, Source, ToolMemory } from '../../agent/contracts/tool.ts'
import type { ThreadKey } from '../../base/place.ts'
import type { ThreadContext } from '../history/types.ts'

/** How a question came in. `private`: by `/ask private:`, for the asker alone. `shortcut`: about a message. */
type Surface = 'mention' | 'thread' | 'dm' | 'ask' | 'private' | 'shortcut'

/**
 * A file of a message, as Slack describes it there. The URL of its bytes is looked up when they are loaded, and never
 * stored.
 */
export interface FileRef {
  /** Empty if Slack gave none. */
  id: string
  name: string
  size?: number
  mimetype?: string
  /** `hosted`, `snippet`, `external`, `tombstone`, `hidden_by_limit`, … */
  mode?: string
  /** `check_file_info`: the message says nothing more about the file. */
  access?: string
}

/** What the message of a question shows besides its author's words: forwards, alerts, tables. It is others' text. */
export interface Attached {
  text: string
  /** The forwarded messages that have an address. */
  sources: Source[]
  /** The tables of the message, also those whose lines are cut in `text` or stand among the asker's words. */
  tables?: MessageTable[]
}

/** A person's question from any entry point. Plain JSON, because it is stored before Slack gets its ack. */
export interface Question {
  /**
   * `team:channel:ts` for a message; `team:channel:ts:edit` for an edited one, with the edit's ts;
   * `team:channel:ask-<trigger>` for a slash command. It is claimed, so that each question is answered once.
   */
  id: string
  team: string
  channel: string
  /** `thread_ts ?? ts`. A slash command has its id here until its root message is posted. */
  thread: string
  /**
   * The thread whose conversation the question continues, if it is another one. The queue sets it in direct messages.
   */
  conversation?: string
  user: string
  text: string
  files?: FileRef[]
  attached?: Attached
  /** The message's ts; absent for a slash command. */
  ts?: string
  surface: Surface
  /** Slack's event id, which is claimed too. */
  eventId?: string
  /** The app of SLACK_APPS that accepted it, by name. Only that app answers it. */
  app?: string
  /** The ts of the message in its thread that the question is about. */
  about?: string
  /** Not a question, but a request to post the private answer of the question with this id for everybody. */
  shares?: string
  /** Set for an archived run if only the asker may see more of it than the question. */
  forAsker?: true
  /** The URL to which an ephemeral reply to `/ask` can be sent. */
  responseUrl?: string
  /** Milliseconds since the epoch, when it came in. */
  at: number
  /** Slack could not deliver it at the first try, so replies to it may have arrived earlier. */
  isLate?: boolean | undefined
  /** The channel that the asker was looking at, if Slack reports it for an agent's direct message. */
  lookingAt?: string
  /** The time at which a repeated question was first asked, in ms. Later turns are not part of its conversation. */
  firstAt?: number
  /** It was sent to a running question, which ended before reading it. */
  wasAddition?: boolean
  /** The asker's workspace, if Slack names another one than ours. */
  userTeam?: string
  /** It came as an `app_mention` without `files`, which Slack may omit there, so the message is looked up. */
  mayHaveFiles?: true
  /** The id of the bot that asks, if the asker is not a person. */
  bot?: string
  /** It begins with a time, but its asker wants the answer now. */
  isNoSchedule?: true
  /** The schedule whose occurrence it is. */
  schedule?: Occurrence
  /** Fields of a stored run (stored-run.ts), which a quiet run saved before its thread was opened. */
  prior?: Record<string, string>
  /** What earlier tries of this question have changed. */
  doneBefore?: DoneCall[]
  /** A W3C `traceparent` header's value, if traces are on. */
  traceparent?: string
}

/**
 * `due`: its time has come. `now`, `try`: somebody pressed a button. `at`: the scheduled time, in ms since the epoch.
 */
export interface Occurrence {
  id: string
  kind: 'due' | 'now' | 'try'
  at: number
  /** How often it runs, for people. */
  when: string
  /** The time of the run before, ms since the epoch. */
  lastRunAt?: number
  /** How often it had to wait for room under a limit. */
  again?: number
  /** The person who pressed the button, if not its maker. */
  by?: string
}

/** The part of a question's id that all versions of an edited question share. */
export function askedMessage(id: string): string {
  return id.split(':', 3).join(':')
}

/** Returns whether it was asked by the button "Ask again" (slack/listeners/ask-again.ts). */
export function isRepeat(id: string): boolean {
  return id.includes(':again-')
}

/** The ts of the message that asked, also if the question was repeated by a button. Undefined if no message asked. */
export function askedAt({ id }: Pick<Question, 'id'>): string | undefined {
  return /^[^:]*:[^:]*:(\d+\.\d+)(?::|$)/.exec(id)?.[1]
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
export function isBackground({ schedule }: Pick<Question, 'schedule'>): boolean {
  return schedule?.kind === 'due'
}

/**
 * Returns whether it is a command whose root message is not posted yet. There is no thread then, and only the asker can
 * get a message.
 */
export function isUnrooted(question: Pick<Question, 'thread'>): boolean {
  return question.thread.startsWith('ask-')
}

/** The saved state of a run. A fresh run has no steps and no posts. */
export interface SavedRun {
  /** The question with names instead of the ids of people and channels. Absent if it contains no such ids. */
  named?: string
  /** The words of a clip that came alone. They are the question. */
  spoken?: string
  /** The thread's messages before the question, with names, read when the run began. Empty if nobody wrote. */
  said?: ThreadContext
  standalone?: string
  /** The ids of the remembered texts that the model got. Absent if there were none. */
  remembered?: string[]
  steps: Step[]
  /** The memory of the tools between steps. */
  memory: ToolMemory
  /**
   * Post key (`root`, `step-1`, `answer-1`, …) to the post's Slack ts; empty while it is claimed and not known to be
   * sent.
   */
  posts: Record<string, string>
  usage: Usage[]
  /**
   * `gaveUp`: the text is not an answer but the findings so far. `unseen`: the model could not see the question's
   * pictures.
   */
  answer?: {
    text: string
    sources: Source[]
    stopped?: StopReason
    gaveUp?: true
    unseen?: true
    /** The run's writes; absent if none of its tools could write. */
    done?: DoneCall[]
    /** How many of the remembered texts the answer uses; absent if none. */
    used?: number
    /** The answer's figures and their sources (question/check-figures). */
    figures?: { text: string; in: string[] }[]
  }
  /** The decisions about steps that waited for a person, by the wait (`waitKey`). */
  decisions: Record<string, Decision>
  /** Milliseconds since the epoch of the first start, and how many workers have started it. */
  startedAt: number
  attempts: number
  /** How often an operator had it retried after it was dead-lettered. */
  retries: number
}

/**
 * A call of a run that writes, for people. `how` and `outcome` are those of the audit list; `what` is the argument that
 * names a thing, or ''; `by` is the id of the person who decided.
 */
export interface DoneCall {
  outcome: 'begun' | 'done' | 'failed' | 'unknown' | 'not_run'
  /** `promised`: no call, but a claim of the answer that only a card could make true. */
  how: 'once' | 'always' | 'config' | 'denied' | 'expired' | 'promised'
  tool: string
  /** The tool's name for people, see `Action`. */
  title?: string
  what: string
  by?: string
  /** An earlier try of the question made it. */
  earlier?: true
}

/**
 * A decision about a step that waits for a person. `at`: when, in ms since the epoch; `key`: the call that it is about
 * (stores/runs/call-key.ts); `always`: for the tool in this thread from now on. `answered`: the answer to the tool's
 * question. `expired`: nobody decided in time.
 */
export type Decision =
  | { outcome: 'allowed' | 'denied'; by: string; at: number; key: string; reason?: string; always?: true }
  | { outcome: 'answered'; by: string; action: PersonsAnswer['action']; content?: PersonsAnswer['content'] }
  | { outcome: 'expired' }

/** The parts of a run that are saved one by one. A step is saved under its number, counted from 1. */
export type RunPart =
  | { part: 'named'; value: string }
  | { part: 'spoken'; value: string }
  | { part: 'said'; value: ThreadContext }
  | { part: 'standalone'; value: string }
  | { part: 'remembered'; value: string[] }
  | { part: 'step'; n: number; value: Step }
  | { part: 'memory'; value: ToolMemory }
  | { part: 'usage'; n: number; value: Usage }
  | { part: 'answer'; value: NonNullable<SavedRun['answer']> }

/**
 * A run that this process holds the lease of. Everything it saves and claims is checked against the lease's fencing
 * token in the same atomic step.
 * @throws LeaseLost from every method once another worker has taken the run over.
 */
export interface Run {
  readonly saved: SavedRun
  /** Saves parts in one round trip. */
  save(...parts: RunPart[]): Promise<void>
  /**
   * Claims a post before it is sent. `fresh`: nobody has tried; send it. `unsure`: an earlier try may have reached
   * Slack; look it up before sending. With a `ts`: it is in Slack already.
   */
  claimPost(key: string): Promise<'fresh' | 'unsure' | { ts: string }>
  /** Records the ts of a post that is in Slack; a durable run with its next write, or in a moment. */
  posted(key: string, ts: string): Promise<void>
  /**
   * For calls that are visible to others but not claimed. Asks Redis only if the lease was not confirmed a moment ago.
   */
  checkLease(): Promise<void>
}

/** The end of a run, according to its answer. */
export function endOf(answer: SavedRun['answer']): 'answered' | 'gave_up' | 'stopped' {
  if (answer?.stopped === 'stopped') return 'stopped'
  return answer && !answer.gaveUp ? 'answered' : 'gave_up'
}

/** A run that nobody has worked on. `at`: milliseconds since the epoch of its first start. */
export function freshRun(at: number): SavedRun {
  return { steps: [], memory: {}, posts: {}, usage: [], decisions: {}, startedAt: at, attempts: 0, retries: 0 }
}

/** A snapshot of the run's progress, which does not change while the run continues. */
export function progressOf({ steps, memory, usage }: SavedRun): Pick<SavedRun, 'steps' | 'memory' | 'usage'> {
  return { steps: [...steps], memory, usage: [...usage] }
}
