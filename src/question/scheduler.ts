/**
 * Enqueues the occurrences of schedules when they are due. An occurrence is a delivery: a question with an id of its
 * own, which the queue accepts once. It is accepted before the schedule moves on to its next time, so a crash in
 * between loses nothing and repeats nothing, and any number of processes may do this at the same time.
 */
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { Queue } from '../queue/types.ts'
import { describeWhen } from '../schedules/describe-when.ts'
import { nextTimes } from '../schedules/when.ts'
import type { Occurrence, OccurrenceQuestion } from '../stores/runs/types.ts'
import { beginsAt, hasReported, withRun } from '../stores/schedules/types.ts'
import type { Deferral, Schedule, ScheduleRef, ScheduleRun, ScheduleStore } from '../stores/schedules/types.ts'

interface SchedulerOptions {
  schedules: ScheduleStore
  queue: Pick<Queue, 'accept'>
  log: Log
  now(): Date
  /** The interval between two checks, in ms. */
  everyMs: number
  /** Whether schedules are turned off. Then only the repairs are made. */
  isOff?: boolean
  /** Repairs something else, whenever the index of schedules is repaired. */
  repair?: (() => Promise<void>) | undefined
}

/** How many due schedules are handled at a time. */
const BATCH = 50
/**
 * The interval between two repairs, in ms. The first is at the start. An entry that a failover of Redis has lost is
 * found in time even for a schedule that runs every 15 minutes.
 */
const REPAIR_MS = 300_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** The most missed times that are counted. */
const MAX_MISSED = 1_000

/** @returns a function that stops it */
export function startScheduler(options: SchedulerOptions): { stop(): Promise<void> } {
  const { schedules, log, everyMs } = options
  let isStopped = false
  let repairAt = 0
  let timer: NodeJS.Timeout | undefined
  let work: Promise<void> = Promise.resolve()
  const warn = (error: unknown, text: string) => void (isStopped || log.warn({ error: messageOf(error) }, text))
  // If the other repair fails, the schedules still run.
  const repairOther = async () => options.repair?.().catch((error: unknown) => warn(error, 'a repair has failed'))
  const check = async () => {
    const now = options.now().getTime()
    try {
      if (now >= repairAt) await Promise.all([schedules.repair(), repairOther()])
      repairAt = now >= repairAt ? now + REPAIR_MS : repairAt
      while (!isStopped && !options.isOff && (await enqueueDue(options)) === BATCH);
    } catch (error) {
      warn(error, 'the schedules could not be looked at')
    }
    if (!isStopped) timer = setTimeout(() => void (work = check()), everyMs)
  }
  work = check()
  return {
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await work
    },
  }
}

/** Handles schedules whose time has come. @returns how many there were */
export async function enqueueDue(options: SchedulerOptions): Promise<number> {
  const refs = await options.schedules.due(options.now().getTime(), BATCH)
  // Several processes check at the same moment, so each begins with another schedule.
  const start = Math.floor((options.now().getTime() * 7919) % Math.max(1, refs.length))
  for (const ref of [...refs.slice(start), ...refs.slice(0, start)]) await enqueueOne(ref, options)
  return refs.length
}

async function enqueueOne(ref: ScheduleRef, options: SchedulerOptions): Promise<void> {
  const { schedules, queue, log, now } = options
  const schedule = await schedules.load(ref)
  const at = now().getTime()
  if (!schedule) return schedules.skip(ref)
  if (schedule.state === 'draft') return schedules.remove(ref)
  if (schedule.state === 'over' && isLongOver(schedule, at)) return schedules.remove(ref)
  const { due, again } = schedule
  if (again?.from !== undefined && again.from <= at) await enqueueAgain(schedule, again, options)
  // Another process has moved it on, or it is paused: the index is corrected.
  if (due === undefined || beginsAt(schedule, due) > at) return void (await schedules.update(ref, (one) => one))
  const times = timesUntil(at, schedule, due)
  const { latest, missed } = times
  if (latest !== undefined) {
    const question = occurrenceOf(schedule, { kind: 'due', at: latest, now: at })
    const accepted = await queue.accept(question)
    log.info({ question: question.id, schedule: schedule.id, accepted }, 'a schedule is due')
  }
  if (missed) log.warn({ schedule: schedule.id, times: missed.count ?? 1 }, 'times of a schedule were missed')
  await schedules.update(ref, (one) => (one.state === 'active' && one.due === due ? advanced(one, times) : undefined))
}

