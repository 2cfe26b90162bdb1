import { z } from 'zod'
import type { Usage } from '../../agent/contracts/model.ts'
import { parseStep } from '../../agent/contracts/run-events.ts'
import { parseJson } from '../../base/parse-json.ts'
import { threadContext } from '../history/types.ts'
import { decisionSchema, freshRun, questionSchema, type Question, type RunPart, type SavedRun } from './types.ts'

/**
 * The state of a run. `waiting`: for its turn. `suspended`, stored as `parked`: for a person. Dead-lettered runs, which
 * failed too often, are kept for inspection. `added`: not a run of its own, but a message that was sent to another one.
 */
const runStatus = z.enum(['waiting', 'running', 'parked', 'added', 'done', 'dead-lettered'])
export type RunStatus = z.infer<typeof runStatus>

/** A run as it is in its Redis hash. */
export interface StoredRun {
  question: Question
  state: RunStatus
  saved: SavedRun
  /** How often in a row a worker was lost without a new checkpoint, and how often the handler failed. */
  losses: number
  failures: number
  lastError?: string
}

const idsSchema = z.array(z.string())

/** The hash's field for a part, and its value there. */
export function fieldOf(part: RunPart): [field: string, value: string] {
  if (part.part === 'standalone' || part.part === 'named' || part.part === 'spoken') return [part.part, part.value]
  const field = 'n' in part ? `${part.part}:${part.n}` : part.part
  return [field, JSON.stringify(part.value)]
}

/** The field with the decision about a wait (`waitKey`). */
export function decisionField(key: string): string {
  return `decision:${key}`
}

/** The field that holds a post's ts; empty while the post is only claimed. */
export function postField(key: string): string {
  return `post:${key}`
}

const storedStatus = runStatus.catch('waiting')

/**
 * Reads a run's hash. A part that is no longer valid JSON counts as not saved, and so do all steps after a missing one.
 * @returns undefined if the hash has no readable question: there is nothing to answer.
 */
export function parseRun(fields: Record<string, string>): StoredRun | undefined {
  const hash = new Map(Object.entries(fields))
  const question = questionSchema.safeParse(parseJson(hash.get('question')))
  if (!question.success) return undefined
  const lastError = hash.get('lastError')
  return {
    question: question.data,
    state: storedStatus.parse(hash.get('state')),
    saved: parseSaved(hash),
    losses: Number(hash.get('losses') ?? 0),
    failures: Number(hash.get('failures') ?? 0),
    lastError,
  }
}

/** Reads the parts of a run that were stored as fields (`fieldOf`). */
export function parseFields(fields: Record<string, string>): SavedRun {
  return parseSaved(new Map(Object.entries(fields)))
}

function parseSaved(hash: Map<string, string>): SavedRun {
  const saved: SavedRun = {
    ...freshRun(Number(hash.get('startedAt') ?? 0)),
    named: hash.get('named'),
    spoken: hash.get('spoken'),
    said: threadContext.safeParse(parseJson(hash.get('said'))).data,
    standalone: hash.get('standalone'),
    remembered: idsSchema.safeParse(parseJson(hash.get('remembered'))).data,
    attempts: Number(hash.get('attempts') ?? 0),
    retries: Number(hash.get('retries') ?? 0),
    steps: numbered(hash, 'step', parseStep),
    usage: numbered(hash, 'usage', (value) => value as Usage),
    memory: (parseJson(hash.get('memory')) ?? {}) as SavedRun['memory'],
    answer: (parseJson(hash.get('answer')) ?? undefined) as SavedRun['answer'],
  }
  for (const [field, value] of hash) {
    const [kind, name] = [field.slice(0, field.indexOf(':')), field.slice(field.indexOf(':') + 1)]
    if (kind === 'post') saved.posts[name] = value
    const decision = kind === 'decision' ? decisionSchema.safeParse(parseJson(value)).data : undefined
    if (decision) saved.decisions[name] = decision
  }
  return saved
}

/** `step:1`, `step:2`, … up to the first that is missing or cannot be read. */
function numbered<T>(hash: Map<string, string>, name: string, parse: (value: unknown) => T | undefined): T[] {
  const values: T[] = []
  for (;;) {
    const stored = parseJson(hash.get(`${name}:${values.length + 1}`))
    const value = stored === undefined ? undefined : parse(stored)
    if (value === undefined) return values
    values.push(value)
  }
}
