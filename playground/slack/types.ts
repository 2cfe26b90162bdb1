/** The objects of a workspace, in the forms of Slack's Web API and events. */

/** Unchecked JSON. */
export type Json = Record<string, unknown>

/** One emoji under a message, and the people who chose it. */
export interface Reaction {
  name: string
  users: string[]
  count: number
}

/** A message as Slack stores it. `ts` is its id in the channel and its time. */
export interface StoredMessage {
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
  /** Present if `chat.startStream` wrote it. */
  streaming_state?: 'in_progress' | 'completed' | 'stopped'
  chunks?: Json[]
  /** The recipient of a stream in a channel, and its beginning, which others see until it ends. */
  stream?: { recipient: string; text: string; chunks: Json[] }
  [more: string]: unknown
}

/** A message that only one person sees. Slack does not store it; here it is kept for tests. */
export interface Ephemeral {
  ts: string
  user: string
  text: string
  thread_ts?: string
  blocks?: Json[]
}

/** The status of a thread: from `assistant.threads.setStatus` or an agent's session, whichever came last. */
interface ThreadStatus {
  text: string
  /** The time at which Slack clears it, in ms since the epoch. */
  until: number
  /**
   * Whether it belongs to a session and stays until the session changes it. Otherwise it ends with the bot's next
   * message.
   */
  ofSession: boolean
}

/** An agent's session in a thread, as `agents.sessions.setStatus` and `chat.startStream` open it. */
export interface Session {
  status: SessionStatus
  title?: string
  initiator?: string
}

export type SessionStatus = 'processing' | 'active' | 'suspended' | 'closed'

/** The place of a file: in Slack, elsewhere, or deleted. */
export type FileMode = 'hosted' | 'snippet' | 'quip' | 'external' | 'tombstone' | 'hidden_by_limit'

/** A file of the workspace. */
export interface StoredFile {
  id: string
  name: string
  title: string
  /** The size in bytes that was announced, or that Slack reports. */
  size: number
  /** The bytes. Absent until they are uploaded, and for a file elsewhere. */
  bytes?: Uint8Array
  mimetype: string
  filetype: string
  mode: FileMode
  /** The person who uploaded it, the time (seconds), and the channels in which it was shared. */
  user: string
  created: number
  channels: Set<string>
  altText?: string
  externalUrl?: string
  access?: 'check_file_info' | 'access_denied'
  /** The smaller pictures by width in pixels. */
  thumbs?: Record<number, Uint8Array>
  transcription?: { status: string; text: string }
  durationMs?: number
  fault?: FileFault
}

/** A fault of a file's download. */
export interface FileFault {
  /** The number of downloads that fail. Default: all. */
  times?: number
  /** As for a token without `files:read`: a redirect to the login page, or that page with status 200. */
  login?: 'redirect' | 'page'
  /** The number of redirects on this server before the file. Infinity never ends. */
  redirects?: number
  /** A redirect to this address instead of the file. */
  redirectTo?: string
  /** Another status, and Retry-After in seconds. */
  status?: number
  retryAfter?: number
  /** A pause before the answer, and one before each piece of 1,024 bytes, in ms. */
  delayMs?: number
  pieceMs?: number
  /** The number of bytes after which the connection is cut. */
  cutAfter?: number
  /** The number of bytes to send instead of the true size: the file repeated, without a Content-Length. */
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
  /** The workspace that hosts it, if it is shared and Slack says so. */
  host?: string
  messages: StoredMessage[]
  ephemerals: Ephemeral[]
  /** The bot's status by thread. */
  statuses: Map<string, ThreadStatus>
  /** An agent's sessions, by thread. */
  sessions: Map<string, Session>
  /**
   * The suggested prompts of `assistant.threads.setSuggestedPrompts`, by thread. The key of the channel itself is ''.
   */
  prompts: Map<string, Json[]>
  /** The ts of deleted messages, to distinguish them from invented ones. */
  deleted: Set<string>
}

/** A person or a bot, as `users.info` returns them. */
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

/** One Web API call, with its outcome. */
export interface WebApiCall {
  method: string
  args: Json
  ok: boolean
  error?: string
  /** Milliseconds since the epoch. */
  at: number
}

/** A call that is the app's own mistake: a broken form, an exceeded limit, an invented id. */
export interface RefusedCall {
  method: string
  error: string
  why: string
}

/** A change of the workspace, for its watchers. */
export type Change =
  | { type: 'message'; channel: string; message: StoredMessage }
  | { type: 'removed'; channel: string; ts: string }
  | { type: 'ephemeral'; channel: string; ephemeral: Ephemeral }
  | { type: 'status'; channel: string; thread: string; text: string }
  | { type: 'channel'; channel: string }
  | { type: 'session'; channel: string; thread: string; session: Session }
  | { type: 'prompts'; channel: string; thread: string; prompts: Json[] }
  | { type: 'view'; user: string; view?: Json }

/**
 * A refusal by Slack. `blame` marks the app's own mistakes (a broken form, a limit, an invented id). Good apps get the
 * other refusals too (not in the channel, already reacted).
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

/** Returns a refusal that is nobody's mistake. */
export function declined(error: string): Refusal {
  return new Refusal(error, { blame: false })
}