/** An occurrence that had to wait for room under a limit. */
async function enqueueAgain(
  schedule: Schedule,
  { at, n }: Deferral,
  { schedules, queue, log, now }: SchedulerOptions,
): Promise<void> {
  const question = occurrenceOf(schedule, { kind: 'due', at, now: now().getTime(), again: n })
  const accepted = await queue.accept(question)
  log.info({ question: question.id, schedule: schedule.id, accepted }, 'a scheduled run is asked again')
  await schedules.update(schedule, (one) =>
    one.again?.n === n && one.again.at === at ? { ...one, again: { at, n } } : one,
  )
}

/** Another process may have moved a one-time schedule on a moment ago, and its run still needs the schedule. */
function isLongOver({ when, runs: [last], createdAt }: Schedule, now: number): boolean {
  return now - Math.max(createdAt, last?.at ?? 0, when.kind === 'once' ? when.at : 0) > DAY_MS
}

interface PassedTimes {
  /** The time whose occurrence runs now. */
  latest: number | undefined
  missed: ScheduleRun | undefined
  next: number | undefined
}

function advanced({ due: _, ...schedule }: Schedule, { missed, next }: PassedTimes): Schedule {
  const after: Schedule = next === undefined ? { ...schedule, state: 'over' } : { ...schedule, due: next }
  return missed ? withRun(after, missed) : after
}

/** Returns how late an occurrence may begin, in ms: half the gap between two, at most an hour. */
export function latestMs({ gapMs = Infinity }: Pick<Schedule, 'gapMs'>): number {
  return Math.min(gapMs / 2, HOUR_MS)
}

/** The times of a schedule that have come. The latest one runs if it is not too late; all others count as missed. */
function timesUntil(now: number, schedule: Schedule, due: number): PassedTimes {
  const { when } = schedule
  const delay = beginsAt(schedule, due) - due
  const hasCome = (time: number) => time + delay <= now
  const isSeveral = nextTimes(when, due, 1).some(hasCome)
  const passed = [due, ...(isSeveral ? nextTimes(when, due, MAX_MISSED).filter(hasCome) : [])]
  const last = passed.at(-1) ?? due
  const isInTime = now - last - delay <= latestMs(schedule)
  const late = isInTime ? passed.slice(0, -1) : passed
  const [newest] = late.slice(-1)
  const [next] = nextTimes(when, passed.length > MAX_MISSED ? now : last, 1)
  const missed = newest === undefined ? undefined : missedRun(newest, { now, count: late.length })
  return { latest: isInTime ? last : undefined, missed, next }
}

function missedRun(due: number, { now, count }: { now: number; count: number }): ScheduleRun {
  return { occurrence: `missed-${due}`, due, at: now, end: 'missed', ...(count > 1 ? { count } : {}) }
}

interface OccurrenceStart {
  kind: Occurrence['kind']
  /** The scheduled time. */
  at: number
  now: number
  /** How often it had to wait for room under a limit. */
  again?: number
  by?: string
}

/** The question of an occurrence. A worker opens its thread, as for `/ask`. */
export function occurrenceOf(schedule: Schedule, { kind, at, now, again, by }: OccurrenceStart): OccurrenceQuestion {
  const { id, team, channel, user, app, question: text } = schedule
  const surface = kind === 'try' ? 'private' : 'ask'
  const thread = `${surface}-schedule-${id}-${kind}-${at}${again === undefined ? '' : `-${again}`}`
  // A failed run has reported nothing, so the next one covers its time too.
  const runs = schedule.runs.filter(hasReported)
  const lastRun = runs.length > 0 ? { lastRunAt: Math.max(...runs.map(({ due }) => due)) } : {}
  const tries = again === undefined ? {} : { again }
  const pressedBy = by === undefined ? {} : { by }
  const occurrence = { id, kind, at, when: describeWhen(schedule.when), ...lastRun, ...tries, ...pressedBy }
  return {
    kind: 'occurrence',
    id: `${team}:${channel}:${thread}`,
    team,
    channel,
    thread,
    user,
    text,
    surface,
    at: now,
    app,
    schedule: occurrence,
  }
}
