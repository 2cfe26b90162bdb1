/**
 * The order of jobs over all workers. Workspaces take turns, then the channels within a workspace, then the threads
 * within a channel. It is start-time fair queuing (Goyal, Vin, Cheng, "Start-time Fair Queuing", SIGCOMM 1996) with one
 * flow for each channel and packets of length one.
 *
 * Each job gets a start tag: one more than the last tag of its channel, but at least the virtual time, which is the
 * highest tag of a job that has begun. The tag is the job's priority, and BullMQ starts the lowest first. So a channel
 * that was quiet waits for one job of each other channel, and gets no credit for its silence. At most four jobs of a
 * workspace share a tag, so a workspace with many channels delays another by a few jobs only. A crash between two
 * commands shifts a tag by one at most.
 */
import { redisScript } from '../base/redis/redis-script.ts'

/** BullMQ's highest priority number. Jobs that would exceed it all get this tag and run oldest first. */
export const LAST_TAG = 2 ** 21 - 1

/** Added to the tags of background jobs, so that this many jobs of people may go before them. */
export const BACKGROUND_OFFSET = 2 ** 16

const DAY_MS = 86_400_000
export const TAGS_TTL_MS = DAY_MS
/** At least as long as a question itself is stored. */
export const WAITING_TTL_MS = 30 * DAY_MS

export const fairPriority = redisScript(new URL('./lua/fair-priority.lua', import.meta.url), {
  keys: ['tags', 'waiting', 'job', 'prioritized', 'active', 'wait', 'delayed'],
  args: ['channel', 'entry', 'askedAt', 'waitingTtlMs', 'tagsTtlMs', 'lastTag', 'behind'],
})

export const advanceVirtualTime = redisScript(new URL('./lua/advance-virtual-time.lua', import.meta.url), {
  keys: ['tags', 'waiting'],
  args: ['tag', 'entry'],
})
