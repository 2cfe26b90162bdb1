/** The evidence of an answer: sources, numbers for charts, tables. Runs store it, so its types come from schemas. */
import { z } from 'zod'

/** A page or record that an observation came from. `url` is absolute http(s). */
export const sourceSchema = z.object({ title: z.string(), url: z.string() })
export type Source = z.infer<typeof sourceSchema>

/** Returns one source for each address. */
export function uniqueSources(sources: readonly Source[]): Source[] {
  return [...new Map(sources.map((source) => [source.url, source])).values()]
}

export const CHART_KINDS = ['line', 'bar', 'area', 'pie'] as const
export type ChartKind = (typeof CHART_KINDS)[number]

/** Numbers in order, such as amounts by company or values by year, for charts. The text contains them too. */
export const seriesSchema = z.object({
  title: z.string(),
  points: z.array(z.object({ label: z.string(), value: z.number() })),
  /** Default: a line if the labels are times, otherwise bars. */
  kind: z.enum(CHART_KINDS).optional(),
  /** The name of these points where there is `more`: further values for the same labels. */
  name: z.string().optional(),
  more: z.array(z.object({ name: z.string(), values: z.array(z.number()) })).optional(),
  axes: z.object({ x: z.string().optional(), y: z.string().optional() }).optional(),
})
export type Series = z.infer<typeof seriesSchema>

/** A table in a message, as data. Cells are plain text, and each row has one for every column. */
export const messageTable = z.object({
  /** Its caption; empty if it has none. */
  name: z.string(),
  columns: z.array(z.string()),
  rows: z.array(z.array(z.string())),
})
export type MessageTable = z.infer<typeof messageTable>

/**
 * A table in a tool's output, whole. `text`: rows divided by line breaks, cells by tabs. `hasHeading`: the first row
 * names the columns for certain. `isExact`: its numbers have a point and no other marks, as in JSON. `repeatsMerged`:
 * merged cells may be repeated in its heading. `notes`: sentences on what was guessed. `refused`: why it cannot be
 * queried; then it has no rows.
 */
export const outputTable = z.object({
  name: z.string(),
  text: z.string(),
  hasHeading: z.literal(true).optional(),
  isExact: z.literal(true).optional(),
  repeatsMerged: z.literal(true).optional(),
  notes: z.array(z.string()).optional(),
  refused: z.string().optional(),
  source: sourceSchema.optional(),
})
export type OutputTable = z.infer<typeof outputTable>
