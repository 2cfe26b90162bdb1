import type { Deliveries } from './events/deliveries.ts'
import type { Fault } from '../faults/faults.ts'
import type { AckResult } from './events/hand-over.ts'
import type { Interactions } from './events/interactions.ts'
import type { Journal } from '../journal/journal.ts'
import type { SearchKind } from './search-tokens.ts'
import type { People, SentMessage, SayOptions } from './people.ts'
import type { UploadedFile } from './files/stored-files.ts'
import type { Sockets } from './events/sockets.ts'
import type { Store } from './store.ts'
import type { FaultSwitches } from '../faults/fault-switches.ts'
import type {
  WebApiCall,
  Channel,
  Json,
  StoredMessage,
  Reaction,
  RefusedCall,
  Session,
  StoredFile,
  User,
} from './types.ts'
import type { Views } from './view-stack.ts'

/** The options of a local Slack. The defaults are those of the real one. */
export interface LocalSlackOptions {
  port?: number
  /** The prefix of its own addresses, for apps that reach it through another server. */
  base?: string
  /** The host name in its own addresses, for apps that reach it through a proxy. Default: 127.0.0.1. */
  host?: string
  /** Another host name that requests may use, as through a proxy. */
  alias?: string
  botToken?: string
  appToken?: string
  signingSecret?: string
  /** The scopes of the bot token and the subscribed events, as in a manifest. Default: all. */
  scopes?: string[]
  events?: string[]
  /**
   * Whether people and channels in a slash command become `<@U…|name>`, like `should_escape` in a manifest. Default:
   * on.
   */
  shouldEscape?: boolean
  /** Whether the app is an agent, with sessions, titles and suggested prompts. Default: off. */
  agent?: boolean
  /** How the workspace lets apps search: by words, or by meaning too. Default: not at all. */
  search?: SearchKind
  /** The lifetime of an event's search token, in ms. Default: 10 minutes. */
  actionTokenMs?: number
  /**
   * Kinds of blocks that this workspace refuses with `invalid_blocks`, like a workspace that does not support them yet.
   */
  refusedBlocks?: string[]
  /** Answers 429 beyond Slack's rates: for all methods, or for these. */
  strictRate?: boolean | string[]
  /** The time Slack waits for an ack (3,000 ms), and the pauses before retries (none, 1 min, 5 min), in ms. */
  ackMs?: number
  retryMs?: number[]
  /** The lifetime of a trigger. Default: 3,000 ms. */
  triggerMs?: number
  /**
   * The answer to an unauthorized download: a redirect to the login page (as in Slack), or that page with status 200.
   */
  loginPage?: 'redirect' | 'page'
  /** Whether the bot gets events of its own messages, as in Slack. Default: on. */
  echo?: boolean
  /** The pause between pings of an open socket. Default: 10 s. */
  pingMs?: number
  /** The maximum age of a streamed message. Default: 5 minutes. */
  streamMs?: number
  /** The maximum size of a streamed message in UTF-8 bytes. Default: 11,000. */
  streamBytes?: number
  /** The journal, which records all traffic. */
  journal?: Journal
  /** Milliseconds since the epoch. */
  now?: () => number
}

export interface FileWithText extends StoredFile {
  /** The bytes as UTF-8. */
  content: string | undefined
}

/** A running local Slack. The methods are documented in People and Store. */
export interface LocalSlack {
  /** The values for SLACK_API_URL, SLACK_BOT_TOKEN, SLACK_APP_TOKEN and SLACK_SIGNING_SECRET. */
  apiUrl: string
  port: number
  botToken: string
  appToken: string
  signingSecret: string
  store: Store
  people: People
  views: Views
  sockets: Sockets
  /** The fault switches, all off at the start. */
  faultSwitches: FaultSwitches
  /** Every Web API call so far, and the calls that were the app's mistake. */
  calls: WebApiCall[]
  refusals: RefusedCall[]
  /** Sets the URL for deliveries over HTTP. Without one, deliveries go over the app's sockets. */
  setTarget(url: string | undefined): void
  target(): string | undefined
  fault(fault: Fault): void
  clearFaults(): void
  addChannel(id: string, extra?: Partial<Channel>): Channel
  addUser(id: string, extra?: Partial<User>): User
  say(options: SayOptions): Promise<SentMessage>
  /** Like `say`, with the bot mentioned first. */
  mention(text: string, options?: Omit<SayOptions, 'text'>): Promise<SentMessage>
  /** Uploads a file of a person (default: Alice) without sharing it. `say` shares it by its id. */
  upload(file: UploadedFile, user?: string): StoredFile
  /** Changes a file, for example to deleted (`mode: 'tombstone'`) or to a failing download (`fault`). */
  changeFile: People['changeFile']
  slash(text: string, options?: { channel?: string; user?: string; command?: string }): Promise<AckResult>
  press: Interactions['press']
  submit: Interactions['submit']
  closeView: Interactions['closeView']
  shortcut: Interactions['shortcut']
  /** Sets the kinds of blocks that are refused from now on. */
  refuseBlocks(...types: string[]): void
  redeliver: Deliveries['redeliver']
  /** Returns a token that finds all that this person can see. Undefined if apps may not search. */
  searchTokenOf(user: string): string | undefined
  /** Returns all messages of a channel, oldest first. `replies` returns the bot's messages in a thread. */
  messages(channel: string): StoredMessage[]
  replies(channel: string, thread: string): StoredMessage[]
  /** Returns the text that a person reads in a message. */
  shown(message: Pick<StoredMessage, 'text' | 'blocks' | 'chunks' | 'attachments'>): string
  /** Returns the people whom the bot's messages would have pinged. */
  pings(): string[]
  /** Returns all links in the bot's messages. */
  links(): string[]
  status(channel: string, thread: string): string
  /** The agent's session in a thread. */
  session(channel: string, thread: string): Session | undefined
  /** Returns the uppermost modal of a person (default: Alice). `home` returns their Home. */
  modal(user?: string): Json | undefined
  home(user?: string): Json | undefined
  /** Returns the text that a person reads in a view: its title and its blocks. */
  shownView(view: Json): string
  /** Returns all files, people's and the app's. */
  files(): FileWithText[]
  reactions(channel: string, ts: string): Reaction[]
  /** Returns the ephemeral messages to this person. */
  ephemerals(channel: string, user: string): string[]
  /** Resolves with the first truthy value of `check`. @throws after `ms` (45,000), naming `what`. */
  until<T>(check: () => T | Promise<T>, what: string, ms?: number): Promise<NonNullable<T>>
  /** Resolves when nothing was called or delivered for `quietMs` (300). */
  settle(quietMs?: number): Promise<void>
  close(): Promise<void>
}
