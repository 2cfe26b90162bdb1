import type { Store } from '../store.ts'
import type { Json } from '../types.ts'

/** What a Web API method may use. */
export interface Workspace {
  store: Store
  /** Milliseconds since the epoch. */
  now: () => number
  /** The address of this Slack, without a slash at the end. */
  base: () => string
  /** A fresh one-use address for a socket. */
  socketUrl: () => string
  /** Whether this trigger is fresh; it is used up by asking. @throws Refusal otherwise. */
  useTrigger: (trigger: string) => void
  /** How long a streamed message lives, in milliseconds. */
  streamMs: number
}

/** A Web API method: arguments in, the answer without `ok` out. @throws Refusal where Slack says no. */
export type Method = (args: Json, slack: Workspace) => Json
