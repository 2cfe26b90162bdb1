import type { PersonsAnswer, Step, StopReason, Source, ToolMemory, Usage, Waiting } from '../../agent/types.ts'
import type { ThreadKey } from '../../base/place.ts'
import type { ThreadContext } from '../history/types.ts'

/** How a question came in. `private`: by `/ask private:`; what comes of it is for the asker alone. `shortcut`: about a message. */
export type Surface = 'mention' | 'thread' | 'dm' | 'ask' | 'private' | 'shortcut'

/** A file of a message, by what Slack says of it there. Where its bytes are is asked when they are loaded, and never stored. */
export interface FileRef {
  /** '' where Slack gave none. */
  id: string
  name: string
  size?: number
  mimetype?: string
  /** `hosted`, `snippet`, `external`, `tombstone`, `hidden_by_limit`, … */
  mode?: string
  /** `check_file_info`: Slack tells no more of it in the message. */
  access?: string
}

/** What a person asked, whichever entrance it came by. Plain JSON: it is stored before Slack gets its ack. */
export interface Question {
  /**
   * `team:channel:ts` for messages, and `team:channel:ts:edit` as one reads since its edit at that ts;
   * `team:channel:ask-<trigger>` for a slash command. The claim that makes it once.
   */
  id: string
  team: string
  channel: string
  /** `thread_ts ?? ts`; a slash command has none until its root message is posted, and carries its id here. */
  thread: string
  /** The thread whose conversation it continues, if that is another one; the queue sets it in direct messages. */
  conversation?: string
  user: string
  text: string
  files?: FileRef[]
  /** The message's ts; absent for a slash command. */
  ts?: string
  surface: Surface
  /** Slack's event id, claimed besides the question's own id. */
  eventId?: string
  /** The ts of the message in its thread that it is about. */
  about?: string
  /** No question: the asker wants the private answer of the question with this id to be posted for all. */
  shares?: string
  /** Where a private word to the asker of `/ask` can go. */
  responseUrl?: string
  /** Milliseconds since the epoch, when it came in. */
  at: number
  /** Slack could not deliver it at the first try, so replies to it may have come in before it. */
  isLate?: boolean | undefined
  /** The channel that the asker looked at, where Slack tells that of an agent's direct message. */
  lookingAt?: string
  /** Of a question that is asked again, when it was first asked, ms: what was asked since is not its conversation. */
  firstAt?: number
  /** It was told to a run that was under way, which had ended before it could hear it. */
  wasAddition?: boolean
  /** The asker's workspace, where Slack names another one than ours. */
  userTeam?: string
  /** It came by an `app_mention` without `files`, which Slack may leave out there: the message is looked up. */
  mayHaveFiles?: true
  /** The id of the bot that asks, if it is no person. */
  bot?: string
  /** The schedule whose occurrence it is. */
  schedule?: Occurrence
  /** What a quiet run of it has saved before its thread was open: fields of a stored run (stored-run.ts). */
  prior?: Record<string, string>
  /** The trace that it belongs to, where traces are on: a W3C `traceparent` header's value. */
  traceparent?: string
}

/** `due`: its time has come; `now`, `try`: its maker has pressed a button. `at`: the time that it is for, in ms since the epoch. */
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
}

/** The part of a question's id that all versions of an edited question share: the message that it was asked by. */
export function askedMessage(id: string): string {
  return id.split(':', 3).join(':')
}

/** Whether it was asked by the button "Ask again" (slack/listeners/ask-again.ts). */
export function isRepeat(id: string): boolean {
  return id.includes(':again-')
}

/** The ts of that message, also where the question is asked again by a button; undefined where no message asked it. */
export function askedAt({ id }: Pick<Question, 'id'>): string | undefined {
  return /^[^:]*:[^:]*:(\d+\.\d+)(?::|$)/.exec(id)?.[1]
}

/**
 * Whether anything may stand before the question that no turn has: it is a reply in a channel's thread. In a direct message
 * every message is a question, so the history has them all.
 */
export function hasThreadBefore(question: Question): boolean {
  const ts = askedAt(question)
  return ts !== undefined && ts !== question.thread && question.surface !== 'dm'
}

/** Where a question was asked. `conversation` takes the place of the thread if the question continues another one. */
interface QuestionPlace {
  team: string
  channel: string
  thread: string
  conversation?: string | undefined
}

/** The key of the conversation that a question belongs to: what is remembered, and answered in order. */
export function conversationOf(question: QuestionPlace): ThreadKey {
  return `${question.team}:${question.channel}:${question.conversation ?? question.thread}`
}

/** Whether it is asked in a direct message: there what is said within an hour is one conversation. */
export function isDirect({ surface, channel }: Pick<Question, 'surface' | 'channel'>): boolean {
  return surface === 'dm' || ((surface === 'ask' || surface === 'shortcut') && channel.startsWith('D'))
}

/** Whether nobody but the asker may see anything of it. */
export function isPrivate({ surface }: Pick<Question, 'surface'>): boolean {
  return surface === 'private'
}

/** Whether nobody waits for its answer: people's questions go before it. */
export function isBackground({ schedule }: Pick<Question, 'schedule'>): boolean {
  return schedule?.kind === 'due'
}

/** A command whose root message is not posted yet: there is no thread, and only the asker can be told anything. */
export function isUnrooted(question: Pick<Question, 'thread'>): boolean {
  return question.thread.startsWith('ask-')
}

