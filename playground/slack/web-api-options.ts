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

/** The parts that answer calls. `calls` and `refusals` are appended to. */
export interface WebApiOptions {
  workspace: Workspace
  botToken: string
  appToken: string
  /** The scopes of the bot token. Default: all. */
  scopes?: string[]
  /** Returns whether the app was removed and its token revoked. */
  isRevoked: () => boolean
  /** Kinds of blocks that this workspace refuses. */
  refusedBlocks: Set<string>
  faults: Faults
  /** Checks the scope that a call needs. @throws Refusal if it is missing */
  checkScope: (method: string, args: Json) => void
  /** The answer to an unauthorized download. */
  loginPage: () => 'redirect' | 'page'
  /** Seconds to wait before this call, 0 for none. */
  rate: (method: string, args: Json) => number
  responseUrls: ResponseUrls
  calls: WebApiCall[]
  refusals: RefusedCall[]
  journal?: Journal | undefined
}
