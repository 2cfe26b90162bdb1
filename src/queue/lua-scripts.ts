/**
 * The atomic steps of a thread's queue. Keys are the thread's own (stores/runs/thread-keys.ts), times are in
 * milliseconds.
 *
 * If Redis is out of memory, it refuses the first write of a script that needs memory, and the script has had no
 * effect.
 */
import { redisScript } from '../base/redis/redis-script.ts'

/** Returns a script's reply as texts. */
export function strings(reply: unknown): string[] {
  return Array.isArray(reply) ? reply.map(String) : []
}

export const acceptQuestion = redisScript(new URL('./lua/accept-question.lua', import.meta.url), {
  keys: ['thread', 'inbox', 'run', 'event'],
  args: [
    ...(['id', 'question', 'now', 'askedSince', 'ttlMs', 'eventTtlMs', 'hasEvent', 'runs'] as const),
    ...(['signal', 'onlyAdds', 'user', 'root', 'threadName', 'signals', 'channel', 'max', 'parts'] as const),
  ],
})

export const beginQuestion = redisScript(new URL('./lua/begin-question.lua', import.meta.url), {
  keys: ['thread', 'inbox'],
  args: ['gen', 'starts', 'runs', 'now', 'ttlMs', 'maxLosses', 'maxFailures', 'maxTries'],
})

export const finishQuestion = redisScript(new URL('./lua/finish-question.lua', import.meta.url), {
  keys: ['thread', 'inbox', 'run', 'signals'],
  args: ['token', 'id', 'state', 'ttlMs', 'runs', 'heard', 'refused'],
})

export const releaseQuestion = redisScript(new URL('./lua/release-question.lua', import.meta.url), {
  keys: ['thread', 'run'],
  args: ['token', 'failure'],
})

export const reviveThread = redisScript(new URL('./lua/revive-thread.lua', import.meta.url), {
  keys: ['thread', 'inbox'],
  args: ['goneGen', 'ttlMs'],
})

export const retryQuestion = redisScript(new URL('./lua/retry-question.lua', import.meta.url), {
  keys: ['thread', 'inbox', 'run'],
  args: ['id', 'ttlMs'],
})

export const suspendQuestion = redisScript(new URL('./lua/suspend-question.lua', import.meta.url), {
  keys: ['thread', 'inbox', 'run', 'suspended'],
  args: ['token', 'id', 'deadline', 'ttlMs'],
})

export const resumeRun = redisScript(new URL('./lua/resume-run.lua', import.meta.url), {
  keys: ['thread', 'inbox', 'run', 'suspended'],
  args: ['id', 'decision', 'now', 'ttlMs', 'isExpiry'],
})

export const sendSignal = redisScript(new URL('./lua/send-signal.lua', import.meta.url), {
  keys: ['thread', 'inbox', 'run', 'suspended', 'signals'],
  args: ['id', 'signal', 'stops', 'channel', 'notice', 'max', 'ttlMs'],
})

export const lineInThread = redisScript(new URL('./lua/line-in-thread.lua', import.meta.url), {
  keys: ['inbox', 'suspended'],
  args: ['runs'],
})

export const withdrawQuestion = redisScript(new URL('./lua/withdraw-question.lua', import.meta.url), {
  keys: ['inbox', 'run'],
  args: ['id', 'ttlMs', 'neverBegun'],
})
