import type { Faults } from '../faults/faults.ts'
import type { Journal } from '../journal/journal.ts'
import type { Workspace } from './methods/method.ts'
import type { ResponseUrls } from './events/response-urls.ts'
import type { Call, Json, Refused } from './types.ts'

/** What goes back. */
export interface Answer {
  status?: number
  headers?: Record<string, string>
  body: Json
  /** Cuts the connection in place of answering. */
  drop?: boolean
}

/** What answering takes; `calls` and `refusals` are written to. */
export interface WebApiOptions {
  workspace: Workspace
  botToken: string
  appToken: string
  /** The scopes of the bot token; all of them where this is missing. */
  scopes?: string[]
  /** Whether the app was removed, so that its token is dead. */
  isRevoked: () => boolean
  /** Kinds of blocks that this workspace refuses. */
  refusedBlocks: Set<string>
  faults: Faults
  /** @throws Refusal where the scope is gone that a call needs */
  checkScope: (method: string, args: Json) => void
  /** How somebody without a right to a file meets the login page. */
  loginPage: () => 'redirect' | 'page'
  /** Seconds to wait before this call, 0 for none. */
  rate: (method: string, args: Json) => number
  responseUrls: ResponseUrls
  calls: Call[]
  refusals: Refused[]
  journal?: Journal | undefined
}
