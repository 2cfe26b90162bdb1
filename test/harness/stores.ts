import { vi } from 'vitest'
import type { ToolStep } from '../../src/agent/contracts/run-events.ts'
import type { StoreLog } from '../../src/base/store-log.ts'
import type { Queue } from '../../src/queue/types.ts'
import { createHistory } from '../../src/stores/history/history-store.ts'
import type { History } from '../../src/stores/history/types.ts'
import { memoryKv } from '../../src/stores/kv/memory-kv.ts'
import { questionSchema } from '../../src/stores/runs/question.ts'
import type { Question } from '../../src/stores/runs/types.ts'

/** Returns a log that tests can read. */
export function keptLog(): StoreLog & { lines: { level: string; message: string; fields: object }[] } {
  const lines: { level: string; message: string; fields: object }[] = []
  const at = (level: string) => (fields: object, message: string) => void lines.push({ level, message, fields })
  return { lines, info: at('info'), warn: at('warn'), error: at('error') }
}

export function historyInMemory(): History {
  return createHistory(memoryKv({ now: Date.now }), { log: keptLog(), ttlMs: 60_000 })
}

/** Returns a question in thread `thread` of channel `C1`, identified by its name; `overrides` are fields of any kind. */
export function question(name: string, overrides: object = {}): Question {
  const place = { team: 'T1', channel: 'C1', thread: '1.0', ...overrides }
  return questionSchema.parse({
    id: `${place.team}:${place.channel}:${name}`,
    user: 'U1',
    text: `What about ${name}?`,
    ts: name,
    surface: 'mention',
    eventId: `Ev-${place.channel}-${name}`,
    at: 1_000,
    ...place,
  })
}

/** Returns a step of a run, as it is saved before its tool runs. */
export function toolStep(turn: number, more: Partial<ToolStep> = {}): ToolStep {
  return { kind: 'tool', turn, thought: 'hm', action: { tool: 'x', input: 'y' }, ...more }
}

/** Waits until the check passes. Only a freeze makes it fail. */
export function eventually(check: () => unknown, timeout = 60_000): Promise<void> {
  return vi.waitFor(async () => void (await check()), { timeout, interval: 10 })
}

/** Submits a question until it is acked, as Slack does. Redis may be too busy to answer in time. */
export async function deliver(queue: Pick<Queue, 'accept'>, asked: Question): Promise<void> {
  await eventually(() => queue.accept(asked))
}

/** Resolves with a number when it has stayed the same for ten checks, so that all activity has ended. */
export async function atRest(count: () => Promise<number>): Promise<number> {
  let [seen, looks] = [await count(), 0]
  while (looks < 10) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    const now = await count()
    ;[seen, looks] = [now, now === seen ? looks + 1 : 0]
  }
  return seen
}

/**
 * Returns whether something ends within this time, counted in checks: time while the machine stands still does not
 * count.
 */
export async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let isOver = false
  void work.finally(() => (isOver = true))
  for (let looks = 0; looks * 20 < ms && !isOver; looks++) await new Promise((resolve) => setTimeout(resolve, 20))
  return isOver
}

/** Returns a promise with its resolver. */
export function deferred<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((settle) => (resolve = settle))
  return { promise, resolve }
}
