import type { Json } from '../slack/types.ts'
import type { PageNotes } from './page-state.ts'

/** A part of the page beside the workspace, such as a panel: its data, its actions and its notifications. */
export interface PagePart {
  /** The id of its panel (page/panels.js). The page shows no button for a panel without a part. */
  panel?: string
  /** GET handlers by path (`/journal`). They return JSON. */
  gets?: Record<string, (params: URLSearchParams, you: string) => Json | Promise<Json>>
  /**
   * POST handlers by path: a person's actions. The page gets the result, and the person sees the message of an error.
   */
  posts?: Record<string, (body: Json, you: string) => Json | void | Promise<Json | void>>
  /** Returns what takes the place of the page's statements about itself. */
  notes?: (notes: PageNotes) => Partial<PageNotes>
  /** Sends changes to an open page. Each has a `type` that no other part uses. Returns a function that ends this. */
  watch?: (tell: (change: Json) => void, you: string) => () => void
}
