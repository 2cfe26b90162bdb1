import { parseJson } from '../../base/parse-json.ts'
import { feedbackSchema, recordSchema, type RunRecord } from './types.ts'

/**
 * Parses a stored record and its feedback by person. A step that cannot be read is left out.
 * @returns undefined for anything but a record
 */
export function parseRecord(text: string, rated: Record<string, string>): RunRecord | undefined {
  const stored = recordSchema.safeParse(parseJson(text)).data
  if (!stored) return undefined
  const ratings = Object.entries(rated).flatMap(([by, one]) => {
    const parsed = feedbackSchema.safeParse(parseJson(one)).data
    return parsed ? [{ by, ...parsed }] : []
  })
  return { ...stored, feedback: ratings.sort((one, other) => one.at - other.at) }
}
