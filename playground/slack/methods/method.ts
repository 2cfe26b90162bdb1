import type { IssuedSearchTokens } from '../search-tokens.ts'
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
  /** Returns the trigger's person, and uses it up. @throws Refusal if it is not fresh */
  useTrigger: (trigger: string) => string
  /** The maximum age of a streamed message in ms, and its maximum size in UTF-8 bytes. */
  streamMs: () => number
  streamBytes: number
  /** Whether the app is an agent, with sessions. */
  agent: boolean
  /** Absent if the workspace does not let apps search. */
  search?: IssuedSearchTokens | undefined
  /** Returns whether the bot's token has this scope. */
  isGranted: (scope: string) => boolean
}

/** A Web API method. Takes its arguments, and returns the response without `ok`. @throws Refusal if Slack refuses */
export type Method = (args: Json, slack: Workspace) => Json
