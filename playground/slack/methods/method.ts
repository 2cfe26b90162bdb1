import type { SearchTokens } from '../search-tokens.ts'
import type { Store } from '../store.ts'
import type { Json } from '../types.ts'
import type { Views } from '../view-stack.ts'

/** The workspace as a Web API method sees it. */
export interface Workspace {
  store: Store
  /** The open modals and Homes. */
  views: Views
  /** Milliseconds since the epoch. */
  now: () => number
  /** The address of this Slack, without a slash at the end. */
  base: () => string
  /** Returns a fresh one-use address for a socket. */
  socketUrl: () => string
  /** Returns the person whom this trigger was given to, and uses it up. @throws Refusal if it is not fresh */
  useTrigger: (trigger: string) => string
  /** How long a streamed message lives, in milliseconds, and how many UTF-8 bytes it holds. */
  streamMs: () => number
  streamBytes: number
  /** Whether the app is an agent, with sessions. */
  agent: boolean
  /** Absent if the workspace does not let apps search. */
  search?: SearchTokens | undefined
  /** Returns whether the bot's token has this scope. */
  isGranted: (scope: string) => boolean
}

/** A Web API method: arguments in, the answer without `ok` out. @throws Refusal if Slack refuses */
export type Method = (args: Json, slack: Workspace) => Json