/** What a run has done so far and saved. A fresh run has no steps and no posts. */
export interface SavedRun {
  /** The question with names in place of the ids of people and channels. Absent where it names nobody. */
  named?: string
  /** What people wrote in the thread before the question, with names, as it was read at the start; empty if nobody did. */
  said?: ThreadContext
  standalone?: string
  /** The ids of what was remembered and given to the model. Absent if nothing was. */
  remembered?: string[]
  steps: Step[]
  /** What the tools remember between steps. */
  memory: ToolMemory
  /** Post key (`root`, `step-1`, `answer-1`, …) to the post's Slack ts; empty while it is claimed and not known to be sent. */
  posts: Record<string, string>
  usage: Usage[]
  /** `gaveUp`: the text is no answer but what is known. `unseen`: the model could not see the question's pictures. */
  answer?: {
    text: string
    sources: Source[]
    stopped?: StopReason
    gaveUp?: true
    unseen?: true
    /** The run's writes; absent if none of its tools could write. */
    done?: DoneCall[]
    /** The answer's figures and where they stand (question/figures). */
    figures?: { text: string; in: string[] }[]
  }
  /** What people decided about the steps that waited for them, by the wait (`waitKey`). */
  decisions: Record<string, Decision>
  /** Milliseconds since the epoch of the first start, and how many workers have started it. */
  startedAt: number
  attempts: number
  /** How often an operator had it tried again after it was given up. */
  retries: number
}

/**
 * A call of a run that writes, for people. `how` and `outcome` are those of the audit list; `what` is the argument that
 * names a thing, or ''; `by` is the id of the person who decided.
 */
export interface DoneCall {
  outcome: 'begun' | 'done' | 'failed' | 'unknown' | 'not_run'
  how: 'once' | 'always' | 'config' | 'denied' | 'expired'
  tool: string
  what: string
  by?: string
}

/**
 * What was decided about a step that waits for a person. `at`: when, in ms since the epoch; `key`: the call that it is about
 * (stores/runs/call-key.ts); `always`: for the tool in this thread from now on. `answered`: to what the tool asked. `expired`: nobody decided in time.
 */
export type Decision =
  | { outcome: 'allowed' | 'denied'; by: string; at?: number; reason?: string; key?: string; always?: true }
  | { outcome: 'answered'; by: string; action: PersonsAnswer['action']; content?: PersonsAnswer['content'] }
  | { outcome: 'expired' }

/** The parts of a run that are saved one by one. A step is saved under its number, counted from 1. */
export type RunPart =
  | { part: 'named'; value: string }
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
   * Claims a post before it is sent. `fresh`: nobody has tried; send it. `unsure`: an earlier try may have reached Slack;
   * look it up before sending. With a `ts`: it is in Slack already.
   */
  claimPost(key: string): Promise<'fresh' | 'unsure' | { ts: string }>
  /** Records the ts of a post that is in Slack; a durable run with its next write, or in a moment. */
  posted(key: string, ts: string): Promise<void>
  /** For calls that are visible to others but not claimed. Asks Redis only if the lease was not confirmed a moment ago. */
  checkLease(): Promise<void>
}

/** How a run has ended, by its answer. */
export function endOf(answer: SavedRun['answer']): 'answered' | 'gave_up' | 'stopped' {
  if (answer?.stopped === 'stopped') return 'stopped'
  return answer && !answer.gaveUp ? 'answered' : 'gave_up'
}

/** A run that nobody has worked on. `at`: milliseconds since the epoch of its first start. */
export function freshRun(at: number): SavedRun {
  return { steps: [], memory: {}, posts: {}, usage: [], decisions: {}, startedAt: at, attempts: 0, retries: 0 }
}

/** The key of a step's wait for a person: the step's number, and from its second wait on that wait's number: `2`, `2.2`, `2.3`. */
export function waitKey(n: number, waiting?: Pick<Waiting, 'round'>): string {
  const round = waiting?.round ?? 1
  return round === 1 ? String(n) : `${n}.${round}`
}

/** The waits that are not decided, by their keys; with `since` (ms since the epoch) those alone that had begun by then. */
export function undecidedSteps(saved: Pick<SavedRun, 'steps' | 'decisions'>, since = Infinity): string[] {
  return undecided(saved).flatMap((wait) => (wait.since <= since ? [wait.key] : []))
}

/** When the first of these is over where each lasts `ms` (ms since the epoch); undefined where nothing waits. */
export function waitsUntil(saved: SavedRun, ms: number): number | undefined {
  const waits = undecided(saved)
  return waits.length > 0 ? Math.min(...waits.map(({ since }) => since)) + ms : undefined
}

function undecided({ steps, decisions }: Pick<SavedRun, 'steps' | 'decisions'>): { key: string; since: number }[] {
  return [...steps.entries()].flatMap(([i, step]) => {
    if (step.kind !== 'tool' || !step.waiting || step.observation) return []
    const key = waitKey(i + 1, step.waiting)
    return decisions[key] ? [] : [{ key, since: step.waiting.since }]
  })
}

/** What the run has done so far, as a value that stays as it is while the run goes on. */
export function progressOf({ steps, memory, usage }: SavedRun): Pick<SavedRun, 'steps' | 'memory' | 'usage'> {
  return { steps: [...steps], memory, usage: [...usage] }
}
