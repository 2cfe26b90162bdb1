import type { MessageTable, Source } from '../../agent/contracts/tool.ts'
import type { ThreadKey } from '../../base/place.ts'

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
interface BotQuestion extends QuestionBase {
  kind: 'bot'
  /** The id of the bot. */
  bot: string
}

/** Asked about a message, by a shortcut or a reaction. */
export interface AboutMessage extends QuestionBase {
  kind: 'about'
  /** The ts of the message in its thread. */
  about: string
}

/** Not a question, but a request to post a private answer for everybody. */
export interface ShareRequest extends QuestionBase {
  kind: 'share'
  /** The id of the question that was answered. */
  shares: string
}

/** A question of a schedule at one of its times. */
export interface OccurrenceQuestion extends QuestionBase {
  kind: 'occurrence'
  schedule: Occurrence
  /** Fields of a stored run (stored-run.ts), which a quiet run saved before its thread was opened. */
  prior?: Record<string, string>
}

/** The common part of the kinds. */
export interface QuestionBase {
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
  /** The asker's workspace, if Slack names another one than ours. */
  userTeam?: string
  /** It came as an `app_mention` without `files`, which Slack may omit there, so the message is looked up. */
  mayHaveFiles?: true
  /** It begins with a time, but its asker wants the answer now. */
  isNoSchedule?: true
  /** What earlier tries of this question have changed. */
  doneBefore?: DoneCall[]
  /** A W3C `traceparent` header's value, if traces are on. */
  traceparent?: string
}

/** A question with the fields of any kind. */
interface AnyQuestion extends QuestionBase {
  kind?: unknown
  bot?: unknown
  about?: unknown
  shares?: unknown
  schedule?: unknown
  prior?: unknown
}

/** The common part of a question. */
export function baseOf(question: Question): QuestionBase {
  return withoutOwnFields(question)
}

function withoutOwnFields({
  kind: _,
  bot: __,
  about: ___,
  shares: ____,
  schedule: _____,
  prior: ______,
  ...base
}: AnyQuestion): QuestionBase {
  return base
}

/** The question without the work that was done before its thread was opened. */
export function withoutPrior(question: Question): Question {
  return question.kind === 'occurrence' ? occurrenceWithoutPrior(question) : question
}

function occurrenceWithoutPrior({ prior: _, ...others }: OccurrenceQuestion): OccurrenceQuestion {
  return others
}

/** The occurrence that a question is, if it is one. */
export function occurrenceIn(question: Question): Occurrence | undefined {
  return question.kind === 'occurrence' ? question.schedule : undefined
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
