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
  /** The beginning of its own addresses, for apps that reach it through another server. */
  base?: string
  /** The host name in its own addresses, for apps that reach it through a proxy. Default: 127.0.0.1. */
  host?: string
  /** Another host name that requests may use, as through a proxy. */
  alias?: string
  botToken?: string
  appToken?: string
  signingSecret?: string
  /** The scopes of the bot token and the events subscribed to, as in a manifest; all if absent. */
  scopes?: string[]
  events?: string[]
  /**
   * Whether people and channels in a slash command come as `<@U…|name>`, as `should_escape` of a manifest has it: on
   * unless turned off.
   */
  shouldEscape?: boolean
  /** Whether the app is an agent: with sessions, titles and suggested prompts. A plain app unless it is turned on. */
  agent?: boolean
  /** Whether the workspace lets apps search, by words or by meaning too: off unless turned on. */
  search?: SearchKind
  /** The life of an event's search token, in milliseconds. Default: 10 minutes. */
  actionTokenMs?: number
  /** Kinds of blocks that this workspace refuses by `invalid_blocks`, like one that does not have them yet. */
  refusedBlocks?: string[]
  /** Answer 429 beyond Slack's rates: for all methods, or for these. */
  strictRate?: boolean | string[]
  /** How long Slack waits for an ack (3,000 ms), and when it tries again (at once, 1 min, 5 min), in milliseconds. */
  ackMs?: number
  retryMs?: number[]
  /** How long a trigger opens a modal: 3,000 ms. */
  triggerMs?: number
  /**
   * The answer to a download without the right to it: a redirect to the login page (as at Slack), or that page with
   * status 200.
   */
  loginPage?: 'redirect' | 'page'
  /** Whether the bot is told of its own messages, as Slack does; on unless turned off. */
  echo?: boolean
  /** How often an open socket is pinged: every 10 s. */
  pingMs?: number
  /** How long a streamed message lives: 5 minutes. */
  streamMs?: number
  /** How many UTF-8 bytes a streamed message holds: 11,000. */
  streamBytes?: number
  /** The journal, which records all traffic. */
  journal?: Journal
  /** Milliseconds since the epoch. */
  now?: () => number
}

/** A running local Slack. The methods are documented in People and Store. */
export interface LocalSlack {
  /** For SLACK_API_URL, SLACK_BOT_TOKEN, SLACK_APP_TOKEN and SLACK_SIGNING_SECRET. */
  apiUrl: string
  port: number
  botToken: string
  appToken: string
  signingSecret: string
  store: Store
  people: People
  views: Views
  sockets: Sockets
  /** The faults that can be switched on; all are off at the start. */
  faultSwitches: FaultSwitches
  /** Every Web API call so far, and those that were the app's own mistake. */
  calls: WebApiCall[]
  refusals: RefusedCall[]
  /** Sets the URL for deliveries over HTTP. Without one they go over the app's sockets. */
  setTarget(url: string | undefined): void
  target(): string | undefined
  fault(fault: Fault): void
  clearFaults(): void
  addChannel(id: string, extra?: Partial<Channel>): Channel
  addUser(id: string, extra?: Partial<User>): User
  say(options: SayOptions): Promise<SentMessage>
  /** Like `say`, with the bot mentioned first. */
  mention(text: string, options?: Omit<SayOptions, 'text'>): Promise<SentMessage>
  /** Uploads a file of a person (Alice unless given), not shared yet. `say` shares it by its id. */
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
  /** Returns what stands for a person's own grant to search; undefined if apps may not search. */
  searchTokenOf(user: string): string | undefined
  /** Returns all messages of a channel, oldest first; `replies` are the bot's own in a thread. */
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
  /** Returns the uppermost modal of a person (Alice unless given); `home` their Home. */
  modal(user?: string): Json | undefined
  home(user?: string): Json | undefined
  /** Returns the text that a person reads in a view: its title and its blocks. */
  shownView(view: Json): string
  /** Returns all files, people's and the app's. `content` is the bytes as UTF-8. */
  files(): (StoredFile & { content: string | undefined })[]
  reactions(channel: string, ts: string): Reaction[]
  /** Returns the messages that only this person was shown. */
  ephemerals(channel: string, user: string): string[]
  /** Resolves with the first truthy value of `check`. @throws after `ms` (45,000), naming `what`. */
  until<T>(check: () => T | Promise<T>, what: string, ms?: number): Promise<NonNullable<T>>
  /** Resolves when nothing was called or delivered for `quietMs` (300). */
  settle(quietMs?: number): Promise<void>
  close(): Promise<void>
}
