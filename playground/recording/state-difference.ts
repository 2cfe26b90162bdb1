/** Compares the expected and the actual state of the workspace, message by message, for people. */
import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../slack/args.ts'
import type { StateMessage, WorkspaceState } from './conversation-file.ts'

/** One difference: the expected and the actual lines. An empty list means that there is nothing. */
export interface StateDifference {
  what: string
  expected: string[]
  came: string[]
}

/** Returns the differences. Empty if the states are equal. */
export function stateDifference(expected: WorkspaceState, came: WorkspaceState): StateDifference[] {
  const places = [...new Set([...expected.messages, ...came.messages].map(({ at }) => at))]
  const messageAt = ({ messages }: WorkspaceState, at: string) => messages.find((one) => one.at === at)
  return [
    ...places.flatMap((at) => messageDifference(at, messageAt(expected, at), messageAt(came, at))),
    ...recordDifference('the open views of', expected.views, came.views),
    ...recordDifference('the session of', expected.sessions, came.sessions),
    ...recordDifference('the status of', expected.statuses, came.statuses),
  ]
}

function messageDifference(at: string, expected?: StateMessage, came?: StateMessage): StateDifference[] {
  if (isDeepStrictEqual(expected, came)) return []
  const what = `message ${at} of ${(expected ?? came)?.by ?? 'nobody'}`
  const read = (one?: StateMessage) => (one ? [`${one.by}${one.to ? ` to ${one.to} alone` : ''}:`, ...one.shown] : [])
  const isReadSame = isDeepStrictEqual(read(expected), read(came))
  if (!isReadSame || !expected || !came) return [{ what, expected: read(expected), came: read(came) }]
  const { path, left, right } = firstDifference(expected.is, came.is)
  return [{ what: `${what}, at ${path}`, expected: [left], came: [right] }]
}

function recordDifference(
  what: string,
  expected: Record<string, unknown>,
  came: Record<string, unknown>,
): StateDifference[] {
  return [...new Set([...Object.keys(expected), ...Object.keys(came)])].flatMap((key) => {
    if (isDeepStrictEqual(expected[key], came[key])) return []
    const { path, left, right } = firstDifference(expected[key], came[key])
    return [{ what: `${what} ${key}${path ? `, at ${path}` : ''}`, expected: [left], came: [right] }]
  })
}

/** Returns the path of the first difference between two values, and both values there. */
function firstDifference(a: unknown, b: unknown, path = ''): { path: string; left: string; right: string } {
  const [left, right] = [entriesOf(a), entriesOf(b)]
  if (left && right && Array.isArray(a) === Array.isArray(b)) {
    const key = [...new Set([...left.keys(), ...right.keys()])].find(
      (one) => !isDeepStrictEqual(left.get(one), right.get(one)),
    )
    if (key !== undefined) return firstDifference(left.get(key), right.get(key), path ? `${path}.${key}` : key)
  }
  return { path, left: written(a), right: written(b) }
}

function entriesOf(value: unknown): Map<string, unknown> | undefined {
  if (Array.isArray(value)) return new Map(value.map((one: unknown, i) => [String(i), one]))
  return isObject(value) ? new Map(Object.entries(value)) : undefined
}

const MAX = 400

function written(value: unknown): string {
  if (value === undefined) return '(nothing)'
  const text = JSON.stringify(value) ?? 'undefined'
  return text.length > MAX ? `${text.slice(0, MAX)}…` : text
}

/** Formats differences: expected lines with `-`, actual lines with `+`. */
export function differenceText(differences: StateDifference[]): string {
  return differences
    .map(({ what, expected, came }) => {
      const gone = expected.filter((line) => !came.includes(line))
      const fresh = came.filter((line) => !expected.includes(line))
      return [`${what}:`, ...lines('-', gone, expected), ...lines('+', fresh, came)].join('\n')
    })
    .join('\n\n')
}

function lines(sign: string, some: string[], all: string[]): string[] {
  if (all.length === 0) return [`  ${sign} (it is not there)`]
  return some.map((line) => `  ${sign} ${line}`)
}
