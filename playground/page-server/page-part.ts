import type { Json } from '../slack/types.ts'

/** A part of the page beside the workspace, such as a panel: its data, its actions, and its notifications. */
export interface PagePart {
  /** The id of its panel (page/panels.js): a page without the part has no button for it. */
  panel?: string
  /** GET, by path (`/journal`): JSON for the page. */
  tells?: Record<string, (params: URLSearchParams, you: string) => Json | Promise<Json>>
  /** POST, by path: a person's actions. The page gets the result; the person sees an error's message. */
  takes?: Record<string, (body: Json, you: string) => Json | void | Promise<Json | void>>
  /** Sends changes to an open page, each with a `type` that no other part uses. Returns a function that ends this. */
  watch?: (tell: (change: Json) => void, you: string) => () => void
}
