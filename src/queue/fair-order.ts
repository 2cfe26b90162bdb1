/**
 * Fair turns over all workers: channels take turns, and within a channel its threads do. It is start-time fair queuing
 * (Goyal, Vin, Cheng, "Start-time Fair Queuing", SIGCOMM 1996) with one question as the length of every packet.
 *
 * Each turn gets a start tag: one more than its channel's last, but no less than the virtual time, which is the highest tag
 * of a turn that has begun. BullMQ hands out the lowest tag first. So a channel that was quiet waits for one turn of each
 * other channel, and gets no credit for its silence. A crash between two steps shifts a tag by one, and no more.
 */
import { redisScript } from '../redis-script.ts'

/** BullMQ's highest priority number. Beyond it turns go by their age alone. */
export const LAST_TAG = 2 ** 21 - 1

const DAY_MS = 86_400_000
export const TAGS_TTL_MS = DAY_MS
/** At least as long as a question itself is kept. */
export const WAITING_TTL_MS = 30 * DAY_MS

export const fairPriority = redisScript(new URL('./lua/fair-priority.lua', import.meta.url), {
  keys: ['tags', 'waiting', 'job', 'prioritized', 'active', 'wait', 'delayed'],
  args: ['channel', 'entry', 'askedAt', 'waitingTtlMs', 'tagsTtlMs', 'lastTag'],
})

export const advanceVirtualTime = redisScript(new URL('./lua/advance-virtual-time.lua', import.meta.url), {
  keys: ['tags', 'waiting'],
  args: ['tag', 'entry'],
})
