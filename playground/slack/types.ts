/** The things of a workspace, in the forms that Slack's Web API and events use. */

/** What came or goes as JSON, not yet looked into. */
export type Json = Record<string, unknown>

/** One emoji under a message, and whose it is. */
export interface Reaction {
  name: string
  users: string[]
  count: number
}

/** A message as Slack keeps it. `ts` is its id in the channel and its time. */
export interface Message {
  type: 'message'
  ts: string
  text: string
  subtype?: string
  user?: string
  team?: string
  bot_id?: string
  app_id?: string
  thread_ts?: string
  parent_user_id?: string
  client_msg_id?: string
  blocks?: Json[]
  attachments?: Json[]
  files?: Json[]
  metadata?: Json
  edited?: { user: string; ts: string }
  reactions?: Reaction[]
  /** Present while and after `chat.startStream` wrote it. */
  streaming_state?: 'in_progress' | 'completed' | 'stopped'
  chunks?: Json[]
  /** Whom a stream in a channel is for, and how it began, which is all that others see until it ends. */
  stream?: { recipient: string; text: string; chunks: Json[] }
  [more: string]: unknown
}

/** What only one person sees; it is kept nowhere in Slack, and here only to be looked at. */
export interface Ephemeral {
  ts: string
  user: string
  text: string
  thread_ts?: string
  blocks?: Json[]
}

/**
 * What a thread shows that the bot does: of `assistant.threads.setStatus` or of an agent's session, whichever came
 * last.
 */
export interface Status {
  text: string
  /** Milliseconds since the epoch at which Slack clears it by itself. */
  until: number
  /** A session's own stands until the session says otherwise; the other kind goes with the bot's next message. */
  ofSession: boolean
}

/** An agent's session in a thread, as `agents.sessions.setStatus` and `chat.startStream` open it. */
export interface Session {
  status: SessionStatus
  title?: string
  initiator?: string
}

export type SessionStatus = 'processing' | 'active' | 'suspended' | 'closed'

/** Where a file lies: with Slack, elsewhere, or nowhere any more. */
export type FileMode = 'hosted' | 'snippet' | 'external' | 'tombstone' | 'hidden_by_limit'

/** A file of the workspace. */
export interface StoredFile {
  id: string
  name: string
  title: string
  /** In bytes: what was announced, or what Slack is to say. */
  size: number
  /** Missing until they are uploaded, and where the file lies elsewhere. */
  bytes?: Uint8Array
  mimetype: string
  filetype: string
  mode: FileMode
  /** Who brought it, when (seconds), and the channels in which it was shared. */
  user: string
  created: number
  channels: Set<string>
  altText?: string
  externalUrl?: string
  access?: 'check_file_info' | 'access_denied'
  /** By width in pixels. */
  thumbs?: Record<number, Uint8Array>
  transcription?: { status: string; text: string }
  trouble?: FileTrouble
}

/** What goes wrong on purpose when a file is downloaded. */
export interface FileTrouble {
  /** How many downloads it meets; all unless told. */
  times?: number
  /** As for a token without `files:read`: a redirect to the login page, or that page itself with status 200. */
  login?: 'redirect' | 'page'
  /** So many redirects on this server come first; Infinity goes round for ever. */
  redirects?: number
  /** A redirect to this address, in place of the file. */
  redirectTo?: string
  /** Another status, with Retry-After in seconds. */
  status?: number
  retryAfter?: number
  /** A silence before the answer, and one before each piece of 1,024 bytes, in milliseconds. */
  delayMs?: number
  pieceMs?: number
  /** The connection is cut after so many bytes. */
  cutAfter?: number
  /** So many bytes come, whatever the size says: the file's over and over, without a Content-Length. */
  sends?: number
  /** Another Content-Type. */
  type?: string
}

/** A channel, a private one (`group`), a direct message (`im`) or one among several (`mpim`). */
export interface Channel {
  id: string
  name: string
  kind: 'channel' | 'group' | 'im' | 'mpim'
  members: Set<string>
  archived: boolean
  /** Shared with another workspace by Slack Connect. */
  shared: boolean
  messages: Message[]
  ephemerals: Ephemeral[]
  /** What the bot says that it is doing, by thread. */
  statuses: Map<string, Status>
  /** An agent's sessions, by thread. */
  sessions: Map<string, Session>
  /** What `assistant.threads.setSuggestedPrompts` offers, by thread; the channel itself is the empty text. */
  prompts: Map<string, Json[]>
  /** The ts of messages that are gone, so that asking for one is known from making one up. */
  deleted: Set<string>
}

/** A person or a bot, as `users.info` gives them. */
export interface User {
  id: string
  team_id: string
  name: string
  real_name: string
  deleted: boolean
  is_bot: boolean
  is_admin: boolean
  is_owner: boolean
  is_email_confirmed: boolean
  is_restricted: boolean
  is_ultra_restricted: boolean
  is_stranger: boolean
  tz: string
  profile: Json
}

/** One Web API call, as it came and as it ended. */
export interface Call {
  method: string
  args: Json
  ok: boolean
  error?: string
  /** Milliseconds since the epoch. */
  at: number
}

/** A call that is the app's own mistake: a broken form, a limit passed, something made up. */
export interface Refused {
  method: string
  error: string
  why: string
}

/** What changed, for whoever watches the workspace. */
export type Change =
  | { type: 'message'; channel: string; message: Message }
  | { type: 'removed'; channel: string; ts: string }
  | { type: 'ephemeral'; channel: string; ephemeral: Ephemeral }
  | { type: 'status'; channel: string; thread: string; text: string }
  | { type: 'channel'; channel: string }
  | { type: 'session'; channel: string; thread: string; session: Session }
  | { type: 'prompts'; channel: string; thread: string; prompts: Json[] }
  | { type: 'view'; user: string; view?: Json }

/**
 * Slack says no. `blame` tells the app's own mistakes (a broken form, a limit, an id that never was) from an answer
 * that a good app meets too (not in the channel, already reacted).
 */
export class Refusal extends Error {
  readonly error: string
  readonly blame: boolean
  readonly more: Json

  constructor(error: string, options: { why?: string; blame?: boolean; more?: Json } = {}) {
    super(options.why ?? error)
    this.error = error
    this.blame = options.blame ?? true
    this.more = options.more ?? {}
  }
}

/** An answer that is no, and nobody's mistake. */
export function declined(error: string): Refusal {
  return new Refusal(error, { blame: false })
}
