import type { SearchTokens } from '../search-tokens.ts'
import type { Store } from '../store.ts'
import type { Json } from '../types.ts'
import type { Views } from '../view-stack.ts'

/** What a Web API method may use. */
export interface Workspace {
  store: Store
  /** The modals and Homes that stand open. */
  views: Views
  /** Milliseconds since the epoch. */
  now: () => number
  /** The address of this Slack, without a slash at the end. */
  base: () => string
  /** A fresh one-use address for a socket. */
  socketUrl: () => string
  /** Whom this trigger was given to; it is used up by asking. @throws Refusal where it is not fresh. */
  useTrigger: (trigger: string) => string
  /** How long a streamed message lives, in milliseconds, and how many UTF-8 bytes it holds. */
  streamMs: () => number
  streamBytes: number
  /** Whether the app is an agent, with sessions. */
  agent: boolean
  /** Absent where the workspace does not let apps search. */
  search?: SearchTokens | undefined
  /** Whether the bot's token has this scope. */
  isGranted: (scope: string) => boolean
}

/** A Web API method: arguments in, the answer without `ok` out. @throws Refusal where Slack says no. */
export type Method = (args: Json, slack: Workspace) => Json
