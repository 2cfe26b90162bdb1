import type { Faults } from '../faults/faults.ts'
import type { Journal } from '../journal/journal.ts'
import type { Workspace } from './methods/method.ts'
import type { ResponseUrls } from './events/response-urls.ts'
import type { WebApiCall, Json, RefusedCall } from './types.ts'

/** The HTTP response. */
export interface WebApiResponse {
  status?: number
  headers?: Record<string, string>
  body: Json
  /** Set to cut the connection instead of answering. */
  drop?: boolean
}

/** The parts for answering. `calls` and `refusals` are appended to. */
export interface WebApiOptions {
  workspace: Workspace
  botToken: string
  appToken: string
  /** The scopes of the bot token; all if absent. */
  scopes?: string[]
  /** Returns whether the app was removed, so that its token is dead. */
  isRevoked: () => boolean
  /** Kinds of blocks that this workspace refuses. */
  refusedBlocks: Set<string>
  faults: Faults
  /** Checks the scope that a call needs. @throws Refusal if it is missing */
  checkScope: (method: string, args: Json) => void
  /** The answer to a download without the right to it. */
  loginPage: () => 'redirect' | 'page'
  /** Seconds to wait before this call, 0 for none. */
  rate: (method: string, args: Json) => number
  responseUrls: ResponseUrls
  calls: WebApiCall[]
  refusals: RefusedCall[]
  journal?: Journal | undefined
}
