import type { Json } from '../slack/types.ts'

/**
 * A part of the page beside the workspace, such as a panel: what it tells, what it takes, and what it says by itself.
 */
export interface PagePart {
  /** The id of its panel (page/panels.js): a page without the part has no button for it. */
  panel?: string
  /** GET, by path (`/journal`): JSON for the page. */
  tells?: Record<string, (params: URLSearchParams, you: string) => Json | Promise<Json>>
  /**
   * POST, by path: what a person did there; what comes back is told to the page. An error's message is shown to the
   * person.
   */
  takes?: Record<string, (body: Json, you: string) => Json | void | Promise<Json | void>>
  /** Tells an open page of changes, each with a `type` that no other part uses; returns what ends it. */
  watch?: (tell: (change: Json) => void, you: string) => () => void
}
