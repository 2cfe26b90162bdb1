import type { Deliveries } from './events/deliveries.ts'
import type { Fault } from '../faults/faults.ts'
import type { Done } from './events/hand-over.ts'
import type { Interactions } from './events/interactions.ts'
import type { Journal } from '../journal/journal.ts'
import type { SearchKind } from './search-tokens.ts'
import type { People, SentMessage, SayOptions } from './people.ts'
import type { GivenFile } from './files/stored-files.ts'
import type { Sockets } from './events/sockets.ts'
import type { Store } from './store.ts'
import type { Trouble } from '../faults/trouble.ts'
import type { Call, Channel, Json, Message, Reaction, Refused, Session, StoredFile, User } from './types.ts'
import type { Views } from './view-stack.ts'

/** How this Slack is; the defaults are those of the real one. */
export interface LocalSlackOptions {
  port?: number
  /** The beginning of its own addresses, for apps that reach it through another server. */
  base?: string
  /** The name that it goes by in its own addresses, for apps that reach it through a proxy: 127.0.0.1. */
  host?: string
  /** Another name that requests may give it, as through a proxy of names. */
  alias?: string
  botToken?: string
  appToken?: string
  signingSecret?: string
  /** The scopes of the bot token and the events subscribed to, as in a manifest; all of them where missing. */
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
  /** How long the token of an event lives that lets the app search: 10 minutes, in milliseconds. */
  actionTokenMs?: number
  /** Kinds of blocks that this workspace refuses by `invalid_blocks`, as one does that has them not yet. */
  refusedBlocks?: string[]
  /** Answer 429 beyond Slack's rates: for all methods, or for these. */
  strictRate?: boolean | string[]
  /** How long Slack waits for an ack (3,000 ms), and when it tries again (at once, 1 min, 5 min), in milliseconds. */
  ackMs?: number
  retryMs?: number[]
  /** How long a trigger opens a modal: 3,000 ms. */
  triggerMs?: number
  /**
   * What a download without the right to it meets: a redirect to the login page (as at Slack), or that page with status
   * 200.
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
  /** Where all that passes is written down. */
  journal?: Journal
  /** Milliseconds since the epoch. */
  now?: () => number
}

/** What runs; see the methods' own comments in People and Store for the details. */
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
  /** What goes wrong while it runs; all of it is off at the start. */
  trouble: Trouble
  /** Every Web API call so far, and those that were the app's own mistake. */
  calls: Call[]
  refusals: Refused[]
  /** Where the app takes deliveries over HTTP; without one they go over its sockets. */
  setTarget(url: string | undefined): void
  target(): string | undefined
  fault(fault: Fault): void
  clearFaults(): void
  addChannel(id: string, extra?: Partial<Channel>): Channel
  addUser(id: string, extra?: Partial<User>): User
  say(options: SayOptions): Promise<SentMessage>
  /** `say`, with the bot named first. */
  mention(text: string, options?: Omit<SayOptions, 'text'>): Promise<SentMessage>
  /** Somebody, Alice unless told otherwise, takes a file in, as yet for nobody else; `say` shares it by its id. */
  upload(file: GivenFile, user?: string): StoredFile
  /**
   * Changes a file that is there, as when it is deleted (`mode: 'tombstone'`) or its download begins to fail
   * (`trouble`).
   */
  changeFile: People['changeFile']
  slash(text: string, options?: { channel?: string; user?: string; command?: string }): Promise<Done>
  press: Interactions['press']
  submit: Interactions['submit']
  closeView: Interactions['closeView']
  shortcut: Interactions['shortcut']
  /** Kinds of blocks that are refused from now on, and those that are not any more. */
  refuseBlocks(...types: string[]): void
  redeliver: Deliveries['redeliver']
  /** What stands for a person's own grant to search. Undefined where apps may not search. */
  searchTokenOf(user: string): string | undefined
  /** All messages of a channel, oldest first, and the bot's own in a thread. */
  messages(channel: string): Message[]
  replies(channel: string, thread: string): Message[]
  /** What a person reads in a message. */
  shown(message: Pick<Message, 'text' | 'blocks' | 'chunks' | 'attachments'>): string
  /** Whom the bot's messages would have pinged. */
  pings(): string[]
  /** What could be clicked in all that the bot sent, wherever it stands. */
  links(): string[]
  status(channel: string, thread: string): string
  /** The agent's session in a thread. */
  session(channel: string, thread: string): Session | undefined
  /** The uppermost modal of a person, Alice unless told otherwise, and their Home. */
  modal(user?: string): Json | undefined
  home(user?: string): Json | undefined
  /** What a person reads in a view: its title, its blocks. */
  shownView(view: Json): string
  /** All files, people's and the app's; `content` is the bytes as UTF-8. */
  files(): (StoredFile & { content: string | undefined })[]
  reactions(channel: string, ts: string): Reaction[]
  /** What only this person was shown. */
  whispers(channel: string, user: string): string[]
  /** Resolves with the first truthy value of `check`. @throws after `ms` (45,000), naming `what`. */
  until<T>(check: () => T | Promise<T>, what: string, ms?: number): Promise<NonNullable<T>>
  /** Resolves when nothing was called or delivered for `quietMs` (300). */
  settle(quietMs?: number): Promise<void>
  close(): Promise<void>
}
